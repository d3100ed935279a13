import { docsContract } from '../../contract/docs.js'
import { DOCS_CSS, docsPage, problemsPage } from '../docs-page.js'
import { openApiDocument } from '../openapi.js'
import { type Route, routes } from '../route.js'

/** Made once for each set of routes, as text: it does not change while the server runs, and anybody may ask for it as often as they like. */
const documents = new WeakMap<readonly Route[], string>()

function documentOf(all: readonly Route[]): string {
  let document = documents.get(all)
  if (document === undefined) {
    document = JSON.stringify(openApiDocument(all))
    documents.set(all, document)
  }
  return document
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

export const docsRoutes = routes<typeof docsContract>(docsContract, {
  openApi: async ({ server }) => ({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: documentOf(server.routes) as never,
  }),
  docs: async ({ server }) => ({ status: 200, body: docsPage(server.routes), headers: HTML }),
  problems: async () => ({ status: 200, body: problemsPage(), headers: HTML }),
  docsStyle: async () => ({
    status: 200,
    body: DOCS_CSS,
    headers: { 'content-type': 'text/css; charset=utf-8' },
  }),
})

import { docsContract } from '../../contract/docs.js'
import { DOCS_CSS, docsPage, problemsPage } from '../docs-page.js'
import { openApiDocument } from '../openapi.js'
import { type Route, routes } from '../route.js'

/** Made once for each set of routes: the document does not change while the server runs. */
const documents = new WeakMap<readonly Route[], Record<string, unknown>>()

function documentOf(all: readonly Route[]): Record<string, unknown> {
  let document = documents.get(all)
  if (document === undefined) {
    document = openApiDocument(all)
    documents.set(all, document)
  }
  return document
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

export const docsRoutes = routes<typeof docsContract>(docsContract, {
  openApi: async ({ server }) => ({ status: 200, body: documentOf(server.routes) }),
  docs: async ({ server }) => ({ status: 200, body: docsPage(server.routes), headers: HTML }),
  problems: async () => ({ status: 200, body: problemsPage(), headers: HTML }),
  docsStyle: async () => ({
    status: 200,
    body: DOCS_CSS,
    headers: { 'content-type': 'text/css; charset=utf-8' },
  }),
})

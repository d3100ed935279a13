import { docsContract } from '../../contract/docs.js'
import { openApiDocument } from '../openapi.js'
import { type ApiDocument, docsBody, docsPage } from '../pages/docs.js'
import { DOCS_CSS } from '../pages/docs-look.js'
import type { Html } from '../pages/html.js'
import { problemsPage } from '../pages/problems.js'
import { type Route, routes } from '../route.js'

interface Told {
  readonly document: ApiDocument
  readonly json: string
  readonly body: Html
}

/** Made once for each set of routes: it does not change while the server runs, and anybody may ask for it as often as they like. */
const told = new WeakMap<readonly Route[], Told>()

function toldOf(all: readonly Route[]): Told {
  let known = told.get(all)
  if (known === undefined) {
    const document = openApiDocument(all)
    const shown = document as unknown as ApiDocument
    known = { document: shown, json: JSON.stringify(document), body: docsBody(all, shown) }
    told.set(all, known)
  }
  return known
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

export const docsRoutes = routes<typeof docsContract>(docsContract, {
  openApi: async ({ server }) => ({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: toldOf(server.routes).json as never,
  }),
  docs: async ({ server, request: { protocol, host } }) => {
    const { body, document } = toldOf(server.routes)
    return { status: 200, body: docsPage(body, document, `${protocol}://${host}`), headers: HTML }
  },
  problems: async () => ({ status: 200, body: problemsPage(), headers: HTML }),
  docsStyle: async () => ({
    status: 200,
    body: DOCS_CSS,
    headers: { 'content-type': 'text/css; charset=utf-8' },
  }),
})

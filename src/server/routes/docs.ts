/** The API description as OpenAPI and as HTML pages. */
import { docsContract } from '../../contract/docs.js'
import { routes } from '../http/route.js'
import { docsPage, problemsPage } from '../pages/docs.js'
import { DOCS_CSS } from '../pages/style.js'

const HTML = { 'content-type': 'text/html; charset=utf-8' }

export const docsRoutes = routes<typeof docsContract>(docsContract, {
  openApi: async ({ server }) => ({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: server.docs.json as never,
  }),
  docs: async ({ server, request }) => {
    const { body, document } = server.docs
    return { status: 200, body: docsPage(body, document, server.basePath.originOf(request)), headers: HTML }
  },
  problems: async () => ({ status: 200, body: problemsPage(), headers: HTML }),
  docsStyle: async () => ({
    status: 200,
    body: DOCS_CSS,
    headers: { 'content-type': 'text/css; charset=utf-8' },
  }),
})

/** The dashboard: its page and its files. */
import { dashboardContract } from '../../contract/operate/dashboard.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { isSecure, sessionCookie } from '../access/session-cookie.js'
import { codingFor } from '../dashboard/bundle.js'
import { DASHBOARD_CSP, dashboardPage, dashboardText } from '../dashboard/page.js'
import { routes } from '../http/route.js'

const FOR_GOOD = 'public, max-age=31536000, immutable'

export const dashboardRoutes = routes<typeof dashboardContract>(dashboardContract, {
  dashboard: async ({ server, request, query }) => {
    const base = server.basePath.of(request)
    if (query.sign_in !== undefined) {
      // The key must not stay in the address, whether it is right or not.
      const token = await server.principals.signInByLink(query.sign_in)
      const lifetimeMs = server.limits.sessionLifetimeMs
      const settings = { base, secure: isSecure(request), lifetimeMs }
      const cookie = token === undefined ? {} : { 'set-cookie': sessionCookie(token, settings) }
      return { status: 303, headers: { location: base, ...cookie }, body: undefined }
    }
    const vary = {
      vary: 'accept',
      link: `<${base}status>; rel="alternate"; title="status page without scripts"`,
    }
    if (!acceptsHtml(request.headers.accept)) {
      const text = dashboardText(PACKAGE_VERSION, `${server.basePath.originOf(request)}/`)
      return { status: 200, headers: { ...vary, 'content-type': 'text/plain; charset=utf-8' }, body: text }
    }
    return {
      status: 200,
      headers: {
        ...vary,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': DASHBOARD_CSP,
      },
      body: dashboardPage(server.dashboard().index, base),
    }
  },

  dashboardAsset: async ({ server, request, params }) => {
    const asset = server.dashboard().assets.get(params.file)
    if (asset === undefined) throw holdfastError('unknown_route')
    const coding = codingFor(asset, String(request.headers['accept-encoding'] ?? ''))
    return {
      status: 200,
      headers: {
        'content-type': asset.type,
        'cache-control': FOR_GOOD,
        vary: 'accept-encoding',
        ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
      },
      body: asset.bytes[coding] ?? asset.bytes.identity,
    }
  },
})

/** curl sends no `text/html`; a browser does. */
function acceptsHtml(accept: string | undefined): boolean {
  return accept?.includes('text/html') ?? false
}

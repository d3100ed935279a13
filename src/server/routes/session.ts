/** Sessions of browsers: sign in with a key, see who is signed in, sign out. */
import { sessionContract } from '../../contract/access/session.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { HoldfastError } from '../../domain/errors/errors.js'
import { refuseOtherHosts } from '../access/browser-guard.js'
import type { Principal } from '../access/principal.js'
import { checkCsrf, isSecure, sessionCookie } from '../access/session-cookie.js'
import { type Call, routes } from '../http/route.js'

type SessionView = (typeof sessionContract)['getSession']['response'][200]['_zod']['input']

function view(who: Principal | undefined, readOnly: boolean): SessionView {
  const { open = false, name = null, tenant = null, scopes = [], csrfToken = null, expiresAt } = who ?? {}
  return {
    signed_in: who !== undefined,
    open,
    name,
    tenant,
    scopes: [...scopes],
    read_only: readOnly || (who !== undefined && scopes.every((scope) => scope === 'read')),
    csrf_token: csrfToken,
    expires_at: expiresAt?.toISOString() ?? null,
    can_sign_out: csrfToken !== null && who?.isHosted !== true,
    server_version: PACKAGE_VERSION,
  }
}

/** Undefined: not signed in. */
async function callerOf({
  server,
  request,
}: Pick<Call, 'server' | 'request'>): Promise<Principal | undefined> {
  try {
    const who = await server.principals.of(request)
    if (who.open) refuseOtherHosts(request)
    return who
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'unauthorized') return undefined
    throw error
  }
}

export const sessionRoutes = routes<typeof sessionContract>(sessionContract, {
  getSession: async (call) => ({
    status: 200,
    body: view(await callerOf(call), call.server.readOnly),
  }),

  signIn: async ({ server, request, reply, body }) => {
    const base = server.basePath.of(request)
    const { token, who } = await server.principals.signIn(body.key)
    // The session that the browser had before ends, so that it cannot be used by its old token.
    await server.principals.signOut(request, base)
    // For the audit log.
    request.admitted = { who, tenant: who.tenant, endpoint: sessionContract.signIn, reply }
    const lifetimeMs = server.limits.sessionLifetimeMs
    const cookie = sessionCookie(token, { base, secure: isSecure(request), lifetimeMs })
    return { status: 200, headers: { 'set-cookie': cookie }, body: view(who, server.readOnly) }
  },

  signOut: async (call) => {
    const { server, request, reply } = call
    const base = server.basePath.of(request)
    const who = await callerOf(call)
    if (who !== undefined) {
      request.admitted = { who, tenant: who.tenant, endpoint: sessionContract.signOut, reply }
      checkCsrf(sessionContract.signOut, request, who.csrfToken)
    }
    await server.principals.signOut(request, base)
    const cookie = sessionCookie('', { base, secure: isSecure(request), lifetimeMs: 0 })
    return { status: 204, headers: { 'set-cookie': cookie }, body: undefined }
  },
})

/** Adds routes to the app, each with the same steps before and after its handler. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Endpoint, isUnsafe } from '../../contract/endpoint.js'
import { holdfastError } from '../../domain/errors/errors.js'
import type { Admitted } from '../access/admitted.js'
import { refuseOtherHosts, refuseOtherSites } from '../access/browser-guard.js'
import type { CallLog } from '../access/call-log.js'
import { checkScope, everyTenantNeeded, tenantOf } from '../access/principal.js'
import { type Buckets, takeCall } from '../access/rate-limit.js'
import { checkCsrf } from '../access/session-cookie.js'
import type { UnauthenticatedCallLog } from '../access/unauthenticated-calls.js'
import type { ServerContext } from '../context.js'
import { OneCall, reasonOf } from './call.js'
import { checkRequest, type Parts } from './check-request.js'
import type { HttpLimits } from './limits.js'
import type { Call, Route } from './route.js'
import { WARNING_HEADER } from './warning.js'

export interface RegisterDeps {
  readonly server: ServerContext
  readonly calls: CallLog
  readonly unauthenticated: UnauthenticatedCallLog
  readonly limits: HttpLimits
  readonly rates: Buckets
  readonly checkAnswers: boolean
}

export function register(app: FastifyInstance, routes: readonly Route[], deps: RegisterDeps): void {
  for (const route of routes) {
    const { endpoint } = route
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: endpoint.bodyBytesMax ?? deps.limits.bodyBytesMax,
      // HEAD is only for health checks and pages, which need no key.
      exposeHeadRoute: endpoint.method === 'GET' && endpoint.scope === null && !isUnsafe(endpoint),
      config: { operation: route.name },
      onRequest: (request, reply) => admit(endpoint, request, reply, deps),
      ...(isUnsafe(endpoint)
        ? { onSend: (request: FastifyRequest, reply: FastifyReply) => audit(route, request, reply, deps) }
        : {}),
      handler: (request, reply) => answer(route, request, reply, deps),
    })
  }
}

async function admit(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, deps: RegisterDeps) {
  if (isUnsafe(endpoint)) refuseOtherSites(request)
  if (endpoint.scope === null) return
  const { principals } = deps.server
  const who = await principals.of(request)
  if (who.open) refuseOtherHosts(request)
  // Set before `tenantOf` can throw, so that the audit row names the caller.
  request.admitted = { who, tenant: who.tenant, endpoint, reply }
  request.admitted = { who, tenant: tenantOf(who, request), endpoint, reply }
  if (who.rateLimit !== null && who.keyId !== null)
    reply.headers(takeCall(deps.rates, who.keyId, who.rateLimit))
  checkCsrf(endpoint, request, who.csrfToken)
  checkScope(endpoint, who)
  if (deps.server.readOnly && isUnsafe(endpoint)) throw holdfastError('read_only')
  if (endpoint.everyTenant && who.tenant !== '*') throw everyTenantNeeded()
}

async function answer(route: Route, request: FastifyRequest, reply: FastifyReply, deps: RegisterDeps) {
  const { endpoint } = route
  const parts = checkRequest(endpoint, request)
  const call = await callOf(endpoint, request, reply, parts, deps.server)
  const { status, headers, body } = await route.handle(call)
  // The handler has written to the socket itself.
  if (reply.sent) return reply
  reply.code(Number(status)).headers({ ...headers })
  const warnings = [...parts.warnings, headers?.[WARNING_HEADER]].filter((each) => each !== undefined)
  if (warnings.length > 0) reply.header(WARNING_HEADER, warnings.join('; '))
  if (body === undefined) return reply.send()
  if (typeof body === 'string' || body instanceof Uint8Array) return reply.send(body)
  if (isStream(body)) return reply.send(Readable.from(body))
  const json = JSON.stringify(body)
  if (deps.checkAnswers) checkAnswer(route, Number(status), json)
  reply.header('content-type', reply.getHeader('content-type') ?? 'application/json; charset=utf-8')
  return reply.send(json)
}

function isStream(body: unknown): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** The caller of a route that needs no key. */
const ANONYMOUS: Pick<Admitted, 'who' | 'tenant'> = {
  who: {
    name: 'anonymous',
    keyId: null,
    tenant: 'default',
    scopes: [],
    rateLimit: null,
    expiresAt: null,
    open: false,
    csrfToken: null,
  },
  tenant: 'default',
}

async function callOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  server: ServerContext,
): Promise<Call> {
  const { who, tenant } = request.admitted ?? ANONYMOUS
  const rank = request.isLarge ? 'last' : (endpoint.rank ?? 'usual')
  // A key for all tenants may see all of them, so its calls are not restricted.
  const isNarrowed = endpoint.scope !== null && who.tenant !== '*' && (await server.seal.isSealed())
  const store = server.store.inScope({ tenant, rank, isNarrowed })
  return new OneCall(parts, { store, who, tenant, server, request, reply, endpoint })
}

function checkAnswer({ name, endpoint }: Route, status: number, json: string): void {
  const schema = endpoint.response[status]
  const parsed = schema?.safeParse(JSON.parse(json))
  if (parsed?.success !== true) {
    const problem = parsed?.error.message ?? `the contract has no status ${status}`
    throw holdfastError('internal', {
      problem: `the response of ${name} does not match its contract: ${problem}`,
    })
  }
}

/**
 * Writes one row to the audit log. Calls that enqueue jobs or work on them do not wait for it. Successful calls of workers have no row:
 * attempts record that work, and a row per claim and heartbeat would bury the others.
 */
async function audit(
  { name, endpoint }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RegisterDeps,
) {
  const { admitted } = request
  const scopes = [endpoint.scope].flat()
  if (reply.statusCode < 400 && scopes.every((scope) => scope === 'work')) return
  const call = {
    tenant: admitted?.tenant ?? '*',
    actor: admitted?.who.name ?? 'anonymous',
    keyId: admitted?.who.keyId ?? null,
    operation: name,
    method: request.method,
    path: (request.url.split('?', 1)[0] ?? '').slice(0, 500),
    status: reply.statusCode,
    code: request.refusedWith,
    reason: storable(reasonOf(request.body)),
    requestId: request.id,
    address: request.ip,
  }
  const isFrequent = scopes.every((scope) => scope === 'enqueue' || scope === 'work')
  if (isFrequent && admitted !== null) return deps.calls.addLater(call)
  const written = admitted === null ? deps.unauthenticated.add(call) : deps.calls.add(call)
  if (!isFrequent) await written
}

/** A reason that failed validation is recorded too, shortened and without characters that Postgres refuses. */
function storable(reason: string | undefined): string | null {
  return reason === undefined ? null : reason.slice(0, 1000).replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}')
}

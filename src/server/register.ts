/** Puts routes into the app, each with the same steps around its handler. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Endpoint, isUnsafe } from '../contract/endpoint.js'
import { holdfastError } from '../domain/errors.js'
import { isLarge } from './body/read-bodies.js'
import { refuseOtherHosts, refuseOtherSites } from './browser-guard.js'
import type { CallLog } from './call-log.js'
import { checkRequest, type Parts } from './check-request.js'
import { type LetIn, letIn } from './let-in.js'
import type { HttpLimits } from './limits.js'
import { OneCall, reasonOf } from './one-call.js'
import { checkScope, everyTenantNeeded, tenantOf } from './principal.js'
import { type Buckets, takeCall } from './rate-limit.js'
import type { Call, Route, ServerFacts } from './route.js'
import type { Strangers } from './strangers.js'

export interface Around {
  readonly server: ServerFacts
  readonly calls: CallLog
  readonly strangers: Strangers
  readonly limits: HttpLimits
  readonly rates: Buckets
  readonly checkAnswers: boolean
}

export function register(app: FastifyInstance, routes: readonly Route[], around: Around): void {
  for (const route of routes) {
    const { endpoint } = route
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: endpoint.bodyBytesMax ?? around.limits.bodyBytesMax,
      // Nobody needs to ask for the headers of an answer alone, but for those who look whether we live.
      exposeHeadRoute: endpoint.method === 'GET' && endpoint.scope === null && !isUnsafe(endpoint),
      config: { operation: route.name },
      onRequest: (request, reply) => enter(endpoint, request, reply, around),
      ...(isUnsafe(endpoint)
        ? { onSend: (request: FastifyRequest, reply: FastifyReply) => keep(route, request, reply, around) }
        : {}),
      handler: (request, reply) => answer(route, request, reply, around),
    })
  }
}

async function enter(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, around: Around) {
  if (isUnsafe(endpoint)) refuseOtherSites(request)
  if (endpoint.scope === null) return
  const { principals } = around.server
  const who = await principals.of(request)
  if (who.open) refuseOtherHosts(request)
  // Kept before anything else is refused, so that the audit log knows who it was.
  letIn.set(request, { who, tenant: who.tenant, endpoint, reply })
  letIn.set(request, { who, tenant: tenantOf(who, request), endpoint, reply })
  if (who.rateLimit !== null && who.keyId !== null)
    reply.headers(takeCall(around.rates, who.keyId, who.rateLimit))
  checkScope(endpoint, who)
  if (endpoint.everyTenant && who.tenant !== '*') throw everyTenantNeeded()
}

async function answer(route: Route, request: FastifyRequest, reply: FastifyReply, around: Around) {
  const { endpoint } = route
  const parts = checkRequest(endpoint, request)
  const call = await callOf(endpoint, request, reply, parts, around.server)
  const { status, headers, body } = await route.handle(call)
  // A handler that speaks to the socket itself has nothing to add.
  if (reply.sent) return reply
  reply.code(Number(status)).headers({ ...headers })
  if (body === undefined) return reply.send()
  if (typeof body === 'string') return reply.send(body)
  if (isStream(body)) return reply.send(Readable.from(body))
  const json = JSON.stringify(body)
  if (around.checkAnswers) checkAnswer(route, Number(status), json)
  reply.header('content-type', reply.getHeader('content-type') ?? 'application/json; charset=utf-8')
  return reply.send(json)
}

function isStream(body: unknown): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** Nobody: for routes that are open to everybody. */
const ANYBODY: Pick<LetIn, 'who' | 'tenant'> = {
  who: {
    name: 'anonymous',
    keyId: null,
    tenant: 'default',
    scopes: [],
    rateLimit: null,
    expiresAt: null,
    open: false,
  },
  tenant: 'default',
}

async function callOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  server: ServerFacts,
): Promise<Call> {
  const { who, tenant } = letIn.get(request) ?? ANYBODY
  const rank = isLarge(request) ? 'last' : (endpoint.rank ?? 'usual')
  // A key of every tenant may see every tenant, and some of what it asks concerns them all.
  const isNarrowed = endpoint.scope !== null && who.tenant !== '*' && (await server.seal.isSealed())
  const store = server.store.acting({ tenant, rank, isNarrowed })
  return new OneCall(parts, { store, who, tenant, server, request, reply, endpoint })
}

function checkAnswer({ name, endpoint }: Route, status: number, json: string): void {
  const schema = endpoint.response[status]
  const parsed = schema?.safeParse(JSON.parse(json))
  if (parsed?.success !== true) {
    const problem = parsed?.error.message ?? `there is no status ${status}`
    throw holdfastError('internal', { problem: `${name} does not answer as its contract says: ${problem}` })
  }
}

/**
 * One row for the audit log. Whoever makes jobs or works on them does not wait for it. Work that goes well leaves its own traces, with every
 * attempt; a row for each claim and heartbeat would only bury the others.
 */
async function keep({ name, endpoint }: Route, request: FastifyRequest, reply: FastifyReply, around: Around) {
  const known = letIn.get(request)
  const scopes = [endpoint.scope].flat()
  if (reply.statusCode < 400 && scopes.every((scope) => scope === 'work')) return
  const call = {
    tenant: known?.tenant ?? '*',
    actor: known?.who.name ?? 'anonymous',
    keyId: known?.who.keyId ?? null,
    operation: name,
    method: request.method,
    path: (request.url.split('?', 1)[0] ?? '').slice(0, 500),
    status: reply.statusCode,
    code: request.refusedWith,
    reason: storable(reasonOf(request.body)),
    requestId: request.id,
    address: request.ip,
  }
  const many = scopes.every((scope) => scope === 'enqueue' || scope === 'work')
  if (many && known !== undefined) return around.calls.note(call)
  const kept = known === undefined ? around.strangers.add(call) : around.calls.add(call)
  if (!many) await kept
}

/** A reason that was refused is kept all the same, as far as it can be. */
function storable(reason: string | undefined): string | null {
  return reason === undefined ? null : reason.slice(0, 1000).replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}')
}

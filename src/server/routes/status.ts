/** The status page. A browser sends the key by HTTP basic authentication. */
import type { FastifyRequest } from 'fastify'
import { allows } from '../../contract/endpoint.js'
import { statusContract } from '../../contract/operate/status.js'
import { inSchema } from '../../database/schema.js'
import { HoldfastError } from '../../domain/errors/errors.js'
import { NAME_PATTERN } from '../../domain/limits.js'
import type { Store } from '../../store/store.js'
import { refuseOtherHosts } from '../access/browser-guard.js'
import { type Principal, tenantOf } from '../access/principal.js'
import { messageOf, problemOf } from '../http/problem.js'
import { type Call, routes } from '../http/route.js'
import { keyNeededPage, problemPage, type Status, statusPage } from '../pages/status.js'
import { STATUS_CSS } from '../pages/style.js'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const LATEST_FAILURES = 10

interface Visitor {
  readonly who: Principal
  readonly tenant: string
}

/** The password of the browser's dialogue is the key. With a key for all tenants, the user name selects a tenant. */
async function visitorOf({ server, request }: Pick<Call, 'server' | 'request'>): Promise<Visitor> {
  const { user, headers } = withKey(request)
  const who = await server.principals.of({ headers, raw: request.raw })
  if (who.open) refuseOtherHosts(request)
  const chosen = who.tenant === '*' && NAME_PATTERN.test(user) && user.length <= 100
  return { who, tenant: chosen ? user : tenantOf(who, request) }
}

function withKey({ headers }: FastifyRequest): { user: string; headers: FastifyRequest['headers'] } {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]{1,600}={0,2})$/i.exec(headers.authorization ?? '') ?? []
  if (encoded === undefined) return { user: '', headers }
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = credentials.indexOf(':')
  return {
    user: credentials.slice(0, Math.max(0, colon)),
    headers: { ...headers, authorization: `Bearer ${credentials.slice(colon + 1)}` },
  }
}

async function statusOf(store: Store, tenant: string): Promise<Omit<Status, 'stopping' | 'origin'>> {
  const [queues, counts, failed, blocked, workers, [clock]] = await Promise.all([
    store.queues.list({ tenant }),
    store.list.queueCounts(tenant),
    store.list.jobs({ tenant, state: 'failed', limit: LATEST_FAILURES }),
    store.list.blockedTargets({ tenant, limit: 50 }),
    store.workers.list({ tenant, limit: 50 }),
    store.database.query<{ now: Date }>(inSchema('select holdfast.now() as now', store.schema), [], {
      repeatable: true,
    }),
  ])
  return { tenant, now: clock?.now ?? new Date(), queues, counts, failures: failed.rows, blocked, workers }
}

type StatusCall = Call<(typeof statusContract)['status']>

async function answer(call: StatusCall) {
  const { store, server, request } = call
  const { who, tenant } = await visitorOf(call)
  if (!allows({ scope: 'read' }, who.scopes)) {
    const text = `The key "${who.name}" does not have the scope read.`
    return { status: 403, headers: HTML, body: keyNeededPage('This key has no read access', text) } as const
  }
  const origin = server.basePath.originOf(request)
  const status = { ...(await statusOf(store, tenant)), stopping: server.stopping.aborted, origin }
  return { status: 200, headers: HTML, body: statusPage(status) } as const
}

/** Errors are pages as well, because the caller is a browser. */
function answerError(error: unknown, { server, request }: StatusCall) {
  if (error instanceof HoldfastError && error.status === 401) {
    const headers = { ...HTML, 'www-authenticate': 'Basic realm="holdfast", charset="UTF-8"' }
    return { status: 401, headers, body: keyNeededPage('A key is needed', error.message) } as const
  }
  const problem = problemOf(error, request)
  const { code, status } = problem
  if (status >= 500)
    server.log?.error(
      { event: 'call_failed', request_id: request.id, code, error: messageOf(error) },
      'call failed',
    )
  return { status: status as 503, headers: HTML, body: problemPage(problem) } as const
}

export const statusRoutes = routes<typeof statusContract>(statusContract, {
  status: (call) => answer(call).catch((error: unknown) => answerError(error, call)),

  statusStyle: async () => ({
    status: 200,
    headers: { 'content-type': 'text/css; charset=utf-8' },
    body: STATUS_CSS,
  }),
})

import type { FastifyRequest } from 'fastify'
import { allows } from '../../contract/endpoint.js'
import { statusContract } from '../../contract/status.js'
import { HoldfastError } from '../../domain/errors.js'
import { NAME_PATTERN } from '../../domain/limits.js'
import type { Store } from '../../store/store.js'
import { refuseOtherHosts } from '../browser-guard.js'
import { doorPage, type Status, statusPage, troublePage } from '../pages/status.js'
import { STATUS_CSS } from '../pages/status-look.js'
import { type Principal, tenantOf } from '../principal.js'
import { messageOf, problemOf } from '../problem.js'
import { type Call, routes } from '../route.js'

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const LATEST = 10

interface Visitor {
  readonly who: Principal
  readonly tenant: string
}

/** A browser sends what was typed into its own dialogue: the key as the password; who has a key for every tenant names one as the user. */
async function visitorOf({ server, request }: Pick<Call, 'server' | 'request'>): Promise<Visitor> {
  const { user, headers } = withKey(request)
  const who = await server.principals.of({ headers } as FastifyRequest)
  if (who.open) refuseOtherHosts(request)
  const chosen = who.tenant === '*' && NAME_PATTERN.test(user) && user.length <= 100
  return { who, tenant: chosen ? user : tenantOf(who, request) }
}

function withKey({ headers }: FastifyRequest): { user: string; headers: FastifyRequest['headers'] } {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]{1,600}={0,2})$/i.exec(headers.authorization ?? '') ?? []
  if (encoded === undefined) return { user: '', headers }
  const said = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = said.indexOf(':')
  return {
    user: said.slice(0, Math.max(0, colon)),
    headers: { ...headers, authorization: `Bearer ${said.slice(colon + 1)}` },
  }
}

async function statusOf(store: Store, tenant: string): Promise<Omit<Status, 'stopping' | 'origin'>> {
  const [queues, counts, failed, blocked, workers, [clock]] = await Promise.all([
    store.queues.list({ tenant }),
    store.list.queueCounts(tenant),
    store.list.jobs({ tenant, state: 'failed', limit: LATEST }),
    store.list.blockedTargets({ tenant, limit: 50 }),
    store.workers.list({ tenant, limit: 50 }),
    store.database.query<{ now: Date }>('select holdfast.now() as now', [], { repeatable: true }),
  ])
  return { tenant, now: clock?.now ?? new Date(), queues, counts, failures: failed.rows, blocked, workers }
}

type StatusCall = Call<(typeof statusContract)['status']>

async function shown(call: StatusCall) {
  const { store, server, request } = call
  const { who, tenant } = await visitorOf(call)
  if (!allows({ scope: 'read' }, who.scopes)) {
    const text = `The key "${who.name}" has other scopes.`
    return { status: 403, headers: HTML, body: doorPage('This key may not look', text) } as const
  }
  const origin = `${request.protocol}://${request.host}`
  const status = { ...(await statusOf(store, tenant)), stopping: server.stopping.aborted, origin }
  return { status: 200, headers: HTML, body: statusPage(status) } as const
}

/** Whoever asks here is a person with a browser, so a refusal is a page, too. */
function refused(error: unknown, { server, request }: StatusCall) {
  if (error instanceof HoldfastError && error.status === 401) {
    const headers = { ...HTML, 'www-authenticate': 'Basic realm="holdfast", charset="UTF-8"' }
    return { status: 401, headers, body: doorPage('A key is needed', error.message) } as const
  }
  const problem = problemOf(error, request)
  const { code, status } = problem
  if (status >= 500)
    server.log?.error({ request_id: request.id, code, error: messageOf(error) }, 'a call failed')
  return { status: status as 503, headers: HTML, body: troublePage(problem) } as const
}

export const statusRoutes = routes<typeof statusContract>(statusContract, {
  status: (call) => shown(call).catch((error: unknown) => refused(error, call)),

  statusStyle: async () => ({
    status: 200,
    headers: { 'content-type': 'text/css; charset=utf-8' },
    body: STATUS_CSS,
  }),
})

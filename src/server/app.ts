/**
 * The server: a Fastify app on a store, which does not listen yet. What happens to a call, in this order:
 *
 *   headers   safe answers for browsers, an id for the request
 *   guard     another site's page, another host's name (browser-guard.ts)
 *   who       the key, its scopes, its tenant, its rate (principal.ts)
 *   body      size, type, UTF-8, JSON; large ones piece by piece (body/)
 *   contract  every part against the schema of the route (check-request.ts)
 *   handler   schema → verb → view (routes/)
 *   audit     one row for each call that could have changed something, also where any of the above refused it (call-log.ts)
 *
 * Every refusal, wherever it comes from, is problem+json (problem.ts).
 */
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Chores } from '../domain/chores.js'
import { PACKAGE_VERSION } from '../store/package.js'
import type { Store } from '../store/store.js'
import { logOf } from '../telemetry/default-log.js'
import { ServerMetrics } from '../telemetry/server-metrics.js'
import { openTraces } from '../telemetry/traces.js'
import type { WebhookOptions } from '../webhooks/addresses.js'
import { WebhookDesk } from '../webhooks/desk.js'
import { readBodies } from './body/read-bodies.js'
import { CallLog } from './call-log.js'
import { choresHeardOf } from './chores-heard-of.js'
import { answerClientErrors } from './client-errors.js'
import { databaseFacts } from './database-facts.js'
import { Intake } from './intake.js'
import { HTTP_LIMITS, type HttpLimits } from './limits.js'
import { refuseUnknown } from './not-found.js'
import { closeSocketsWithServer } from './open-sockets.js'
import { Principals } from './principal.js'
import { messageOf, PROBLEM_JSON, problemOf, retryAfter } from './problem.js'
import { Buckets, rateHeadersOf } from './rate-limit.js'
import { redactor } from './redact.js'
import { register } from './register.js'
import type { Route, ServerFacts, ServerLog } from './route.js'
import { ROUTES } from './routes/index.js'
import { Seal } from './seal.js'
import { Strangers } from './strangers.js'
import { Waits } from './waits.js'

export interface ServerOptions {
  /** The server will be bound to loopback, so it may be used without a key as long as none was ever made. */
  readonly loopback?: boolean
  /** A key for everything, from the environment; it is in no table. */
  readonly adminKey?: string
  readonly limits?: Partial<HttpLimits>
  /**
   * Where failures are told, and at debug each call: a pino logger, or anything that takes (fields, message). Without one, failures go to
   * stderr; `false` turns that off.
   */
  readonly log?: ServerLog | false
  /** Places in payloads that are not shown: JSON pointers with * for every element or field, like /cards/*\/number. */
  readonly redact?: readonly string[]
  /** Where webhooks may lead beside public addresses. */
  readonly webhooks?: WebhookOptions
  /** What keeps a setting of the database from having any effect: a flag or a variable; changing it is refused then. */
  readonly settingOrigin?: (name: string) => string | undefined
  /** The upkeep that can be looked at and asked for; without it, what others do is shown. */
  readonly chores?: Chores
  /** Check what we answer against the contract, too. For tests: it costs, and a mistake becomes an error. */
  readonly checkAnswers?: boolean
  /** Milliseconds that pass, for limits a second. Tests hold it still. */
  readonly now?: () => number
  /** Where it counts and measures; one of its own if not given. */
  readonly metrics?: ServerMetrics
  /** Routes beside those of the server itself. */
  readonly routes?: readonly Route[]
}

export function buildServer(store: Store, options: ServerOptions = {}): FastifyInstance {
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const log: ServerLog | undefined = logOf(options.log)
  const app = emptyApp(limits)
  const stopping = new AbortController()
  const routes = [...ROUTES, ...(options.routes ?? [])]
  const server = factsFor(store, options, { limits, log, routes, stopping: stopping.signal })
  const calls = new CallLog(store, (count, error) =>
    log?.error({ count, error: messageOf(error) }, 'calls could not be kept in the audit log'),
  )
  const strangers = new Strangers(calls, limits.strangerRowsPerMinute, options.now)
  readBodies(app, limits)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS).header('x-request-id', request.id)
    done()
  })
  answerRefusals(app, log)
  register(app, routes, {
    server,
    calls,
    strangers,
    limits,
    rates: new Buckets(options.now),
    checkAnswers: options.checkAnswers ?? false,
  })
  refuseUnknown(app, routes)
  logCalls(app, options.log || undefined)
  countCalls(app, server.metrics, store)
  app.addHook('preClose', async () => stopping.abort())
  // Said with the answer, or the caller would send its next call on a connection that is about to go.
  app.addHook('onSend', async (_request, reply) => {
    if (stopping.signal.aborted) reply.header('connection', 'close')
  })
  closeSocketsWithServer(app)
  app.addHook('onClose', async () => {
    strangers.tell()
    await calls.flush()
  })
  return app
}

/** What is the same for all calls. */
function factsFor(
  store: Store,
  options: ServerOptions,
  { limits, log, routes, stopping }: Pick<ServerFacts, 'limits' | 'log' | 'routes' | 'stopping'>,
): ServerFacts {
  const principals = new Principals(store, limits, {
    mayBeOpen: options.loopback ?? false,
    adminKey: options.adminKey,
  })
  const unheard = (fields: object) => log?.error(fields, 'metrics could not be had')
  return {
    store,
    seal: new Seal(store),
    waits: new Waits(limits.waitsPerTenantMax),
    limits,
    principals,
    intake: new Intake(store, limits, options.now),
    chores: options.chores ?? choresHeardOf(store),
    redact: redactor(options.redact ?? []),
    webhooks: new WebhookDesk(store, options.webhooks),
    metrics: options.metrics ?? new ServerMetrics({ version: PACKAGE_VERSION }),
    facts: databaseFacts(store, (what, error) => unheard({ what, error: messageOf(error) })),
    traces: openTraces(PACKAGE_VERSION),
    settingOrigin: options.settingOrigin ?? (() => undefined),
    log,
    stopping,
    routes,
  }
}

function answerRefusals(app: FastifyInstance, log: ServerLog | undefined): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, request)
    if (problem.status >= 500)
      log?.error({ request_id: request.id, code: problem.code, error: messageOf(error) }, 'a call failed')
    const seconds = retryAfter(error)
    if (seconds !== undefined) reply.header('retry-after', String(seconds))
    reply.headers(rateHeadersOf(error, seconds))
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="holdfast"')
    request.refusedWith = problem.code
    // Some of the body may still be on its way, and nobody will read it.
    if (problem.status === 413 || problem.status === 408) reply.header('connection', 'close')
    return reply.code(problem.status).type(PROBLEM_JSON).send(JSON.stringify(problem))
  })
}

/** Never what was sent or answered. */
function logCalls(app: FastifyInstance, log: ServerLog | undefined): void {
  if (log === undefined) return
  app.addHook('onResponse', (request, reply, done) => {
    const { operation = null } = request.routeOptions.config as { operation?: string }
    const facts = {
      request_id: request.id,
      operation,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
    }
    log.debug(facts, 'a call was answered')
    done()
  })
}

function countCalls(app: FastifyInstance, metrics: ServerMetrics, store: Store): void {
  const unwatch = store.observe(metrics)
  app.addHook('onClose', async () => unwatch())
  app.addHook('onResponse', async ({ method, headers, routeOptions }, reply) => {
    const route = routeOptions.url?.replace(/:(\w+)/g, '{$1}')
    metrics.answered({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1000 })
    const bytes = Number(headers['content-length'] ?? 0)
    if (bytes > 0) metrics.uploaded(headers['content-type'], bytes)
  })
}

function emptyApp(limits: HttpLimits): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.stillMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    http: {
      headersTimeout: limits.headersMs,
      // Node refuses from this number on.
      maxHeaderSize: limits.headerBytesMax + 1,
      connectionsCheckingInterval: limits.checkMs,
    },
    clientErrorHandler: answerClientErrors,
    frameworkErrors: (error, request, reply) => {
      const problem = problemOf(error, { id: request.id })
      const plain = reply as unknown as FastifyReply
      return plain.code(problem.status).type(PROBLEM_JSON).send(JSON.stringify(problem))
    },
  })
  app.decorateRequest('refusedWith', null)
  app.server.maxConnections = limits.connectionsMax
  return app as unknown as FastifyInstance
}

/** Answers are about the moment and for the caller alone; a page of ours needs nothing but its own style. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem that was answered. */
    refusedWith: string | null
  }
}

/**
 * The server: a Fastify app on a store, not listening yet. Steps of a call, in this order:
 *
 *   headers   safe headers for browsers, an id for the request
 *   guard     refuses requests from pages of other sites, and for other hosts (browser-guard.ts)
 *   caller    the key, its scopes, its tenant, its rate limit (principal.ts)
 *   body      size, type, UTF-8, JSON; large bodies piece by piece (http/body)
 *   contract  each part of the request against the schema of the route (check-request.ts)
 *   handler   schema → verb → view (routes/, src/presets)
 *   audit     one row per call that may change something, also if a step above refused it (call-log.ts)
 *
 * Every error response is problem+json (problem.ts).
 */

import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { Log } from '../domain/log.js'
import { presetRoutes } from '../presets/routes.js'
import type { Store } from '../store/store.js'
import { logOf } from '../telemetry/default-log.js'
import type { ServerMetrics } from '../telemetry/server-metrics.js'
import { CallLog } from './access/call-log.js'
import type { HostedCaller } from './access/principal.js'
import { Buckets, rateHeadersOf } from './access/rate-limit.js'
import { UnauthenticatedCallLog } from './access/unauthenticated-calls.js'
import { type ContextOptions, createContext } from './context.js'
import { basePathOf, withoutBase } from './http/base-path.js'
import { readBodies } from './http/body/read-bodies.js'
import { HTTP_LIMITS, type HttpLimits } from './http/limits.js'
import { refuseUnknown } from './http/not-found.js'
import { messageOf, PROBLEM_JSON, problemOf, retryAfter } from './http/problem.js'
import { register } from './http/register.js'
import type { Route } from './http/route.js'
import {
  answerClientErrors,
  closeSocketsWithServer,
  dropRequestsAfterEnd,
  lingerAfterResponse,
} from './http/sockets.js'
import { ROUTES } from './routes/index.js'

export interface ServerOptions extends ContextOptions {
  readonly limits?: Partial<HttpLimits>
  /**
   * Logger for failures and, at level debug, for each call: pino, or any object whose methods take (fields, message). Default: failures
   * go to stderr; `false` turns that off.
   */
  readonly log?: Log | false
  /** Validate responses against the contract. For tests: it costs time, and a wrong response becomes an error. */
  readonly checkAnswers?: boolean
  /** More routes, mounted after those of the server and of the presets. */
  readonly routes?: readonly Route[]
}

/** The routes of every server: its own and those of the presets. */
export function defaultRoutes(): readonly Route[] {
  return [...ROUTES, ...presetRoutes()]
}

export function buildServer(store: Store, options: ServerOptions = {}): FastifyInstance {
  return build(store, options, undefined)
}

/** For a program that mounts the server and decides itself who the callers are. */
export function buildHostedServer(
  store: Store,
  options: ServerOptions,
  hosted: HostedCaller,
): FastifyInstance {
  return build(store, options, hosted)
}

function build(store: Store, options: ServerOptions, hosted: HostedCaller | undefined): FastifyInstance {
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const log: Log | undefined = logOf(options.log)
  const app = emptyApp(limits, options)
  const stopping = new AbortController()
  const routes = [...defaultRoutes(), ...(options.routes ?? [])]
  const server = createContext(store, options, { limits, log, routes, stopping: stopping.signal, hosted })
  const calls = new CallLog(store, (count, error) =>
    log?.error(
      { event: 'audit_rows_lost', count, error: messageOf(error) },
      'audit rows were lost; the calls themselves took effect',
    ),
  )
  const unauthenticated = new UnauthenticatedCallLog(calls, limits.unauthenticatedRowsPerMinute, options.now)
  readBodies(app, limits)
  dropRequestsAfterEnd(app)
  sendSafeHeaders(app)
  answerErrors(app, log, limits.lingerMs)
  register(app, routes, {
    server,
    calls,
    unauthenticated,
    limits,
    rates: new Buckets(options.now),
    checkAnswers: options.checkAnswers ?? false,
  })
  refuseUnknown(app, routes)
  logCalls(app, options.log || undefined)
  countCalls(app, server.metrics, store)
  app.addHook('preClose', async () => stopping.abort())
  // Without this header the caller would send its next call on a connection that is about to close.
  app.addHook('onSend', async (_request, reply) => {
    if (stopping.signal.aborted) reply.header('connection', 'close')
  })
  closeSocketsWithServer(app)
  app.addHook('onClose', async () => {
    unauthenticated.writeSummary()
    await calls.flush()
  })
  return app
}

function sendSafeHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS).header('x-request-id', request.id)
    done()
  })
}

function answerErrors(app: FastifyInstance, log: Log | undefined, lingerMs: number): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, request)
    if (problem.status >= 500)
      log?.error(
        { event: 'call_failed', request_id: request.id, code: problem.code, error: messageOf(error) },
        'call failed',
      )
    const seconds = retryAfter(error)
    if (seconds !== undefined) reply.header('retry-after', String(seconds))
    reply.headers(rateHeadersOf(error, seconds))
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="holdfast"')
    request.refusedWith = problem.code
    // The rest of the body is not read, so the connection cannot be used again.
    if (problem.status === 413 || problem.status === 408) {
      reply.header('connection', 'close')
      lingerAfterResponse(request.raw, lingerMs)
    }
    return reply.code(problem.status).type(PROBLEM_JSON).send(JSON.stringify(problem))
  })
}

/** Bodies are never logged. */
function logCalls(app: FastifyInstance, log: Log | undefined): void {
  if (log === undefined) return
  app.addHook('onResponse', (request, reply, done) => {
    const { operation = null } = request.routeOptions.config as { operation?: string }
    const fields = {
      event: 'call_answered',
      request_id: request.id,
      operation,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
    }
    log.debug(fields, 'call answered')
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

function emptyApp(limits: HttpLimits, options: ServerOptions): FastifyInstance {
  const base = basePathOf(options.basePath)
  const app = Fastify({
    trustProxy: options.trustProxy ?? false,
    rewriteUrl: ({ url = '/' }) => withoutBase(url, base),
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.socketIdleMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    http: {
      headersTimeout: limits.headersMs,
      // Node refuses headers of this size, not only larger ones.
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
  app.decorateRequest('admitted', null)
  app.decorateRequest('isLarge', false)
  app.server.maxConnections = limits.connectionsMax
  return app as unknown as FastifyInstance
}

/** Responses are not cached, and pages load nothing but their own style sheet. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem in the response. */
    refusedWith: string | null
  }
}

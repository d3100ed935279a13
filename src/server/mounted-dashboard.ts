/**
 * The dashboard inside of another program: one handler from `Request` to `Response`, mounted behind the login of that program. It is the
 * whole server, API included, reached over a connection in memory: so limits, streams and disconnects work as over a socket.
 *
 * The host program decides who comes in; keys and sessions of callers are ignored. The caller travels beside the connection and not in a
 * header, so that no request can forge it. A browser sends the cookies of the host by itself, so calls that change something must carry the
 * header `x-csrf-token`, which a page of another site cannot send.
 */
import { type IncomingMessage, request as openRequest } from 'node:http'
import { duplexPair, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance } from 'fastify'
import { SCOPES, type Scope } from '../contract/endpoint.js'
import type { Chores } from '../domain/chores.js'
import { invalidInput } from '../domain/errors/errors.js'
import { NAME_PATTERN } from '../domain/limits.js'
import type { Log } from '../domain/log.js'
import { refuseUnknown } from '../domain/nearest.js'
import type { Store } from '../store/store.js'
import type { Principal } from './access/principal.js'
import { buildHostedServer } from './app.js'
import { basePathOf } from './http/base-path.js'

export interface DashboardOptions {
  /** The path at which the host program mounts it, like `/ops/jobs`. Default: `/`. */
  readonly basePath?: string
  /** Refuse every call that changes something. */
  readonly readOnly?: boolean
  /** Show one tenant. Default: all of them. */
  readonly tenant?: string
  /** What the callers may do. Default: everything. */
  readonly scopes?: readonly Scope[]
  /** Who makes this request, for the history and the audit log: the name of the user whom the host has signed in. */
  readonly actor?: (request: Request) => string | Promise<string>
  /** Values to redact from payloads: JSON pointers with * for every element or field. */
  readonly redact?: readonly string[]
  /** Default: failures go to stderr; `false` turns that off. */
  readonly log?: Log | false
}

/** The parts of an app that the dashboard needs. */
export interface DashboardHost {
  readonly store: Store
  readonly upkeep?: Chores
}

export interface DashboardHandler {
  (request: Request): Promise<Response>
  /** Ends open streams. The app itself stays open. */
  close(): Promise<void>
}

const OPTIONS = ['basePath', 'readOnly', 'tenant', 'scopes', 'actor', 'redact', 'log']
const ACTOR_CHARS_MAX = 100

/** Any value will do: a page of another site cannot set the header. */
const CSRF_TOKEN = 'same-site'

export function dashboard(host: DashboardHost, options: DashboardOptions = {}): DashboardHandler {
  refuseUnknown(options, OPTIONS)
  const { tenant = '*', scopes = SCOPES, actor } = options
  if (tenant !== '*' && !NAME_PATTERN.test(tenant))
    throw invalidInput('/tenant', 'must be the name of a tenant')
  basePathOf(options.basePath)
  const callers = new WeakMap<object, Principal>()
  let building: Promise<FastifyInstance> | undefined
  const handle = async (request: Request): Promise<Response> => {
    const name = ((await actor?.(request)) ?? '').replace(/\p{C}/gu, '').slice(0, ACTOR_CHARS_MAX)
    building ??= build(host, options, callers)
    const app = await building
    const [near, far] = duplexPair()
    callers.set(far, {
      name: name === '' ? 'dashboard' : name,
      keyId: null,
      tenant,
      scopes,
      rateLimit: null,
      expiresAt: null,
      open: false,
      csrfToken: CSRF_TOKEN,
      isHosted: true,
    })
    app.server.emit('connection', far)
    return exchange(request, near)
  }
  return Object.assign(handle, {
    close: async () => {
      await (await building)?.close()
    },
  })
}

async function build(
  { store, upkeep }: DashboardHost,
  { basePath, readOnly, redact, log }: DashboardOptions,
  callers: WeakMap<object, Principal>,
): Promise<FastifyInstance> {
  const app = buildHostedServer(
    store,
    {
      // `exchange` removes what the caller has sent of these headers and sets them.
      trustProxy: true,
      ...(basePath === undefined ? {} : { basePath }),
      ...(readOnly === undefined ? {} : { readOnly }),
      ...(redact === undefined ? {} : { redact }),
      ...(log === undefined ? {} : { log }),
      ...(upkeep === undefined ? {} : { chores: upkeep }),
    },
    ({ raw }) => callers.get(raw.socket),
  )
  await app.ready()
  return app
}

/** Of one connection, or about who the caller is, which the host decides. */
const NOT_PASSED =
  /^(connection|keep-alive|te|transfer-encoding|upgrade|expect|authorization|cookie|forwarded|x-forwarded-.*)$/

/** Sends the request over the connection. */
function exchange(request: Request, connection: ReturnType<typeof duplexPair>[0]): Promise<Response> {
  const { pathname, search, protocol, host } = new URL(request.url)
  const passed = [...request.headers].filter(([name]) => !NOT_PASSED.test(name))
  return new Promise((resolve, reject) => {
    const sent = openRequest({
      createConnection: () => connection as never,
      method: request.method,
      path: pathname + search,
      headers: { host, ...Object.fromEntries(passed), 'x-forwarded-proto': protocol.slice(0, -1) },
    })
    sent.once('response', (answer) => resolve(responseOf(answer)))
    sent.once('error', reject)
    const abort = () => sent.destroy(new Error('the caller has disconnected'))
    request.signal.addEventListener('abort', abort, { once: true })
    sent.once('close', () => request.signal.removeEventListener('abort', abort))
    if (request.body === null) sent.end()
    else pipeline(Readable.fromWeb(request.body as never), sent).catch(() => sent.destroy())
  })
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 502, headersDistinct } = answer
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    if (!/^(connection|keep-alive|transfer-encoding)$/.test(name))
      for (const value of values) headers.append(name, value)
  const isEmpty = status === 204 || status === 304
  if (isEmpty) answer.resume()
  return new Response(isEmpty ? null : (Readable.toWeb(answer) as never), { status, headers })
}

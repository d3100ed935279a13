/** The call that a handler gets. `signal`, `act` and `webhooks` are created on first use, because few handlers need them. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../contract/endpoint.js'
import type { Attribution } from '../../store/job-commands.js'
import type { Store } from '../../store/store.js'
import type { Webhooks } from '../../webhooks/webhooks.js'
import { checkScope, type Principal } from '../access/principal.js'
import type { ServerContext } from '../context.js'
import type { Parts } from './check-request.js'
import type { Call } from './route.js'

interface CallParts extends Pick<Call, 'store' | 'who' | 'tenant' | 'server' | 'request' | 'reply'> {
  readonly endpoint: Endpoint
}

/** `checkRequest` has validated them against the types of the route. */
type ValidParts = Pick<Call, 'params' | 'query' | 'headers' | 'body'>

export class OneCall implements Call {
  readonly store: Store
  readonly who: Principal
  readonly tenant: string
  readonly params: ValidParts['params']
  readonly query: ValidParts['query']
  readonly headers: ValidParts['headers']
  readonly body: ValidParts['body']
  readonly server: ServerContext
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly #endpoint: Endpoint
  readonly #startedAt = performance.now()
  #signal: AbortSignal | undefined

  constructor(parts: Parts, { store, who, tenant, server, request, reply, endpoint }: CallParts) {
    const { params, query, headers, body } = parts as ValidParts
    this.store = store
    this.who = who
    this.tenant = tenant
    this.params = params
    this.query = query
    this.headers = headers
    this.body = body
    this.server = server
    this.request = request
    this.reply = reply
    this.#endpoint = endpoint
  }

  get everywhere(): boolean {
    return this.who.tenant === '*' && this.request.headers['holdfast-tenant'] === undefined
  }

  get act(): Attribution {
    const reason = reasonOf(this.body)
    return { actor: this.who.name, ...(reason === undefined ? {} : { reason }) }
  }

  get webhooks(): Webhooks {
    return this.server.webhooks.on(this.store)
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.server.stopping, disconnectSignal(this.reply)])
    return this.#signal
  }

  async stillAllowed(): Promise<void> {
    const { principals, limits } = this.server
    if (performance.now() - this.#startedAt < limits.keyCacheMs) return
    checkScope(this.#endpoint, await principals.again(this.request))
  }
}

function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController()
  reply.raw.once('close', () => disconnected.abort())
  return disconnected.signal
}

/** The `reason` of the body, if it has one. */
export function reasonOf(body: unknown): string | undefined {
  const { reason } = (body ?? {}) as { reason?: unknown }
  return typeof reason === 'string' ? reason : undefined
}

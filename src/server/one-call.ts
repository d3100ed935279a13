/** A call as its handler gets it. What few handlers ask for is made when it is asked for: a signal, who and why. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../contract/endpoint.js'
import type { Act } from '../store/operate.js'
import type { Store } from '../store/store.js'
import type { WebhookDesk } from '../webhooks/desk.js'
import type { Parts } from './check-request.js'
import { checkScope, type Principal } from './principal.js'
import type { Call, ServerFacts } from './route.js'

interface Around extends Pick<Call, 'store' | 'who' | 'tenant' | 'server' | 'request' | 'reply'> {
  readonly endpoint: Endpoint
}

/** Whoever checked the parts knows that they are of the route's types. */
type Checked = Pick<Call, 'params' | 'query' | 'headers' | 'body'>

export class OneCall implements Call {
  readonly store: Store
  readonly who: Principal
  readonly tenant: string
  readonly params: Checked['params']
  readonly query: Checked['query']
  readonly headers: Checked['headers']
  readonly body: Checked['body']
  readonly server: ServerFacts
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly #endpoint: Endpoint
  readonly #began = performance.now()
  #signal: AbortSignal | undefined

  constructor(parts: Parts, { store, who, tenant, server, request, reply, endpoint }: Around) {
    const { params, query, headers, body } = parts as Checked
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

  get act(): Act {
    const reason = reasonOf(this.body)
    return { actor: this.who.name, ...(reason === undefined ? {} : { reason }) }
  }

  get webhooks(): WebhookDesk {
    return this.server.webhooks.on(this.store)
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.server.stopping, goneSignal(this.reply)])
    return this.#signal
  }

  async stillAllowed(): Promise<void> {
    const { principals, limits } = this.server
    if (performance.now() - this.#began < limits.keyTrustMs) return
    checkScope(this.#endpoint, await principals.again(this.request))
  }
}

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

/** Why, where the body says so. */
export function reasonOf(body: unknown): string | undefined {
  const { reason } = (body ?? {}) as { reason?: unknown }
  return typeof reason === 'string' ? reason : undefined
}

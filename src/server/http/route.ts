/**
 * A route: an endpoint of the contract and its handler (schema → verb → view). `routes` checks the types of both: a handler gets the
 * parsed parts of the request, and can return only a response of the contract.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type {
  AnswerOf,
  BodyOf,
  Contract,
  Endpoint,
  HeadersOf,
  ParamsOf,
  QueryOf,
} from '../../contract/endpoint.js'
import type { Attribution } from '../../store/job-commands.js'
import type { Store } from '../../store/store.js'
import type { Webhooks } from '../../webhooks/webhooks.js'
import type { Principal } from '../access/principal.js'
import type { ServerContext } from '../context.js'

/** One authenticated and validated call of a route. */
export interface Call<E extends Endpoint = Endpoint> {
  /** Restricted to the tenant of the call: if roles are installed, the database hides all other tenants from it. */
  readonly store: Store
  /** Uses this store. */
  readonly webhooks: Webhooks
  readonly who: Principal
  /** The tenant of the key, or the one that a key for all tenants has chosen; never from the body. */
  readonly tenant: string
  /** The key is for all tenants and has chosen none: lists show all of them. */
  readonly everywhere: boolean
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly headers: HeadersOf<E>
  readonly body: BodyOf<E>
  /** Actor and reason for the history: the name of the key, and the `reason` of the body if it has one. */
  readonly act: Attribution
  /** Aborts when the caller has disconnected or the server begins to stop; a long poll then ends. */
  readonly signal: AbortSignal
  /** For long polls: checks the key again if the call took longer than `keyCacheMs`, and throws if it is no longer valid. */
  stillAllowed(): Promise<void>
  readonly server: ServerContext
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export type Handlers<C extends Contract> = {
  readonly [Name in keyof C]: (call: Call<C[Name]>) => Promise<AnswerOf<C[Name]>>
}

export interface Route {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handle: (call: Call) => Promise<RouteAnswer>
}

interface RouteAnswer {
  readonly status: PropertyKey
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Give the type of the contract, `routes<typeof jobsContract>(jobsContract, …)`: it cannot be inferred together with the responses. */
export function routes<C extends Contract>(contract: C, handlers: Handlers<C>): Route[] {
  return Object.entries(contract).map(([name, endpoint]) => ({
    name,
    endpoint,
    handle: handlers[name as keyof C] as unknown as Route['handle'],
  }))
}

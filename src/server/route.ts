/**
 * A route is a part of the contract with the code that answers it: schema → verb → view. `routes` ties the two together, so that a
 * handler gets what its schema let through and can answer only what its contract says.
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
} from '../contract/endpoint.js'
import type { Chores } from '../domain/chores.js'
import type { Act } from '../store/operate.js'
import type { Store } from '../store/store.js'
import type { DatabaseFacts } from '../telemetry/database-facts.js'
import type { ServerMetrics } from '../telemetry/server-metrics.js'
import type { Traces } from '../telemetry/traces.js'
import type { WebhookDesk } from '../webhooks/desk.js'
import type { Intake } from './intake.js'
import type { HttpLimits } from './limits.js'
import type { Principal, Principals } from './principal.js'
import type { Redact } from './redact.js'
import type { Seal } from './seal.js'
import type { Waits } from './waits.js'

/** One call of a route, let in and checked. */
export interface Call<E extends Endpoint = Endpoint> {
  /** Acts for the tenant of the call: where roles are installed, the database shows it nothing of others. */
  readonly store: Store
  /** Likewise. */
  readonly webhooks: WebhookDesk
  readonly who: Principal
  /** Whose jobs this is about; from the key, never from the request's body. */
  readonly tenant: string
  /** A key of every tenant that has not chosen one: lists show everything. */
  readonly everywhere: boolean
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly headers: HeadersOf<E>
  readonly body: BodyOf<E>
  /** Who and why, for verbs that keep it: the key's name, and the reason of the body if it has one. */
  readonly act: Act
  /** Aborts when the caller has gone or the server is about to stop: whoever waits for something ends the wait. */
  readonly signal: AbortSignal
  /** For calls that wait: looks at the key again, if the call took longer than a key is trusted, and refuses one that is no longer good. */
  stillAllowed(): Promise<void>
  readonly server: ServerFacts
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** What is the same for all calls. */
export interface ServerFacts {
  /** For what concerns all tenants; the store of a call is the one to use for its own. */
  readonly store: Store
  readonly seal: Seal
  readonly waits: Waits
  readonly limits: HttpLimits
  readonly principals: Principals
  /** The limits of tenants where jobs come in. */
  readonly intake: Intake
  /** What upkeep does, and how it goes. */
  readonly chores: Chores
  /** Takes out of a payload what is not for whoever looks. */
  readonly redact: Redact
  /** Who is told of alerts; checks where calls may go. */
  readonly webhooks: WebhookDesk
  /** What this server counts; `metrics.measure` is for calls of other services. */
  readonly metrics: ServerMetrics
  /** What the database knows of itself, as it was a few seconds ago at most. */
  facts(): Promise<DatabaseFacts>
  readonly traces: Traces | undefined
  /** What keeps a setting of the database from having any effect here: a flag or a variable. */
  settingOrigin(name: string): string | undefined
  /** Where failures are told that no caller hears of. */
  readonly log?: ServerLog | undefined
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal
  readonly routes: readonly Route[]
}

export interface ServerLog {
  debug(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type Handlers<C extends Contract> = {
  readonly [Name in keyof C]: (call: Call<C[Name]>) => Promise<AnswerOf<C[Name]>>
}

export interface Route {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handle: (call: Call) => Promise<Answer>
}

interface Answer {
  readonly status: PropertyKey
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Say the type of the contract, `routes<typeof jobsContract>(jobsContract, …)`: it cannot be inferred together with the handlers' answers. */
export function routes<C extends Contract>(contract: C, handlers: Handlers<C>): Route[] {
  return Object.entries(contract).map(([name, endpoint]) => ({
    name,
    endpoint,
    handle: handlers[name as keyof C] as unknown as Route['handle'],
  }))
}

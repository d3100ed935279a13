/**
 * The contract as types: paths, parameters, bodies and responses. Types only, so that a bundle for the browser has no schemas.
 */
import type { z } from 'zod'
import type { auditContract } from '../contract/access/audit.js'
import type { keysContract } from '../contract/access/keys.js'
import type { tenantsContract } from '../contract/access/tenants.js'
import type { Endpoint } from '../contract/endpoint.js'
import type { commandsContract } from '../contract/jobs/commands.js'
import type { endsContract } from '../contract/jobs/ends.js'
import type { eventsContract } from '../contract/jobs/events.js'
import type { itemsContract } from '../contract/jobs/items.js'
import type { jobsContract } from '../contract/jobs/jobs.js'
import type { searchContract } from '../contract/jobs/search.js'
import type { alertsContract } from '../contract/operate/alerts.js'
import type { bulkContract } from '../contract/operate/bulk.js'
import type { errorsContract } from '../contract/operate/errors.js'
import type { overviewContract } from '../contract/operate/overview.js'
import type { settingsContract } from '../contract/operate/settings.js'
import type { statsContract } from '../contract/operate/stats.js'
import type { upkeepContract } from '../contract/operate/upkeep.js'
import type { webhooksContract } from '../contract/operate/webhooks.js'
import type { queuesContract } from '../contract/queues.js'
import type { schedulesContract } from '../contract/schedules.js'
import type { subjectsContract } from '../contract/subjects.js'
import type { workContract } from '../contract/work/work.js'
import type { workersContract } from '../contract/work/workers.js'

type Contracts = typeof jobsContract &
  typeof commandsContract &
  typeof bulkContract &
  typeof endsContract &
  typeof itemsContract &
  typeof searchContract &
  typeof queuesContract &
  typeof schedulesContract &
  typeof workersContract &
  typeof settingsContract &
  typeof eventsContract &
  typeof statsContract &
  typeof overviewContract &
  typeof errorsContract &
  typeof subjectsContract &
  typeof upkeepContract &
  typeof workContract &
  typeof keysContract &
  typeof tenantsContract &
  typeof auditContract &
  typeof alertsContract &
  typeof webhooksContract

type AnyEndpoint = Contracts[keyof Contracts]

export type Method = AnyEndpoint['method']
export type PathOf<M extends Method> = Extract<AnyEndpoint, { method: M }>['path']
export type EndpointAt<M extends Method, P extends string> = Extract<AnyEndpoint, { method: M; path: P }>

type RequestPart<E, Name extends string> = E extends { readonly [key in Name]: infer S extends z.ZodType }
  ? z.input<S>
  : undefined

export type BodyAt<E> = RequestPart<E, 'body'>
export type QueryAt<E> = RequestPart<E, 'query'>

/** The body of a successful response. */
export type AnswerAt<E> = E extends Endpoint
  ? {
      [S in keyof E['response']]: E['response'][S] extends z.ZodType ? z.output<E['response'][S]> : undefined
    }[keyof E['response']]
  : never

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

/** Names of fields that are times; `isTime` of calls.ts is the same at run time. */
type TimeName = `${string}_at` | `${string}_until` | `${string}_slot` | 'at' | 'since' | 'until' | 'slot'

/** Names of the library: camelCase, and times as Dates. One level deep, because the values below are data of the user. */
export type ReceivedBody<Row> = {
  readonly [Name in keyof Row as Name extends string ? Camel<Name> : never]: Name extends TimeName
    ? Exclude<Row[Name], string> | Date
    : Row[Name]
}

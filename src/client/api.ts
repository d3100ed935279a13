/**
 * The contract as types: which addresses there are, what each takes and answers. Nothing of it is there at run time, so a bundle for
 * the browser has no schemas in it.
 */
import type { z } from 'zod'
import type { alertsContract } from '../contract/alerts.js'
import type { auditContract } from '../contract/audit.js'
import type { commandsContract } from '../contract/commands.js'
import type { Endpoint } from '../contract/endpoint.js'
import type { endsContract } from '../contract/ends.js'
import type { eventsContract } from '../contract/events.js'
import type { itemsContract } from '../contract/items.js'
import type { jobsContract } from '../contract/jobs.js'
import type { keysContract } from '../contract/keys.js'
import type { queuesContract } from '../contract/queues.js'
import type { schedulesContract } from '../contract/schedules.js'
import type { settingsContract } from '../contract/settings.js'
import type { statsContract } from '../contract/stats.js'
import type { subjectsContract } from '../contract/subjects.js'
import type { tenantsContract } from '../contract/tenants.js'
import type { upkeepContract } from '../contract/upkeep.js'
import type { webhooksContract } from '../contract/webhooks.js'
import type { workContract } from '../contract/work.js'
import type { workersContract } from '../contract/workers.js'

type Contracts = typeof jobsContract &
  typeof commandsContract &
  typeof endsContract &
  typeof itemsContract &
  typeof queuesContract &
  typeof schedulesContract &
  typeof workersContract &
  typeof settingsContract &
  typeof eventsContract &
  typeof statsContract &
  typeof subjectsContract &
  typeof upkeepContract &
  typeof workContract &
  typeof keysContract &
  typeof tenantsContract &
  typeof auditContract &
  typeof alertsContract &
  typeof webhooksContract

type Every = Contracts[keyof Contracts]

export type Method = Every['method']
export type PathOf<M extends Method> = Extract<Every, { method: M }>['path']
export type EndpointAt<M extends Method, P extends string> = Extract<Every, { method: M; path: P }>

type Said<E, Name extends string> = E extends { readonly [key in Name]: infer S extends z.ZodType }
  ? z.input<S>
  : undefined

export type BodyAt<E> = Said<E, 'body'>
export type QueryAt<E> = Said<E, 'query'>

/** What it answers when it does not refuse. */
export type AnswerAt<E> = E extends Endpoint
  ? {
      [S in keyof E['response']]: E['response'][S] extends z.ZodType ? z.output<E['response'][S]> : undefined
    }[keyof E['response']]
  : never

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

/** Fields that are times have such names, and no others do; `isTime` of calls.ts says the same at run time. */
type TimeName = `${string}_at` | `${string}_until` | `${string}_slot` | 'at' | 'since' | 'until' | 'slot'

/** As the library names things: camelCase, and times are Dates. One level deep, because what is below is the user's own data. */
export type Received<Row> = {
  readonly [Name in keyof Row as Name extends string ? Camel<Name> : never]: Name extends TimeName
    ? Exclude<Row[Name], string> | Date
    : Row[Name]
}

/** The HTTP contract as types. Only types: the bundle has no schemas. A new contract is one line here. */
import type { z } from 'zod'
import type { auditContract } from '../../../src/contract/access/audit.js'
import type { keysContract } from '../../../src/contract/access/keys.js'
import type { sessionContract } from '../../../src/contract/access/session.js'
import type { tenantsContract } from '../../../src/contract/access/tenants.js'
import type { Endpoint } from '../../../src/contract/endpoint.js'
import type { commandsContract } from '../../../src/contract/jobs/commands.js'
import type { eventsContract } from '../../../src/contract/jobs/events.js'
import type { itemsContract } from '../../../src/contract/jobs/items.js'
import type { jobsContract } from '../../../src/contract/jobs/jobs.js'
import type { kindContract } from '../../../src/contract/jobs/kind.js'
import type { searchContract } from '../../../src/contract/jobs/search.js'
import type { alertsContract } from '../../../src/contract/operate/alerts.js'
import type { bulkContract } from '../../../src/contract/operate/bulk.js'
import type { doctorContract } from '../../../src/contract/operate/doctor.js'
import type { errorsContract } from '../../../src/contract/operate/errors.js'
import type { overviewContract } from '../../../src/contract/operate/overview.js'
import type { savedViewsContract } from '../../../src/contract/operate/saved-views.js'
import type { seriesContract } from '../../../src/contract/operate/series.js'
import type { settingsContract } from '../../../src/contract/operate/settings.js'
import type { statsContract } from '../../../src/contract/operate/stats.js'
import type { upkeepContract } from '../../../src/contract/operate/upkeep.js'
import type { webhooksContract } from '../../../src/contract/operate/webhooks.js'
import type { queuesContract } from '../../../src/contract/queues.js'
import type { schedulesContract } from '../../../src/contract/schedules.js'
import type { subjectsContract } from '../../../src/contract/subjects.js'
import type { workersContract } from '../../../src/contract/work/workers.js'

type Contracts = typeof auditContract &
  typeof keysContract &
  typeof sessionContract &
  typeof tenantsContract &
  typeof commandsContract &
  typeof eventsContract &
  typeof itemsContract &
  typeof jobsContract &
  typeof kindContract &
  typeof searchContract &
  typeof alertsContract &
  typeof bulkContract &
  typeof doctorContract &
  typeof errorsContract &
  typeof overviewContract &
  typeof savedViewsContract &
  typeof seriesContract &
  typeof settingsContract &
  typeof statsContract &
  typeof upkeepContract &
  typeof webhooksContract &
  typeof queuesContract &
  typeof schedulesContract &
  typeof subjectsContract &
  typeof workersContract

type AnyEndpoint = Contracts[keyof Contracts]

type Endpoints = { [E in AnyEndpoint as `${E['method']} ${E['path']}`]: E }

/** `GET /api/v1/jobs/{id}` */
export type EndpointName = keyof Endpoints

type Part<E, Name extends string> = E extends { readonly [key in Name]: infer S extends z.ZodType }
  ? z.input<S>
  : undefined

/** A field of a query or path is text or a number, whatever its schema accepts before parsing. */
type Plain<T> = T extends object
  ? { [Name in keyof T]: unknown extends T[Name] ? string | number | undefined : T[Name] }
  : T

type Given<Name extends string, T> = [T] extends [undefined]
  ? { readonly [key in Name]?: undefined }
  : undefined extends T
    ? { readonly [key in Name]?: T }
    : object extends T
      ? { readonly [key in Name]?: T }
      : { readonly [key in Name]: T }

/** What a call of this endpoint takes. */
type Request<E> = Given<'params', Plain<Part<E, 'params'>>> &
  Given<'query', Plain<Part<E, 'query'>>> &
  Given<'body', Part<E, 'body'>> & { readonly signal?: AbortSignal }

/** The body of a successful response. */
type Answer<E> = E extends Endpoint
  ? {
      [S in keyof E['response']]: E['response'][S] extends z.ZodType ? z.output<E['response'][S]> : undefined
    }[keyof E['response']]
  : never

type Requests = {
  [N in EndpointName]: object extends Request<Endpoints[N]>
    ? [request?: Request<Endpoints[N]>]
    : [request: Request<Endpoints[N]>]
}
type Answers = { [N in EndpointName]: Answer<Endpoints[N]> }

export type RequestOf<N extends EndpointName> = Requests[N]

/** The response of an endpoint: `AnswerOf<'GET /api/v1/jobs'>['jobs'][number]` is a row of the list. */
export type AnswerOf<N extends EndpointName> = Answers[N]

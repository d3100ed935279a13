/** Schedules of a server, by the names the library has for them: defining, steering and looking at what fires by itself. */
import { fromWire, toWire } from '../contract/case.js'
import { camel } from '../domain/case.js'
import type { FieldName, ScheduleFields } from '../domain/schedule/definition.js'
import type { AnswerAt, BodyAt, EndpointAt, Received } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { Definitions, Input, JobDefinition, Kind } from './definitions.js'
import type { Why } from './steering.js'

type Row = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}'>>
type FiringRow = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}/history'>>['firings'][number]
type ReasonRow = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}/explain'>>['reasons'][number]
type NewBody = BodyAt<EndpointAt<'POST', '/api/v1/schedules'>>
type ChangeBody = BodyAt<EndpointAt<'PATCH', '/api/v1/schedules/{name}'>>

export type RemoteSchedule = Omit<Received<Row>, 'declared' | 'overrides'> & {
  /** What a program says of it, or null for one that was made at run time. */
  readonly declared: Partial<ScheduleFields> | null
  /** Fields that were changed at run time and so differ from what the program says. */
  readonly overrides: readonly FieldName[]
}

export type RemoteFiring = Received<FiringRow>
export type RemoteMaintenance = Received<AnswerAt<EndpointAt<'GET', '/api/v1/maintenance-window'>>>
export type RemoteScheduleReason = Omit<ReasonRow, 'data'> & {
  readonly data: Readonly<Record<string, unknown>>
}

/** Kind and input are those of your definitions, where the client knows them. */
export type NewRemoteSchedule<D extends Definitions, K extends Kind<D>> = Omit<
  Received<NewBody>,
  'kind' | 'input' | 'reason'
> & { readonly kind: K; readonly input?: Input<D, K> }

export type RemoteScheduleChange = Omit<Received<ChangeBody>, 'reason'>

export class Schedules<D extends Definitions = readonly JobDefinition[]> {
  readonly #calls: Calls
  readonly #queueOf: Readonly<Record<string, string>>

  constructor(calls: Calls, queueOf: Readonly<Record<string, string>> = {}) {
    this.#calls = calls
    this.#queueOf = queueOf
  }

  /** By name. */
  async list(paging: Paging = {}): Promise<{ schedules: RemoteSchedule[]; next: string | null }> {
    const query = pageOf(paging)
    const { schedules, next_page_token: next } = await this.#calls.call('GET', '/api/v1/schedules', { query })
    return { schedules: schedules.map(scheduleOf), next }
  }

  async get(name: string): Promise<RemoteSchedule> {
    return scheduleOf(await this.#calls.call('GET', '/api/v1/schedules/{name}', of(name)))
  }

  /** Its jobs go to the queue that is said here, or that the client was told for the kind, or `default`. */
  async create<K extends Kind<D>>(schedule: NewRemoteSchedule<D, K>, why: Why = {}): Promise<RemoteSchedule> {
    const queue = schedule.queue ?? this.#queueOf[schedule.kind] ?? 'default'
    const body = toWire<NewBody>({ ...schedule, queue, ...why })
    return scheduleOf(await this.#calls.call('POST', '/api/v1/schedules', { body }))
  }

  /** Changes what is named; its next slot is counted anew from now when it fires at other times or is enabled again. */
  async update(name: string, changes: RemoteScheduleChange, why: Why = {}): Promise<RemoteSchedule> {
    const body = toWire<ChangeBody>({ ...changes, ...why })
    // The second time there would be none of the old name.
    const repeatable = changes.name === undefined
    return scheduleOf(
      await this.#calls.call('PATCH', '/api/v1/schedules/{name}', { ...of(name), body, repeatable }),
    )
  }

  enable(name: string, why: Why = {}): Promise<RemoteSchedule> {
    return this.update(name, { enabled: true }, why)
  }

  disable(name: string, why: Why = {}): Promise<RemoteSchedule> {
    return this.update(name, { enabled: false }, why)
  }

  /** Gives up what was changed at run time: it is again what its program says. */
  async reset(name: string, why: Why = {}): Promise<RemoteSchedule> {
    const sent = { ...of(name), body: why, repeatable: true }
    return scheduleOf(await this.#calls.call('POST', '/api/v1/schedules/{name}/reset', sent))
  }

  /** With its history; its jobs stay. */
  async delete(name: string, why: Why = {}): Promise<void> {
    await this.#calls.call('DELETE', '/api/v1/schedules/{name}', { ...of(name), body: why })
  }

  /** `reason` is the note that people see. False: it was paused already. */
  async pause(name: string, why: Why = {}): Promise<boolean> {
    const sent = { ...of(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/schedules/{name}/pause', sent)).changed
  }

  /** From its next slot on; those that passed meanwhile are skipped. False: it was not paused. */
  async resume(name: string, why: Why = {}): Promise<boolean> {
    const sent = { ...of(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/schedules/{name}/resume', sent)).changed
  }

  /** Makes its job now; the schedule stays where it is. */
  async run(
    name: string,
    why: Why = {},
  ): Promise<{ readonly jobId: number; readonly deduplicated: boolean }> {
    return received(
      await this.#calls.call('POST', '/api/v1/schedules/{name}/run', { ...of(name), body: why }),
    )
  }

  /** The next slots, without jitter, as if it were not held. */
  async preview(name: string, count = 10): Promise<Date[]> {
    const sent = { ...of(name), query: { count } }
    return dates((await this.#calls.call('GET', '/api/v1/schedules/{name}/preview', sent)).slots)
  }

  /** The next slots of an expression, before there is a schedule. */
  async previewOf(expression: string, timeZone = 'UTC', count = 10): Promise<Date[]> {
    const query = { expression, time_zone: timeZone, count }
    return dates((await this.#calls.call('GET', '/api/v1/schedule-preview', { query })).slots)
  }

  /** What came of its slots, the latest first. */
  async history(
    name: string,
    paging: Paging = {},
  ): Promise<{ firings: RemoteFiring[]; next: string | null }> {
    const sent = { ...of(name), query: pageOf(paging) }
    const { firings, next_page_token: next } = await this.#calls.call(
      'GET',
      '/api/v1/schedules/{name}/history',
      sent,
    )
    return { firings: firings.map((firing) => received(firing)), next }
  }

  /** Why it has not fired, or when it will. */
  async explain(name: string): Promise<RemoteScheduleReason[]> {
    const { reasons } = await this.#calls.call('GET', '/api/v1/schedules/{name}/explain', of(name))
    return reasons.map((reason) => ({ ...reason, data: received(reason.data) }))
  }

  /** The maintenance window of the tenant. */
  async maintenance(): Promise<RemoteMaintenance> {
    return received(await this.#calls.call('GET', '/api/v1/maintenance-window', {}))
  }

  /** A maintenance window: nothing of the tenant fires until `resumeAll`, or until `until`. */
  async pauseAll({ until, ...why }: Why & { readonly until?: Date } = {}): Promise<RemoteMaintenance> {
    const body = { ...why, ...(until === undefined ? {} : { until: until.toISOString() }) }
    return received(await this.#calls.call('PUT', '/api/v1/maintenance-window', { body, repeatable: true }))
  }

  /** False: there was no window. */
  async resumeAll(why: Why = {}): Promise<boolean> {
    const sent = { body: why, repeatable: true }
    return (await this.#calls.call('DELETE', '/api/v1/maintenance-window', sent)).changed
  }
}

const of = (name: string) => ({ params: { name } })
const dates = (slots: readonly string[]) => slots.map((slot) => new Date(slot))

/** Names of fields are the library's also where they are said as values. */
function scheduleOf(row: Row): RemoteSchedule {
  const { declared, overrides, ...fields } = received(row)
  return {
    ...fields,
    declared: declared === null ? null : fromWire(declared),
    overrides: overrides.map((name) => camel(name) as FieldName),
  }
}

/** Schedules over HTTP, with the names of the library: create, change, pause, run and explain them. */
import { fromWire, toWire } from '../contract/case.js'
import type { FieldName, ScheduleFields } from '../domain/schedule/definition.js'
import { camel } from '../json/case.js'
import type { AnswerAt, BodyAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { CommandReason } from './commands.js'
import type { Definitions, Input, JobDefinition, KindOf } from './definitions.js'

type ScheduleAnswer = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}'>>
type FiringRow = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}/history'>>['firings'][number]
type ReasonRow = AnswerAt<EndpointAt<'GET', '/api/v1/schedules/{name}/explain'>>['reasons'][number]
type NewScheduleBody = BodyAt<EndpointAt<'POST', '/api/v1/schedules'>>
type ScheduleChangeBody = BodyAt<EndpointAt<'PATCH', '/api/v1/schedules/{name}'>>

export type ApiSchedule = Omit<ReceivedBody<ScheduleAnswer>, 'declared' | 'overrides'> & {
  /** The declaration of a program, or null if it was created at run time. */
  readonly declared: Partial<ScheduleFields> | null
  /** Fields changed at run time, which differ from the declaration. */
  readonly overrides: readonly FieldName[]
}

export type ApiFiring = ReceivedBody<FiringRow>
export type ApiMaintenance = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/maintenance-window'>>>
export type ApiScheduleReason = Omit<ReasonRow, 'data'> & {
  readonly data: Readonly<Record<string, unknown>>
}

/** Kind and input have the types of your definitions, if the client has them. */
export type NewApiSchedule<D extends Definitions, K extends KindOf<D>> = Omit<
  ReceivedBody<NewScheduleBody>,
  'kind' | 'input' | 'reason'
> & { readonly kind: K; readonly input?: Input<D, K> }

export type ApiScheduleChange = Omit<ReceivedBody<ScheduleChangeBody>, 'reason'>

export class ScheduleCalls<D extends Definitions = readonly JobDefinition[]> {
  readonly #calls: Calls
  readonly #queueOf: Readonly<Record<string, string>>

  constructor(calls: Calls, queueOf: Readonly<Record<string, string>> = {}) {
    this.#calls = calls
    this.#queueOf = queueOf
  }

  /** By name. */
  async list(paging: Paging = {}): Promise<{ schedules: ApiSchedule[]; next: string | null }> {
    const query = pageOf(paging)
    const { schedules, next_page_token: next } = await this.#calls.call('GET', '/api/v1/schedules', { query })
    return { schedules: schedules.map(scheduleOf), next }
  }

  async get(name: string): Promise<ApiSchedule> {
    return scheduleOf(await this.#calls.call('GET', '/api/v1/schedules/{name}', byName(name)))
  }

  /** Its jobs go to the queue given here, else to the queue of the kind given to the client, else to `default`. */
  async create<K extends KindOf<D>>(
    schedule: NewApiSchedule<D, K>,
    why: CommandReason = {},
  ): Promise<ApiSchedule> {
    const queue = schedule.queue ?? this.#queueOf[schedule.kind] ?? 'default'
    const body = toWire<NewScheduleBody>({ ...schedule, queue, ...why })
    return scheduleOf(await this.#calls.call('POST', '/api/v1/schedules', { body }))
  }

  /** Changes the given fields. The next slot is recomputed if the expression changes or the schedule is enabled again. */
  async update(name: string, changes: ApiScheduleChange, why: CommandReason = {}): Promise<ApiSchedule> {
    const body = toWire<ScheduleChangeBody>({ ...changes, ...why })
    // Not repeatable with a new name: the second call would not find the old name.
    const repeatable = changes.name === undefined
    return scheduleOf(
      await this.#calls.call('PATCH', '/api/v1/schedules/{name}', { ...byName(name), body, repeatable }),
    )
  }

  enable(name: string, why: CommandReason = {}): Promise<ApiSchedule> {
    return this.update(name, { enabled: true }, why)
  }

  disable(name: string, why: CommandReason = {}): Promise<ApiSchedule> {
    return this.update(name, { enabled: false }, why)
  }

  /** Resets it to the declaration of its program. */
  async reset(name: string, why: CommandReason = {}): Promise<ApiSchedule> {
    const sent = { ...byName(name), body: why, repeatable: true }
    return scheduleOf(await this.#calls.call('POST', '/api/v1/schedules/{name}/reset', sent))
  }

  /** Also deletes its history; its jobs stay. */
  async remove(name: string, why: CommandReason = {}): Promise<void> {
    await this.#calls.call('DELETE', '/api/v1/schedules/{name}', { ...byName(name), body: why })
  }

  /** Operators see the `reason`. Returns false if it was paused already. */
  async pause(name: string, why: CommandReason = {}): Promise<boolean> {
    const sent = { ...byName(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/schedules/{name}/pause', sent)).changed
  }

  /** From its next slot on; slots during the pause are skipped. Returns false if it was not paused. */
  async resume(name: string, why: CommandReason = {}): Promise<boolean> {
    const sent = { ...byName(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/schedules/{name}/resume', sent)).changed
  }

  /** Enqueues its job now; the next slot does not change. */
  async run(
    name: string,
    why: CommandReason = {},
  ): Promise<{ readonly jobId: number; readonly deduplicated: boolean }> {
    return received(
      await this.#calls.call('POST', '/api/v1/schedules/{name}/run', { ...byName(name), body: why }),
    )
  }

  /** The next slots, without jitter and pauses. */
  async preview(name: string, count = 10): Promise<Date[]> {
    const sent = { ...byName(name), query: { count } }
    return dates((await this.#calls.call('GET', '/api/v1/schedules/{name}/preview', sent)).slots)
  }

  /** The next slots of an expression, without a schedule. */
  async previewOf(expression: string, timeZone = 'UTC', count = 10): Promise<Date[]> {
    const query = { expression, time_zone: timeZone, count }
    return dates((await this.#calls.call('GET', '/api/v1/schedule-preview', { query })).slots)
  }

  /** Its firings, latest first. */
  async history(name: string, paging: Paging = {}): Promise<{ firings: ApiFiring[]; next: string | null }> {
    const sent = { ...byName(name), query: pageOf(paging) }
    const { firings, next_page_token: next } = await this.#calls.call(
      'GET',
      '/api/v1/schedules/{name}/history',
      sent,
    )
    return { firings: firings.map((firing) => received(firing)), next }
  }

  /** Explains why it has not fired, or when it will. */
  async explain(name: string): Promise<ApiScheduleReason[]> {
    const { reasons } = await this.#calls.call('GET', '/api/v1/schedules/{name}/explain', byName(name))
    return reasons.map((reason) => ({ ...reason, data: received(reason.data) }))
  }

  /** The maintenance window of the tenant. */
  async maintenance(): Promise<ApiMaintenance> {
    return received(await this.#calls.call('GET', '/api/v1/maintenance-window', {}))
  }

  /** Opens a maintenance window: no schedule of the tenant fires until `resumeAll` or `until`. */
  async pauseAll({ until, ...why }: CommandReason & { readonly until?: Date } = {}): Promise<ApiMaintenance> {
    const body = { ...why, ...(until === undefined ? {} : { until: until.toISOString() }) }
    return received(await this.#calls.call('PUT', '/api/v1/maintenance-window', { body, repeatable: true }))
  }

  /** Returns false if there was no window. */
  async resumeAll(why: CommandReason = {}): Promise<boolean> {
    const sent = { body: why, repeatable: true }
    return (await this.#calls.call('DELETE', '/api/v1/maintenance-window', sent)).changed
  }
}

const byName = (name: string) => ({ params: { name } })
const dates = (slots: readonly string[]) => slots.map((slot) => new Date(slot))

/** `overrides` lists names of fields, so they are converted to those of the library. */
function scheduleOf(row: ScheduleAnswer): ApiSchedule {
  const { declared, overrides, ...fields } = received(row)
  return {
    ...fields,
    declared: declared === null ? null : fromWire(declared),
    overrides: overrides.map((name) => camel(name) as FieldName),
  }
}

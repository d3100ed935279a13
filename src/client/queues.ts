/** Client calls for queues: policies, depths, metrics, pause and resume, and blocked targets. */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, received } from './calls.js'
import type { CommandReason } from './commands.js'

type QueueAnswer = AnswerAt<EndpointAt<'GET', '/api/v1/queues/{name}'>>
type Counted = AnswerAt<EndpointAt<'GET', '/api/v1/queues'>>['queues'][number]
type QueueStatsAnswer = AnswerAt<EndpointAt<'GET', '/api/v1/metrics/queues'>>['queues'][number]
type NewQueueBody = BodyAt<EndpointAt<'POST', '/api/v1/queues'>>

type WithPolicy<R extends { readonly policy: object }> = Omit<ReceivedBody<R>, 'policy'> & {
  readonly policy: ReceivedBody<R['policy']>
}

export type ApiQueue = WithPolicy<QueueAnswer>
export type ApiCountedQueue = WithPolicy<Counted>
export type ApiQueueStats = Omit<ReceivedBody<QueueStatsAnswer>, 'windows'> & {
  /** By `15m`, `1h` and `24h`. */
  readonly windows: Readonly<Record<string, ReceivedBody<QueueStatsAnswer['windows'][string]>>>
}
export type ApiPolicy = Partial<ApiQueue['policy']>
type TargetList = AnswerAt<EndpointAt<'GET', '/api/v1/targets'>>
export type ApiTarget = ReceivedBody<TargetList['targets'][number]>

export class QueueCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** With how many jobs are where; counts stop at `countedMax`. */
  async list(): Promise<{ queues: ApiCountedQueue[]; countedMax: number }> {
    const { queues, counted_max: countedMax } = await this.#calls.call('GET', '/api/v1/queues', {})
    return { queues: queues.map((queue) => queueOf(queue)), countedMax }
  }

  async get(name: string): Promise<ApiQueue> {
    return queueOf(await this.#calls.call('GET', '/api/v1/queues/{name}', byName(name)))
  }

  /** From a preset; what the policy names is otherwise. */
  async create(
    name: string,
    { preset, policy }: { readonly preset?: ApiQueue['preset']; readonly policy?: ApiPolicy } = {},
  ): Promise<ApiQueue> {
    const body: NewQueueBody = {
      name,
      ...(preset === undefined ? {} : { preset }),
      ...(policy === undefined ? {} : { policy: toWire<object>(policy) }),
    }
    return queueOf(await this.#calls.call('POST', '/api/v1/queues', { body }))
  }

  /** What is not named stays. */
  setPolicy(name: string, policy: ApiPolicy, why: CommandReason = {}): Promise<ApiQueue> {
    return this.update(name, { policy }, why)
  }

  /** With a preset, which only a queue without live jobs can change, the policy is that of the preset but for what `policy` names. */
  async update(
    name: string,
    { preset, policy }: { readonly preset?: ApiQueue['preset']; readonly policy?: ApiPolicy },
    why: CommandReason = {},
  ): Promise<ApiQueue> {
    const body = {
      ...(preset === undefined ? {} : { preset }),
      ...(policy === undefined ? {} : { policy: toWire<object>(policy) }),
      ...why,
    }
    const sent = { ...byName(name), body, repeatable: true }
    return queueOf(await this.#calls.call('PATCH', '/api/v1/queues/{name}', sent))
  }

  /** Its jobs, history, schedules and declared kinds come along. */
  async rename(name: string, to: string, why: CommandReason = {}): Promise<ApiQueue> {
    const sent = { ...byName(name), body: { to, ...why } }
    return queueOf(await this.#calls.call('POST', '/api/v1/queues/{name}/rename', sent))
  }

  /** Only a queue without live jobs and schedules; one with items or subjects only `withItems`, which are deleted. */
  async remove(
    name: string,
    { withItems, ...why }: CommandReason & { readonly withItems?: boolean } = {},
  ): Promise<void> {
    const body = { ...(withItems === undefined ? {} : { with_items: withItems }), ...why }
    await this.#calls.call('DELETE', '/api/v1/queues/{name}', { ...byName(name), body })
  }

  /** False: it was paused already. */
  async pause(name: string, why: CommandReason = {}): Promise<boolean> {
    const sent = { ...byName(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/queues/{name}/pause', sent)).changed
  }

  /** False: it was not paused. */
  async resume(name: string, why: CommandReason = {}): Promise<boolean> {
    const sent = { ...byName(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/queues/{name}/resume', sent)).changed
  }

  /** Depth, rates, priorities and waits of each queue, or of one, over the last 15 minutes, hour and day. */
  async stats({ queue }: { readonly queue?: string } = {}): Promise<ApiQueueStats[]> {
    const { queues } = await this.#calls.call('GET', '/api/v1/metrics/queues', { query: { queue } })
    return queues.map(({ windows, ...facts }) => ({
      ...received(facts),
      windows: Object.fromEntries(
        Object.entries(windows).map(([window, counts]) => [window, received(counts)]),
      ),
    }))
  }

  /** Targets that stand still: the job that blocks each, why, since when; the longest first. */
  async blockedTargets(filter: { queue?: string; limit?: number } = {}): Promise<ApiTarget[]> {
    const query = { queue: filter.queue, page_size: filter.limit }
    const { targets } = await this.#calls.call('GET', '/api/v1/targets', { query })
    return targets.map((target) => received(target))
  }
}

const byName = (name: string) => ({ params: { name } })

function queueOf<R extends { readonly policy: object }>({ policy, ...row }: R): WithPolicy<R> {
  return { ...received(row), policy: received(policy) } as unknown as WithPolicy<R>
}

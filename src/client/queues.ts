/** Queues of a server: their policies, how much is in them, how they are doing, and what stands still. */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, Received } from './api.js'
import { type Calls, received } from './calls.js'
import type { Why } from './steering.js'

type Row = AnswerAt<EndpointAt<'GET', '/api/v1/queues/{name}'>>
type Counted = AnswerAt<EndpointAt<'GET', '/api/v1/queues'>>['queues'][number]
type Stats = AnswerAt<EndpointAt<'GET', '/api/v1/metrics/queues'>>['queues'][number]
type NewBody = BodyAt<EndpointAt<'POST', '/api/v1/queues'>>

type WithPolicy<R extends { readonly policy: object }> = Omit<Received<R>, 'policy'> & {
  readonly policy: Received<R['policy']>
}

export type RemoteQueue = WithPolicy<Row>
export type RemoteCountedQueue = WithPolicy<Counted>
export type RemoteQueueStats = Omit<Received<Stats>, 'windows'> & {
  /** By `15m`, `1h` and `24h`. */
  readonly windows: Readonly<Record<string, Received<Stats['windows'][string]>>>
}
export type RemotePolicy = Partial<RemoteQueue['policy']>
type TargetList = AnswerAt<EndpointAt<'GET', '/api/v1/targets'>>
export type RemoteTarget = Received<TargetList['targets'][number]>

export class Queues {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** With how many jobs are where; counts stop at `countedAtMost`. */
  async list(): Promise<{ queues: RemoteCountedQueue[]; countedAtMost: number }> {
    const { queues, counted_at_most: countedAtMost } = await this.#calls.call('GET', '/api/v1/queues', {})
    return { queues: queues.map((queue) => queueOf(queue)), countedAtMost }
  }

  async get(name: string): Promise<RemoteQueue> {
    return queueOf(await this.#calls.call('GET', '/api/v1/queues/{name}', of(name)))
  }

  /** From a preset; what the policy names is otherwise. */
  async create(
    name: string,
    { preset, policy }: { readonly preset?: RemoteQueue['preset']; readonly policy?: RemotePolicy } = {},
  ): Promise<RemoteQueue> {
    const body: NewBody = {
      name,
      ...(preset === undefined ? {} : { preset }),
      ...(policy === undefined ? {} : { policy: toWire<object>(policy) }),
    }
    return queueOf(await this.#calls.call('POST', '/api/v1/queues', { body }))
  }

  /** What is not named stays. */
  async setPolicy(name: string, policy: RemotePolicy, why: Why = {}): Promise<RemoteQueue> {
    const sent = { ...of(name), body: { policy: toWire<object>(policy), ...why }, repeatable: true }
    return queueOf(await this.#calls.call('PATCH', '/api/v1/queues/{name}', sent))
  }

  /** False: it was paused already. */
  async pause(name: string, why: Why = {}): Promise<boolean> {
    const sent = { ...of(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/queues/{name}/pause', sent)).changed
  }

  /** False: it was not paused. */
  async resume(name: string, why: Why = {}): Promise<boolean> {
    const sent = { ...of(name), body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/queues/{name}/resume', sent)).changed
  }

  /** Depth, rates, priorities and waits of each queue, or of one, over the last 15 minutes, hour and day. */
  async stats({ queue }: { readonly queue?: string } = {}): Promise<RemoteQueueStats[]> {
    const { queues } = await this.#calls.call('GET', '/api/v1/metrics/queues', { query: { queue } })
    return queues.map(({ windows, ...facts }) => ({
      ...received(facts),
      windows: Object.fromEntries(
        Object.entries(windows).map(([window, counts]) => [window, received(counts)]),
      ),
    }))
  }

  /** Targets that stand still: the job that blocks each, why, since when; the longest first. */
  async blockedTargets(filter: { queue?: string; limit?: number } = {}): Promise<RemoteTarget[]> {
    const query = { queue: filter.queue, page_size: filter.limit }
    const { targets } = await this.#calls.call('GET', '/api/v1/targets', { query })
    return targets.map((target) => received(target))
  }
}

const of = (name: string) => ({ params: { name } })

function queueOf<R extends { readonly policy: object }>({ policy, ...row }: R): WithPolicy<R> {
  return { ...received(row), policy: received(policy) } as unknown as WithPolicy<R>
}

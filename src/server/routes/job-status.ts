/** `status` in answers that do not read the whole job: the state word of the preset of its queue. */
import type { State } from '../../domain/states/states.js'
import { stateWord } from '../../presets/state-words.js'
import type { NewJob } from '../../store/enqueue/new-job.js'
import type { Enqueued } from '../../store/enqueue/producer.js'
import type { Store } from '../../store/store.js'
import type { Call } from '../http/route.js'

interface MadeJob {
  readonly id: number
  readonly deduplicated: boolean
  readonly status?: string
}

/**
 * The answers for new jobs. Under the preset `default` they have no status, so that a plain job costs no query; under the others every new
 * job has the same one, unless it is pending. Only jobs that existed before are looked up.
 */
export async function madeJobs(
  { store, server, tenant }: Pick<Call, 'store' | 'server' | 'tenant'>,
  jobs: readonly Pick<NewJob, 'queue' | 'pending'>[],
  enqueued: readonly Enqueued[],
): Promise<MadeJob[]> {
  const queues = [...new Set(jobs.map(({ queue }) => queue))]
  const presets = new Map(
    await Promise.all(
      queues.map(async (queue) => [queue, await server.queuePresets.get(store, tenant, queue)] as const),
    ),
  )
  const presetAt = (index: number) => presets.get(jobs[index]?.queue ?? '') ?? 'default'
  const existing = enqueued.filter((each, index) => each.deduplicated && presetAt(index) !== 'default')
  const states = existing.length === 0 ? new Map() : await store.presetViews.jobs(existing.map(idOf))
  return enqueued.map(({ jobId: id, deduplicated }, index) => {
    const preset = presetAt(index)
    if (preset === 'default') return { id, deduplicated }
    const { state = jobs[index]?.pending ? 'pending' : 'queued', attempt = 0 } = states.get(id) ?? {}
    return { id, deduplicated, status: stateWord(preset, state, { attempted: attempt > 0 }) }
  })
}

const idOf = ({ jobId }: Enqueued) => jobId

/** Adds the status to what commands returned. Read after the command, because under `pipeline` it depends on the attempts of the job. */
export async function withStatus<R extends { readonly id: number; readonly state?: State }>(
  store: Store,
  results: readonly R[],
): Promise<(R & { readonly status?: string })[]> {
  const moved = results.filter(({ state }) => state !== undefined)
  if (moved.length === 0) return [...results]
  const jobs = await store.presetViews.jobs(moved.map(({ id }) => id))
  return results.map((result) => {
    const { id, state } = result
    if (state === undefined) return result
    const { preset = 'default', attempt = 0 } = jobs.get(id) ?? {}
    return { ...result, status: stateWord(preset, state, { attempted: attempt > 0 }) }
  })
}

/**
 * What the endpoints of a document speak for, and how they speak: for the queue that a call names, or for all queues of the document's preset, in
 * the tenant of the key; in the words of the preset, also where something is refused. Every other job is not there.
 */
import { HoldfastError, holdfastError } from '../../domain/errors.js'
import { isState, type State } from '../../domain/states.js'
import { type PresetName, wordFor } from '../../domain/words.js'
import type { SpokenJob } from '../../store/documents.js'
import type { Queue } from '../../store/queues.js'
import type { Store } from '../../store/store.js'

export interface Speaking {
  readonly store: Store
  readonly tenant: string
  readonly preset: PresetName
  /** Only this one, whatever its preset. */
  readonly queue: string | undefined
}

export async function queuesOf({ store, tenant, preset, queue }: Speaking): Promise<Queue[]> {
  const all = await store.queues.list({ tenant })
  const spoken = all.filter((each) => (queue === undefined ? each.preset === preset : each.name === queue))
  if (queue !== undefined && spoken.length === 0) throw holdfastError('unknown_queue', { queue })
  return spoken
}

/** Those of the jobs that the call may speak of. */
export async function jobsOf(
  { store, tenant, preset, queue }: Speaking,
  jobIds: readonly number[],
): Promise<Map<number, SpokenJob>> {
  const found = await store.documents.jobs(jobIds)
  for (const [id, job] of found) {
    const spoken = queue === undefined ? job.preset === preset : job.queue === queue
    if (job.tenant !== tenant || !spoken) found.delete(id)
  }
  return found
}

export async function jobOf(speaking: Speaking, jobId: number): Promise<SpokenJob> {
  const job = (await jobsOf(speaking, [jobId])).get(jobId)
  if (job === undefined) throw holdfastError('unknown_job', { job: jobId })
  return job
}

export function wordOf({ preset, state, attempt }: Pick<SpokenJob, 'preset' | 'state' | 'attempt'>): string {
  return wordFor(preset, state, { attempted: attempt > 0 })
}

/** A refusal that names the state in the words of the job's queue. */
export function wrongState(job: SpokenJob, verb: string): HoldfastError {
  return holdfastError('wrong_state', { job: job.id, verb, state: wordOf(job) })
}

/** The same where the verb itself refuses, because the job moved after we looked. */
export async function inWords<T>(job: SpokenJob, verb: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'wrong_state') throw error
    const { state } = error.details
    throw wrongState(isState(state) ? { ...job, state: state as State } : job, verb)
  }
}

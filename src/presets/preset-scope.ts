/**
 * Which queues and jobs an endpoint of a preset covers: the queue that the call names, or all queues of the preset, in the tenant of the
 * key. To such an endpoint every other job is unknown. Answers and errors use the state words of the job's preset.
 */
import { HoldfastError, holdfastError } from '../domain/errors/errors.js'
import { isState, type State } from '../domain/states/states.js'
import type { PresetJob } from '../store/preset-views.js'
import type { Queue } from '../store/queues.js'
import type { Store } from '../store/store.js'
import type { PresetName } from './presets.js'
import { stateWord } from './state-words.js'

export interface PresetScope {
  readonly store: Store
  readonly tenant: string
  readonly preset: PresetName
  /** This queue alone, whatever its preset. */
  readonly queue: string | undefined
}

export async function queuesInScope({ store, tenant, preset, queue }: PresetScope): Promise<Queue[]> {
  const all = await store.queues.list({ tenant })
  const found = all.filter((each) => (queue === undefined ? each.preset === preset : each.name === queue))
  if (queue !== undefined && found.length === 0) throw holdfastError('unknown_queue', { queue })
  return found
}

/** The jobs among these ids that the call may touch. */
export async function jobsInScope(
  { store, tenant, preset, queue }: PresetScope,
  jobIds: readonly number[],
): Promise<Map<number, PresetJob>> {
  const jobs = await store.presetViews.jobs(jobIds)
  for (const [id, job] of jobs) {
    const isCovered = queue === undefined ? job.preset === preset : job.queue === queue
    if (job.tenant !== tenant || !isCovered) jobs.delete(id)
  }
  return jobs
}

export async function jobInScope(scope: PresetScope, jobId: number): Promise<PresetJob> {
  const job = (await jobsInScope(scope, [jobId])).get(jobId)
  if (job === undefined) throw holdfastError('unknown_job', { job: jobId })
  return job
}

export function stateWordOf({
  preset,
  state,
  attempt,
}: Pick<PresetJob, 'preset' | 'state' | 'attempt'>): string {
  return stateWord(preset, state, { attempted: attempt > 0 })
}

/** The error `wrong_state` with the state word of the job's preset. */
export function wrongState(job: PresetJob, verb: string): HoldfastError {
  return holdfastError('wrong_state', { job: job.id, verb, state: stateWordOf(job) })
}

/** Runs a command. If it fails because the job changed its state meanwhile, the error names the new state by its state word. */
export async function withStateWords<T>(job: PresetJob, verb: string, command: () => Promise<T>): Promise<T> {
  try {
    return await command()
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'wrong_state') throw error
    const { state } = error.details
    throw wrongState(isState(state) ? { ...job, state: state as State } : job, verb)
  }
}

/** What people do to one job, by the name of the command; for one call and for many at once. */
import type { COMMANDS } from '../contract/commands.js'
import { invalidInput } from '../domain/errors.js'
import type { State } from '../domain/states.js'
import { CANCEL_KIND } from '../domain/system-kinds.js'
import type { Act } from '../store/operate.js'
import type { Store } from '../store/store.js'

export type Command = (typeof COMMANDS)[number]

export interface Told {
  readonly id: number
  readonly state?: State
  readonly result?: 'canceled' | 'requested' | 'already_ended'
  readonly priority?: number
  readonly request_job_id?: number
}

export interface CommandOptions {
  readonly tenant: string
  readonly act: Act
  readonly priority?: number | undefined
  readonly by?: number | undefined
}

type Do = (store: Store, jobId: number, options: CommandOptions) => Promise<Told>

const moves =
  (verb: 'resume' | 'skip' | 'discard'): Do =>
  async ({ operate }, id, { act }) => ({ id, state: await operate[verb](id, act) })

const DO: Readonly<Record<Command, Do>> = {
  cancel,
  retry: async ({ operate }, jobId, { act }) => {
    const { jobId: id, state } = await operate.retry(jobId, act)
    return { id, state }
  },
  resume: moves('resume'),
  skip: moves('skip'),
  discard: moves('discard'),
  release: async (store, id, { act }) => ({ id, state: await store.release(id, act) }),
  boost: async ({ operate }, id, { by = 10, act }) => ({ id, priority: await operate.boost(id, by, act) }),
  priority: async ({ operate }, id, { priority, act }) => {
    if (priority === undefined) throw invalidInput('/priority', 'is needed with this command')
    await operate.setPriority(id, priority, act)
    return { id, priority }
  },
}

/** The job must be the caller's: whoever calls this has looked. */
export function command(store: Store, name: Command, jobId: number, options: CommandOptions): Promise<Told> {
  return DO[name](store, jobId, options)
}

/**
 * In a strict queue only a worker ends a job, so a cancellation is work, too: a job that names the other one. Asking twice is asking
 * once.
 */
async function cancel(store: Store, jobId: number, { tenant, act }: CommandOptions): Promise<Told> {
  const job = await store.read.job(jobId)
  const { strict } = await store.queues.get(job.queue, { tenant })
  if (!strict) return { id: jobId, ...(await store.operate.cancel(jobId, act)) }
  if (job.finishedAt !== null) return { id: jobId, result: 'already_ended', state: job.state }
  const { jobId: request } = await store.enqueue(
    {
      queue: job.queue,
      kind: CANCEL_KIND,
      input: { jobId, ...(act.reason === undefined ? {} : { reason: act.reason }) },
      key: `${CANCEL_KIND}:${jobId}`,
      priority: 100,
      ...(act.actor === undefined ? {} : { createdBy: act.actor }),
    },
    { tenant },
  )
  return { id: jobId, result: 'requested', state: job.state, request_job_id: request }
}

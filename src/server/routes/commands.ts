import { commandsContract } from '../../contract/commands.js'
import { HoldfastError } from '../../domain/errors.js'
import { given } from '../../domain/given.js'
import { type Command, type CommandOptions, command, type Told } from '../command.js'
import { newJobOf } from '../new-job.js'
import { checkOwnJob, ownJob } from '../own-job.js'
import { problemOf } from '../problem.js'
import { type Call, routes } from '../route.js'

type Moved = { id: number; state: NonNullable<Told['state']> }
type Prioritised = { id: number; priority: number }

async function one<T>(
  call: Call,
  jobId: number,
  name: Command,
  more: Partial<CommandOptions> = {},
): Promise<T> {
  await checkOwnJob(call, jobId)
  const { store, tenant, act } = call
  return (await command(store, name, jobId, { tenant, act, ...more })) as T
}

const moves =
  (name: Command) =>
  async (call: { params: { id: number } } & object): Promise<{ status: 200; body: Moved }> => ({
    status: 200,
    body: await one<Moved>(call as unknown as Call, call.params.id, name),
  })

export const commandRoutes = routes<typeof commandsContract>(commandsContract, {
  cancelJob: async (call) => {
    const body = await one<Moved & { result: NonNullable<Told['result']> }>(
      call as unknown as Call,
      call.params.id,
      'cancel',
    )
    return { status: body.result === 'requested' ? 202 : 200, body }
  },
  retryJob: moves('retry'),
  resumeJob: moves('resume'),
  skipJob: moves('skip'),
  discardJob: moves('discard'),
  releaseJob: moves('release'),
  boostJob: async (call) => ({
    status: 200,
    body: await one<Prioritised>(call as unknown as Call, call.params.id, 'boost', { by: call.body.by }),
  }),
  setPriority: async (call) => ({
    status: 200,
    body: await one<Prioritised>(call as unknown as Call, call.params.id, 'priority', {
      priority: call.body.priority,
    }),
  }),

  cloneJob: async (call) => {
    const { store, server, tenant, who, params, body } = call
    const job = await ownJob(call, params.id)
    const like = {
      queue: job.queue,
      kind: job.kind,
      input: job.input,
      ...(job.target === null ? {} : { target: job.target }),
      ...(job.subject === null ? {} : { subject: job.subject }),
      priority: job.priorityAsked,
      // Its own, not those of the queue, which may change.
      ...((await store.queues.get(job.queue, { tenant })).maxRetries === job.maxRetries
        ? {}
        : { max_retries: job.maxRetries }),
      ...(job.tokenLimit === null ? {} : { token_limit: job.tokenLimit }),
      ...(job.targetCount === null ? {} : { target_count: job.targetCount }),
    }
    const clone = newJobOf({ ...like, ...given(body) }, who)
    await server.intake.admit(tenant, [clone])
    const { jobId, deduplicated } = await store.enqueue(clone, { tenant })
    return { status: deduplicated ? 200 : 201, body: { id: jobId, deduplicated } }
  },

  commandJobs: async ({ store, tenant, act, body, request }) => {
    const ids = [...new Set(body.job_ids)]
    const tenants = await store.read.tenantsOf(ids)
    const options = { tenant, act, priority: body.priority, by: body.by }
    const outcomes = await inTurns(ids, async (id) => {
      try {
        if (tenants.get(id) !== tenant) throw new HoldfastError('unknown_job', { job: id })
        return { id, ok: true, result: { ...(await command(store, body.command, id, options)) } }
      } catch (error) {
        const { code, detail, status } = problemOf(error, request)
        // Ours, not this job's: the caller must not read it as an answer about the job.
        if (status >= 500) throw error
        return { id, ok: false, code, detail }
      }
    })
    return { status: 200, body: { outcomes } }
  },
})

/** A few at a time, so that one call of a thousand leaves connections to the others; in the order asked. */
const AT_ONCE = 4

async function inTurns<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(all.length)
  let next = 0
  const turn = async () => {
    for (let n = next++; n < all.length; n = next++) results[n] = await work(all[n] as T)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, turn))
  return results
}

/** Commands of operators on jobs: cancel, retry, resume, priority and others; for one job and in bulk. */
import { type COMMANDS, commandsContract } from '../../contract/jobs/commands.js'
import { HoldfastError, invalidInput } from '../../domain/errors/errors.js'
import type { State } from '../../domain/states/states.js'
import { CANCEL_KIND } from '../../domain/system-kinds.js'
import { given } from '../../json/given.js'
import type { Attribution } from '../../store/job-commands.js'
import type { Store } from '../../store/store.js'
import { checkOwnJob, ownJob } from '../access/own-job.js'
import { problemOf } from '../http/problem.js'
import { type Call, routes } from '../http/route.js'
import { madeJobs, withStatus } from './job-status.js'
import { newJobOf } from './views.js'

type CommandName = (typeof COMMANDS)[number]

interface CommandResult {
  readonly id: number
  readonly state?: State
  readonly result?: 'canceled' | 'requested' | 'already_ended'
  readonly priority?: number
  readonly request_job_id?: number
}

interface CommandOptions {
  readonly tenant: string
  readonly act: Attribution
  readonly priority?: number | undefined
  readonly by?: number | undefined
  /** Of a cancel. */
  readonly ifState?: State | undefined
}

type RunCommand = (store: Store, jobId: number, options: CommandOptions) => Promise<CommandResult>

const changesState =
  (verb: 'resume' | 'skip' | 'discard'): RunCommand =>
  async ({ commands }, id, { act }) => ({ id, state: await commands[verb](id, act) })

const COMMAND_TABLE: Readonly<Record<CommandName, RunCommand>> = {
  cancel,
  retry: async ({ commands }, jobId, { act }) => {
    const { jobId: id, state } = await commands.retry(jobId, act)
    return { id, state }
  },
  resume: changesState('resume'),
  skip: changesState('skip'),
  discard: changesState('discard'),
  publish: async (store, id, { act }) => ({ id, state: await store.publish(id, act) }),
  boost: async ({ commands }, id, { by = 10, act }) => ({ id, priority: await commands.boost(id, by, act) }),
  priority: async ({ commands }, id, { priority, act }) => {
    if (priority === undefined) throw invalidInput('/priority', 'is required by this command')
    await commands.setPriority(id, priority, act)
    return { id, priority }
  },
}

/** Does not check the tenant: the caller of this function has. */
function runCommand(
  store: Store,
  name: CommandName,
  jobId: number,
  options: CommandOptions,
): Promise<CommandResult> {
  return COMMAND_TABLE[name](store, jobId, options)
}

/**
 * In a strict queue only a worker ends a job, so a cancellation enqueues a job of its own that names the other. A second request for the
 * same job is deduplicated.
 */
async function cancel(
  store: Store,
  jobId: number,
  { tenant, act, ifState }: CommandOptions,
): Promise<CommandResult> {
  const job = await store.read.job(jobId)
  const { strict } = await store.queues.get(job.queue, { tenant })
  if (!strict)
    return { id: jobId, ...(await store.commands.cancel(jobId, { ...act, ...given({ ifState }) })) }
  const state = job.state === 'assigned' && ifState === 'running' ? 'running' : job.state
  if (ifState !== undefined && state !== ifState)
    throw new HoldfastError('wrong_state', { job: jobId, verb: 'cancel', state: job.state })
  if (job.finishedAt !== null) return { id: jobId, result: 'already_ended', state: job.state }
  const { jobId: requestJobId } = await store.enqueue(
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
  return { id: jobId, result: 'requested', state: job.state, request_job_id: requestJobId }
}

type StateResult = { id: number; state: NonNullable<CommandResult['state']>; status: string }
type PriorityResult = { id: number; priority: number }

async function runOnOwnJob<T>(
  call: Call,
  jobId: number,
  name: CommandName,
  more: Partial<CommandOptions> = {},
): Promise<T> {
  await checkOwnJob(call, jobId)
  const { store, tenant, act } = call
  const [result] = await withStatus(store, [await runCommand(store, name, jobId, { tenant, act, ...more })])
  return result as T
}

const stateCommand =
  (name: CommandName) =>
  async (call: { params: { id: number } } & object): Promise<{ status: 200; body: StateResult }> => ({
    status: 200,
    body: await runOnOwnJob<StateResult>(call as unknown as Call, call.params.id, name),
  })

export const commandRoutes = routes<typeof commandsContract>(commandsContract, {
  cancelJob: async (call) => {
    const body = await runOnOwnJob<StateResult & { result: NonNullable<CommandResult['result']> }>(
      call as unknown as Call,
      call.params.id,
      'cancel',
      { ifState: call.body?.if_state },
    )
    return { status: body.result === 'requested' ? 202 : 200, body }
  },
  retryJob: stateCommand('retry'),
  resumeJob: stateCommand('resume'),
  skipJob: stateCommand('skip'),
  discardJob: stateCommand('discard'),
  publishJob: stateCommand('publish'),
  boostJob: async (call) => ({
    status: 200,
    body: await runOnOwnJob<PriorityResult>(call as unknown as Call, call.params.id, 'boost', {
      by: call.body.by,
    }),
  }),
  setPriority: async (call) => ({
    status: 200,
    body: await runOnOwnJob<PriorityResult>(call as unknown as Call, call.params.id, 'priority', {
      priority: call.body.priority,
    }),
  }),

  cloneJob: async (call) => {
    const { store, server, tenant, who, params, body } = call
    const job = await ownJob(call, params.id)
    const copied = {
      queue: job.queue,
      kind: job.kind,
      input: job.input,
      ...(job.target === null ? {} : { target: job.target }),
      ...(job.subject === null ? {} : { subject: job.subject }),
      priority: job.initialPriority,
      // Only if the job had its own number; that of the queue may change.
      ...((await store.queues.get(job.queue, { tenant })).maxRetries === job.maxRetries
        ? {}
        : { max_retries: job.maxRetries }),
      ...(job.tokenLimit === null ? {} : { token_limit: job.tokenLimit }),
      ...(job.itemGoal === null ? {} : { item_goal: job.itemGoal }),
    }
    const clone = newJobOf({ ...copied, ...given(body) }, who)
    await server.intake.admit(tenant, [clone])
    const enqueued = await store.enqueue(clone, { tenant })
    const [made] = await madeJobs(call, [clone], [enqueued])
    return { status: enqueued.deduplicated ? 200 : 201, body: made as NonNullable<typeof made> }
  },

  commandJobs: async ({ store, tenant, act, body, request }) => {
    const ids = [...new Set(body.job_ids)]
    const tenants = await store.read.tenantsOf(ids)
    const options = { tenant, act, priority: body.priority, by: body.by }
    const outcomes = await mapConcurrently(ids, async (id): Promise<JobOutcome> => {
      try {
        if (tenants.get(id) !== tenant) throw new HoldfastError('unknown_job', { job: id })
        return { id, ok: true, result: await runCommand(store, body.command, id, options) }
      } catch (error) {
        const { code, detail, status } = problemOf(error, request)
        // An error of the server says nothing about this job, so the whole call fails.
        if (status >= 500) throw error
        return { id, ok: false, code, detail }
      }
    })
    const results = await withStatus(
      store,
      outcomes.map(({ id, result }) => result ?? { id }),
    )
    const withResults = outcomes.map(({ result, ...outcome }, index) =>
      result === undefined ? outcome : { ...outcome, result: { ...results[index] } },
    )
    return { status: 200, body: { outcomes: withResults } }
  },
})

interface JobOutcome {
  readonly id: number
  readonly ok: boolean
  readonly result?: CommandResult
  readonly code?: string
  readonly detail?: string
}

/** A few at a time, so that a call with a thousand jobs leaves connections to others. Results keep the order of the request. */
const CONCURRENT_COMMANDS = 4

async function mapConcurrently<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(all.length)
  let next = 0
  const runner = async () => {
    for (let n = next++; n < all.length; n = next++) results[n] = await work(all[n] as T)
  }
  await Promise.all(Array.from({ length: CONCURRENT_COMMANDS }, runner))
  return results
}

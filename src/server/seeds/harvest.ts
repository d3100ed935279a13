import { harvestContract } from '../../contract/seeds-harvest.js'
import { holdfastError, LeaseLost } from '../../domain/errors.js'
import { given } from '../../domain/given.js'
import type { Fence } from '../../domain/port.js'
import type { State } from '../../domain/states.js'
import { type PresetName, wordFor } from '../../domain/words.js'
import { type Call, routes } from '../route.js'
import { allowedOrGivenBack } from '../work/claim.js'
import { type Pulled, pull } from './pull.js'
import { speakersOf } from './speakers.js'

type PullCall = Pick<
  Call<(typeof harvestContract)['pullJobByPost']>,
  'server' | 'store' | 'tenant' | 'who' | 'query' | 'headers' | 'body' | 'signal' | 'stillAllowed'
>
type ReportCall = Pick<
  Call<(typeof harvestContract)['reportResults']>,
  'server' | 'store' | 'tenant' | 'body'
>

const SECOND = 1_000

async function pullJob(call: PullCall) {
  const { server, store, tenant, who, query, headers, body = {} } = call
  const leaseSec = query.lease_sec ?? body.lease_sec
  const waitMs = (query.wait_sec || (body.wait_sec ?? 0)) * SECOND
  const pulled = await pull({
    server,
    store,
    tenant,
    preset: 'harvest',
    queue: query.queue ?? body.queue,
    worker: query.worker_id ?? body.worker_id ?? headers['x-worker-id'] ?? who.name,
    leaseMs: leaseSec === undefined ? undefined : leaseSec * SECOND,
    waitMs,
    signal: call.signal,
  })
  if (waitMs > 0) await allowedOrGivenBack(call, pulled === undefined ? [] : [pulled.job])
  if (pulled === undefined) return { status: 204, body: undefined } as const
  speakersOf(server).learn(pulled.job, { tenant, preset: pulled.queue.preset })
  return { status: 200, body: pulledView(pulled) } as const
}

function pulledView({ job, queue }: Pulled) {
  const { progress } = job
  const expires = job.expiresAt?.toISOString() ?? null
  const cursor = progress?.cursor ?? null
  return {
    job_id: job.jobId,
    lease_token: tokenOf(job),
    lease_expires_at: expires,
    last_cursor: cursor,
    job: {
      id: job.jobId,
      queue: queue.name,
      kind: job.kind,
      status: wordFor(queue.preset, 'assigned', { attempted: true }),
      input: job.input,
      attempts: job.attempt,
      lease_expires_at: expires,
      last_cursor: cursor,
      progress_count: progress?.progressCount ?? 0,
      result_count: progress?.resultCount ?? 0,
      target_count: job.targetCount,
      last_progress_at: progress?.lastProgressAt.toISOString() ?? null,
      created_at: job.createdAt.toISOString(),
    },
  }
}

/** The fence of the claim, but for the job's id. It keeps stale workers out, not strangers: that is the key's part. */
function tokenOf({ attempt, lease }: Fence): string {
  return `${attempt}.${lease}`
}

function fenceOf(jobId: number, token: string | undefined): Fence {
  if (token === undefined) throw holdfastError('lease_token_required')
  const [, attempt, lease] = /^(\d{1,9})\.(\d{1,15})$/.exec(token) ?? []
  if (lease === undefined)
    throw holdfastError('invalid_input', { path: '/lease_token', problem: 'is not the token of a pull' })
  return { jobId, attempt: Number(attempt), lease: Number(lease) }
}

async function reportResults(call: ReportCall) {
  const { server, store, tenant, body } = call
  const fence = fenceOf(body.job_id, body.lease_token)
  const speaker = await speakersOf(server).of(store, fence)
  if (speaker?.tenant !== tenant) throw holdfastError('unknown_job', { job: body.job_id })
  const answer =
    body.error === undefined
      ? await progress(call, fence, speaker.preset)
      : await failure(call, fence, speaker.preset, body.error)
  return { status: 200, body: answer } as const
}

async function progress({ store, body }: ReportCall, fence: Fence, preset: PresetName) {
  if (body.log !== undefined)
    throw holdfastError('invalid_input', { path: '/log', problem: 'goes with `error` only' })
  const told = await store.work.report({
    ...fence,
    items: body.items,
    done: body.done,
    ...given({ cursor: body.cursor, doneReason: body.done_reason }),
    ...(body.extend_lease_sec === undefined ? {} : { extendMs: body.extend_lease_sec * SECOND }),
  })
  return {
    ...NOTHING,
    job_id: fence.jobId,
    status: word(preset, told.done ? 'succeeded' : 'running'),
    done_reason: told.doneReason,
    added: told.newItems,
    duplicates: told.duplicateItems,
    progress_count: told.progressCount,
    result_count: told.resultCount,
    lease_expires_at: told.expiresAt?.toISOString() ?? null,
    cancel_requested: told.cancelRequested,
  }
}

async function failure({ store, body }: ReportCall, fence: Fence, preset: PresetName, error: string) {
  if (body.done || body.items.length > 0 || (body.cursor ?? null) !== null)
    throw holdfastError('invalid_input', {
      path: '/error',
      problem: 'goes with `log` only; report items, cursor or done in a call of their own before it',
    })
  const [ended] = await store.work.finish([
    {
      ...fence,
      outcome: 'failed',
      error: { name: 'WorkerError', message: error },
      ...(body.log === undefined ? {} : { log: body.log }),
    },
  ])
  if (ended?.accepted !== true) throw new LeaseLost({ job: fence.jobId, attempt: fence.attempt })
  return {
    ...NOTHING,
    job_id: fence.jobId,
    status: word(preset, ended.state as State),
    next_retry_at: ended.dueAt?.toISOString() ?? null,
  }
}

const NOTHING = {
  done_reason: null,
  added: 0,
  duplicates: 0,
  progress_count: null,
  result_count: null,
  lease_expires_at: null,
  next_retry_at: null,
  cancel_requested: false,
}

function word(preset: PresetName, state: State): string {
  return wordFor(preset, state, { attempted: true })
}

export const harvestRoutes = routes<typeof harvestContract>(harvestContract, {
  pullJob,
  pullJobByPost: pullJob,
  pullJobPhp: pullJob,
  pullJobPhpByPost: pullJob,
  reportResults,
  reportResultsPhp: reportResults,
})

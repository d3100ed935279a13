/** Endpoints of the harvest preset: pull one job, report its items, its end or its failure. */
import { holdfastError, LeaseLost } from '../../domain/errors/errors.js'
import type { Ended, Ending, Fence, Reported } from '../../domain/port.js'
import type { State } from '../../domain/states/states.js'
import { given } from '../../json/given.js'
import { type Call, type Route, routes } from '../../server/http/route.js'
import { releaseIfNotAllowed } from '../../server/work/claim.js'
import type { AttemptsOfJob, PresetJob } from '../../store/preset-views.js'
import type { Store } from '../../store/store.js'
import type { PresetName } from '../presets.js'
import { stateWord } from '../state-words.js'
import { harvestContract } from './contract.js'
import { type Pulled, Puller } from './pull.js'

type PullCall = Pick<
  Call<(typeof harvestContract)['pullJobByPost']>,
  'server' | 'store' | 'tenant' | 'who' | 'query' | 'headers' | 'body' | 'signal' | 'stillAllowed'
>
type ReportCall = Pick<Call<(typeof harvestContract)['reportResults']>, 'store' | 'tenant' | 'body'>

const SECOND = 1_000

export function harvestRoutes(): Route[] {
  const puller = new Puller()
  const presets = new JobPresetCache()
  const leases = new QueueLeases()
  const pullJob = (call: PullCall) => pull(call, puller, presets)
  const reportResults = (call: ReportCall) => report(call, presets, leases)
  return routes<typeof harvestContract>(harvestContract, {
    pullJob,
    pullJobByPost: pullJob,
    pullJobPhp: pullJob,
    pullJobPhpByPost: pullJob,
    reportResults,
    reportResultsPhp: reportResults,
  })
}

type TenantAndPreset = Pick<PresetJob, 'tenant' | 'queue' | 'preset'>

const CACHED_LEASES_MAX = 50_000

/**
 * Tenant, queue and preset of pulled jobs, so that a report is one query and not two. A job pulled long ago or from another server is
 * looked up. The queue of a job never changes, nor the preset of a queue with a job that was pulled.
 */
class JobPresetCache {
  /** By lease: a pull opens one for its one job, and lease numbers are never used again. */
  readonly #byLease = new Map<number, TenantAndPreset & { readonly jobId: number }>()

  add({ lease, jobId }: Fence, { tenant, queue, preset }: TenantAndPreset): void {
    this.#byLease.set(lease, { jobId, tenant, queue, preset })
    if (this.#byLease.size <= CACHED_LEASES_MAX) return
    const [oldest] = this.#byLease.keys()
    this.#byLease.delete(oldest as number)
  }

  /** Undefined if there is no such job. */
  async get(store: Store, { lease, jobId }: Fence): Promise<TenantAndPreset | undefined> {
    const cached = this.#byLease.get(lease)
    return cached?.jobId === jobId ? cached : store.presetViews.presetOf(jobId)
  }
}

/** How long the lease of a queue is cached, so that reports need no query for it. */
const LEASE_CACHED_MS = 1_000
const CACHED_QUEUES_MAX = 1_000

/** The leases of queues, by which a report extends that of its job unless it gives a number. */
class QueueLeases {
  readonly #known = new Map<string, { readonly ms: Promise<number>; readonly until: number }>()

  get(store: Store, { tenant, queue }: TenantAndPreset): Promise<number> {
    const name = `${tenant} ${queue}`
    const known = this.#known.get(name)
    if (known !== undefined && performance.now() < known.until) return known.ms
    if (this.#known.size >= CACHED_QUEUES_MAX) this.#known.clear()
    const ms = leaseMsOf(store, tenant, queue)
    this.#known.set(name, { ms, until: performance.now() + LEASE_CACHED_MS })
    ms.catch(() => this.#known.delete(name))
    return ms
  }
}

async function leaseMsOf(store: Store, tenant: string, queue: string): Promise<number> {
  const { leaseMs } = await store.queues.get(queue, { tenant })
  return leaseMs ?? (await store.settings.get('LEASE_SEC_DEFAULT')) * SECOND
}

async function pull(call: PullCall, puller: Puller, presets: JobPresetCache) {
  const { server, store, tenant, who, query, headers, body = {} } = call
  const leaseSec = query.lease_sec ?? body.lease_sec
  const waitMs = (query.wait_sec || (body.wait_sec ?? 0)) * SECOND
  const pulled = await puller.pull({
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
  if (waitMs > 0) await releaseIfNotAllowed(call, pulled === undefined ? [] : [pulled.job])
  if (pulled === undefined) return { status: 204, body: undefined } as const
  presets.add(pulled.job, { tenant, queue: pulled.queue.name, preset: pulled.queue.preset })
  const limits = await store.presetViews.attemptsOf(pulled.job.jobId).catch(async (error: unknown) => {
    // A job that its caller does not get must not cost an attempt.
    const released = {
      ...pulled.job,
      outcome: 'released',
      reason: 'the pull failed',
      started: false,
    } as const
    await store.work.finish([released]).catch(() => {})
    throw error
  })
  return { status: 200, body: pulledView(pulled, limits) } as const
}

function pulledView({ job, queue }: Pulled, { maxAttempts, lastError }: AttemptsOfJob) {
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
      status: stateWord(queue.preset, 'assigned', { attempted: true }),
      input: job.input,
      attempts: job.attempt,
      max_attempts: maxAttempts,
      last_error: lastError,
      lease_expires_at: expires,
      last_cursor: cursor,
      progress_count: progress?.progressCount ?? 0,
      result_count: progress?.resultCount ?? 0,
      target_count: job.itemGoal,
      last_progress_at: progress?.lastProgressAt.toISOString() ?? null,
      created_at: job.createdAt.toISOString(),
    },
  }
}

/** The fence of the claim without the job's id. It keeps stale workers out; unauthenticated callers are refused by the API key. */
function tokenOf({ attempt, lease }: Fence): string {
  return `${attempt}.${lease}`
}

function fenceOf(jobId: number, token: string | undefined): Fence {
  if (token === undefined) throw holdfastError('lease_token_required')
  const [, attempt, lease] = /^(\d{1,9})\.(\d{1,16})$/.exec(token) ?? []
  if (lease === undefined)
    throw holdfastError('invalid_input', {
      path: '/lease_token',
      problem: 'is not a lease_token that a pull returned',
    })
  return { jobId, attempt: Number(attempt), lease: Number(lease) }
}

async function report(call: ReportCall, presets: JobPresetCache, leases: QueueLeases) {
  const { store, tenant, body } = call
  const fence = fenceOf(body.job_id, body.lease_token)
  const job = await presets.get(store, fence)
  if (job?.tenant !== tenant) throw holdfastError('unknown_job', { job: body.job_id })
  if (body.error !== undefined)
    return { status: 200, body: await saveFailure(call, fence, job.preset, body.error) } as const
  if (body.log !== undefined)
    throw holdfastError('invalid_input', { path: '/log', problem: 'is allowed only with `error`' })
  const extendMs =
    body.extend_lease_sec === undefined ? await leases.get(store, job) : body.extend_lease_sec * SECOND
  const saved = await store.work.report({
    ...fence,
    items: body.items,
    done: body.done,
    ...given({ cursor: body.cursor, doneReason: body.done_reason }),
    extendMs,
  })
  return { status: 200, body: savedView(fence, job.preset, saved) } as const
}

function savedView({ jobId }: Fence, preset: PresetName, saved: Reported) {
  return {
    ...EMPTY_REPORT,
    job_id: jobId,
    status: attemptedStateWord(preset, saved.done ? 'succeeded' : 'running'),
    done_reason: saved.doneReason,
    added: saved.newItems,
    duplicates: saved.duplicateItems,
    progress_count: saved.progressCount,
    result_count: saved.resultCount,
    lease_expires_at: saved.expiresAt?.toISOString() ?? null,
    cancel_requested: saved.cancelRequested,
  }
}

interface ReportedFailure {
  readonly reported?: Reported
  readonly ended?: Ended | undefined
}

/** Items and cursor sent with the error are stored in the same transaction. If they reach the target, the job is done all the same. */
async function saveFailure({ store, body }: ReportCall, fence: Fence, preset: PresetName, error: string) {
  if (body.done)
    throw holdfastError('invalid_input', {
      path: '/error',
      problem: 'is not allowed with `done`: a job either is done or has failed',
    })
  const failure: Ending = {
    ...fence,
    outcome: 'failed',
    error: { name: 'WorkerError', message: error },
    ...given({ log: body.log }),
  }
  const endOnly = async (): Promise<ReportedFailure> => ({ ended: (await store.work.finish([failure]))[0] })
  const { items, cursor } = body
  const hasProgress = items.length > 0 || (cursor ?? null) !== null
  const { reported, ended }: ReportedFailure = hasProgress
    ? await store.work
        .reportAndFinish({ ...fence, items, ...given({ cursor }) }, failure)
        .catch((thrown: unknown) => {
          // The same report again, because its answer was lost, is known by the end it has written.
          if (thrown instanceof LeaseLost) return endOnly()
          throw thrown
        })
    : await endOnly()
  const view =
    reported === undefined ? { ...EMPTY_REPORT, job_id: fence.jobId } : savedView(fence, preset, reported)
  if (reported?.done) return { ...view, status: attemptedStateWord(preset, 'succeeded') }
  if (ended?.accepted !== true) throw new LeaseLost({ job: fence.jobId, attempt: fence.attempt })
  const { maxAttempts } = await store.presetViews.attemptsOf(fence.jobId)
  return {
    ...view,
    lease_expires_at: null,
    status: attemptedStateWord(preset, ended.state as State),
    next_retry_at: ended.dueAt?.toISOString() ?? null,
    attempts: fence.attempt,
    max_attempts: maxAttempts,
  }
}

const EMPTY_REPORT = {
  done_reason: null,
  added: 0,
  duplicates: 0,
  progress_count: null,
  result_count: null,
  lease_expires_at: null,
  next_retry_at: null,
  cancel_requested: false,
}

function attemptedStateWord(preset: PresetName, state: State): string {
  return stateWord(preset, state, { attempted: true })
}

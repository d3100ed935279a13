/** A claim over HTTP: long-polls if asked to, and releases jobs that the caller cannot receive any more. */

import type { workContract } from '../../contract/work/work.js'
import { holdfastError } from '../../domain/errors/errors.js'
import type { ClaimedJob, Ending } from '../../domain/port.js'
import { given } from '../../json/given.js'
import { waiting } from '../access/waiting-calls.js'
import type { Call } from '../http/route.js'

export async function claimJobs(call: Call<(typeof workContract)['claimJobs']>): Promise<ClaimedJob[]> {
  const { store, tenant, body, server } = call
  const {
    worker,
    queues,
    lease,
    limit,
    start_now: startNow,
    eager,
    wait_ms: waitMs,
    lease_ms: leaseMs,
  } = body
  const { sessions } = server
  if (lease !== undefined && !(await sessions.leases.has(call, lease)))
    throw holdfastError('lease_gone', { lease })
  const claimer = lease === undefined ? store.work : sessions.claimer(call, lease, queues)
  const options = given({ lease, leaseMs, startNow, eager })
  const claim = (found: () => void) => claimer.claim({ worker, queues, tenant, limit, found, ...options })
  const jobs =
    waitMs === 0
      ? await claim(() => {})
      : await waiting(call, () => sessions.waitersFor(call, queues).claim(claim, waitMs, call.signal))
  sessions.leases.add(
    tenant,
    jobs.map((job) => job.lease),
  )
  if (waitMs > 0) await releaseIfNotAllowed(call, jobs)
  if (jobs.length > 0) releaseIfDisconnected(call, jobs)
  return jobs
}

/** One job by its id; none if it cannot be claimed now. */
export async function claimJob(call: Call<(typeof workContract)['claimJob']>): Promise<ClaimedJob[]> {
  const { store, tenant, params, body, server } = call
  const { worker, lease, lease_ms: leaseMs } = body
  const { leases } = server.sessions
  if (lease !== undefined && !(await leases.has(call, lease))) throw holdfastError('lease_gone', { lease })
  const known = await store.presetViews.presetOf(params.id)
  if (known?.tenant !== tenant) throw holdfastError('unknown_job', { job: params.id })
  // The view of a claimed job has the name of its queue.
  await store.queues.ids([known.queue], tenant)
  const job = await store.work.claimById(params.id, { worker, ...given({ lease, leaseMs }) })
  if (job === undefined) return []
  leases.add(tenant, [job.lease])
  releaseIfDisconnected(call, [job])
  return [job]
}

/** The key may have been revoked while the call waited: its jobs are released, and the call fails. */
export async function releaseIfNotAllowed(
  call: Pick<Call, 'store' | 'stillAllowed'>,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  try {
    await call.stillAllowed()
  } catch (error) {
    if (jobs.length > 0)
      await call.store.work.finish(
        jobs.map((job) => releasedUnstarted(job, 'the key of the claim is no longer valid')),
      )
    throw error
  }
}

function releasedUnstarted({ jobId, attempt, lease }: ClaimedJob, reason: string): Ending {
  return { jobId, attempt, lease, outcome: 'released', reason, started: false }
}

/** Releases jobs whose response could not be sent. Otherwise they would stay claimed until their lease expires. */
function releaseIfDisconnected({ store, reply, request, server }: Call, jobs: readonly ClaimedJob[]): void {
  let isSent = false
  reply.raw.once('finish', () => {
    isSent = true
  })
  const release = () => {
    if (isSent) return
    const endings = jobs.map((job) => releasedUnstarted(job, 'the caller of the claim disconnected'))
    store.work.finish(endings).catch((error: unknown) =>
      server.log?.error(
        {
          event: 'claim_release_failed',
          request_id: request.id,
          jobs: jobs.length,
          error: (error as Error).message,
        },
        'could not release the jobs of a disconnected caller; they return when their lease expires',
      ),
    )
  }
  if (reply.raw.destroyed) release()
  else reply.raw.once('close', release)
}

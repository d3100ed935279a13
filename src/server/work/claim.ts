/** A claim over HTTP: waits in line if it may, and gives back what nobody is there to take. */

import type { workContract } from '../../contract/work.js'
import { holdfastError } from '../../domain/errors.js'
import type { ClaimedJob, Ending } from '../../domain/port.js'
import type { Call } from '../route.js'
import { waiting } from '../waits.js'
import { deskOf } from './desk.js'

export async function claimJobs(call: Call<(typeof workContract)['claimJobs']>): Promise<ClaimedJob[]> {
  const { store, tenant, body, server } = call
  const { worker, queues, lease, limit, wait_ms: waitMs, lease_ms: leaseMs } = body
  const desk = deskOf(server)
  if (lease !== undefined && !(await desk.leases.has(call, lease)))
    throw holdfastError('lease_gone', { lease })
  const memory = lease === undefined ? {} : { lease, ...desk.memory(lease, queues) }
  const own = leaseMs === undefined ? {} : { leaseMs }
  const look = (found: () => void) =>
    store.work.claim({ worker, queues, tenant, limit, found, ...own, ...memory })
  const jobs =
    waitMs === 0
      ? await look(() => {})
      : await waiting(call, () => desk.line(call, queues).claim(look, waitMs, call.signal))
  desk.leases.learn(
    tenant,
    jobs.map((job) => job.lease),
  )
  if (waitMs > 0) await allowedOrGivenBack(call, jobs)
  if (jobs.length > 0) giveBackIfUnheard(call, jobs)
  return jobs
}

/** A key may have been revoked while its call waited: what was claimed for it is given back, and it hears of none. */
export async function allowedOrGivenBack(
  call: Pick<Call, 'store' | 'stillAllowed'>,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  try {
    await call.stillAllowed()
  } catch (error) {
    if (jobs.length > 0)
      await call.store.work.finish(
        jobs.map((job) => releasedUnbegun(job, 'the key of the claim is no longer good')),
      )
    throw error
  }
}

function releasedUnbegun({ jobId, attempt, lease }: ClaimedJob, reason: string): Ending {
  return { jobId, attempt, lease, outcome: 'released', reason, began: false }
}

/** A caller that has gone meanwhile will never know of these jobs: without this they would wait for their lease to end. */
function giveBackIfUnheard({ store, reply, request }: Call, jobs: readonly ClaimedJob[]): void {
  let heard = false
  reply.raw.once('finish', () => {
    heard = true
  })
  const giveBack = () => {
    if (heard) return
    const endings = jobs.map((job) => releasedUnbegun(job, 'the caller of the claim had gone'))
    store.work
      .finish(endings)
      .catch((error) => request.log.warn({ err: error }, 'jobs could not be given back'))
  }
  if (reply.raw.destroyed) giveBack()
  else reply.raw.once('close', giveBack)
}

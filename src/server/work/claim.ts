/** A claim over HTTP: waits in line if it may, and gives back what nobody is there to take. */

import type { workContract } from '../../contract/work.js'
import { holdfastError } from '../../domain/errors.js'
import { given } from '../../domain/given.js'
import type { ClaimedJob } from '../../domain/port.js'
import type { Call } from '../route.js'
import { deskOf } from './desk.js'

export async function claimJobs(call: Call<(typeof workContract)['claimJobs']>): Promise<ClaimedJob[]> {
  const { store, tenant, body, server } = call
  const { worker, queues, lease, limit, begins, eager, wait_ms: waitMs, lease_ms: leaseMs } = body
  const desk = deskOf(server)
  if (lease !== undefined && !(await desk.leases.has(tenant, lease)))
    throw holdfastError('lease_gone', { lease })
  const memory = lease === undefined ? {} : { lease, ...desk.memory(lease, queues) }
  const own = given({ leaseMs, begins, eager })
  const look = (found: () => void) =>
    store.work.claim({ worker, queues, tenant, limit, found, ...own, ...memory })
  const jobs =
    waitMs === 0 ? await look(() => {}) : await desk.line(tenant, queues).claim(look, waitMs, call.signal)
  desk.leases.learn(
    tenant,
    jobs.map((job) => job.lease),
  )
  if (jobs.length > 0) giveBackIfUnheard(call, jobs)
  return jobs
}

/** A caller that has gone meanwhile will never know of these jobs: without this they would wait for their lease to end. */
function giveBackIfUnheard({ store, reply, request }: Call, jobs: readonly ClaimedJob[]): void {
  let heard = false
  reply.raw.once('finish', () => {
    heard = true
  })
  const giveBack = () => {
    if (heard) return
    const endings = jobs.map(({ jobId, attempt, lease }) => ({
      jobId,
      attempt,
      lease,
      outcome: 'released' as const,
      reason: 'the caller of the claim had gone',
      began: false,
    }))
    store.work
      .finish(endings)
      .catch((error) => request.log.warn({ err: error }, 'jobs could not be given back'))
  }
  if (reply.raw.destroyed) giveBack()
  else reply.raw.once('close', giveBack)
}

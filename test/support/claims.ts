/** Jobs in the hands of a worker. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect } from 'vitest'

/** What a claim must have brought. */
export function taken(job: ClaimedJob | undefined): ClaimedJob {
  expect(job, 'a job was due and nobody got it').toBeDefined()
  return job as ClaimedJob
}

export async function makeAndClaim(store: Store, more = {}): Promise<ClaimedJob> {
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', ...more })
  return taken(await store.work.claimById(jobId, { worker: 'w1' }))
}

/** A worker with an open lease, as each test of a port begins. */
import { expect } from 'vitest'
import type { ClaimedJob } from '../../src/domain/port.js'
import type { PortWorld } from './worlds.js'

export const QUEUE = 'work'
export const LEASE_MS = 30_000

export async function workerIn(open: () => Promise<PortWorld>) {
  const { store, port: another } = await open()
  const port = another()
  const { lease } = await port.openLease('w1', LEASE_MS)

  const make = async (more: object = {}) =>
    (await store.enqueue({ queue: QUEUE, kind: 'k', ...more }, {})).jobId
  const claim = (limit = 10, by = port, under = lease) =>
    by.claim({ worker: 'w1', lease: under, queues: [QUEUE], limit })
  const claimOne = async (more: object = {}): Promise<ClaimedJob> => {
    const jobId = await make(more)
    const [job, ...others] = await claim()
    expect(others).toEqual([])
    expect(job?.jobId).toBe(jobId)
    return job as ClaimedJob
  }
  const stateOf = async (jobId: number) => (await store.read.job(jobId)).state
  return { store, port, another, lease, make, claim, claimOne, stateOf }
}

export function fence({ jobId, attempt, lease }: ClaimedJob) {
  return { jobId, attempt, lease }
}

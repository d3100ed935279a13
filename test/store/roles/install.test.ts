import type { ClaimedJob } from 'holdfast'
import { expect, it } from 'vitest'
import { login, sealedStore } from './sealed.js'

it('works a job through', async () => {
  const store = await sealedStore()
  const producer = await login(store, 'producer', ['default'])
  const worker = await login(store, 'worker', ['default'])
  const { jobId } = await producer.enqueue({ queue: 'q', kind: 'k' })
  const [job] = await worker.work.claim({ worker: 'w', queues: ['q'] })
  expect(job?.jobId).toBe(jobId)
  const [ended] = await worker.work.finish([{ ...(job as ClaimedJob), outcome: 'succeeded' }])
  expect(ended?.accepted).toBe(true)
  expect(await producer.read.job(jobId)).toMatchObject({ state: 'succeeded' })
})

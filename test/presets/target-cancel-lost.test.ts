// The target preset and the others: a lease expires while a cancel request waits for its worker.
import { beforeEach, expect, it } from 'vitest'
import { type Served, servePinned } from '../support/http.js'
import { expectHealthy, type World } from '../support/world.js'

const MINUTE = 60_000

let server: Served<World>
beforeEach(async () => {
  server = await servePinned()
})

const send = async (method: string, path: string, body?: unknown) =>
  (await server.call(method, path, body)).body

/** A running job of such a queue that was asked to stop, and whose lease is over. */
async function canceledAndLost(preset: string): Promise<number> {
  await send('POST', '/api/v1/queues', { name: 'q', preset })
  const { id } = await send('POST', '/api/v1/jobs', { queue: 'q', kind: 'k', target: 't' })
  const { jobs } = await send('POST', '/api/v1/work/claim', { worker: 'w', queues: ['q'] })
  expect(jobs).toMatchObject([{ job_id: id }])
  expect(await send('POST', `/api/v1/jobs/${id}/cancel`, { reason: 'wrong input' })).toMatchObject({
    result: 'requested',
  })
  await server.store.clock.advance(30 * MINUTE)
  return id
}

it('S3.08 the cancel request takes precedence: the job is PAUSED and not ERROR, as if its worker had received the request', async () => {
  const id = await canceledAndLost('target')
  await send('POST', '/api/v1/jobs', { queue: 'q', kind: 'k', target: 't' })
  // The next claim takes it back, and the target stays blocked by it.
  expect((await send('POST', '/api/v1/work/claim', { worker: 'w2', queues: ['q'] })).jobs).toEqual([])
  expect(await send('GET', `/api/v1/jobs/${id}`)).toMatchObject({
    state: 'paused',
    reason: 'Job was interrupted by user',
    losses: 0,
    cancel_requested: false,
  })
  const { attempts } = await send('GET', `/api/v1/jobs/${id}/attempts`)
  expect(attempts).toMatchObject([{ outcome: 'canceled', moved_to: 'paused' }])
  const resumed = await server.call('POST', `/jobs/${id}/resume`)
  expect(resumed.body).toMatchObject({ status: 'QUEUED', cancel_requested: false })
  const { jobs } = await send('POST', '/api/v1/work/claim', { worker: 'w2', queues: ['q'] })
  expect(jobs).toMatchObject([{ job_id: id, attempt: 2 }])
  await expectHealthy(server.store)
})

it.each(['harvest', 'crawl', 'catalog', 'default'])(
  'S3.08 in preset %s the job is canceled, and no other worker gets it',
  async (preset) => {
    const id = await canceledAndLost(preset)
    expect((await send('POST', '/api/v1/work/claim', { worker: 'w2', queues: ['q'] })).jobs).toEqual([])
    expect(await send('GET', `/api/v1/jobs/${id}`)).toMatchObject({
      state: 'canceled',
      reason: 'wrong input',
    })
    await expectHealthy(server.store)
  },
)

it('S3.08 a worker that reports late can no longer finish the job', async () => {
  await send('POST', '/api/v1/queues', { name: 'q', preset: 'target' })
  const { id } = await send('POST', '/api/v1/jobs', { queue: 'q', kind: 'k', target: 't' })
  const [job] = (await send('POST', '/api/v1/work/claim', { worker: 'w', queues: ['q'] })).jobs
  await send('POST', `/api/v1/jobs/${id}/cancel`)
  await server.store.clock.advance(MINUTE)
  await send('POST', '/api/v1/work/claim', { worker: 'w2', queues: ['q'] })
  const finished = await send('POST', '/api/v1/work/finish', {
    jobs: [{ job_id: id, attempt: job.attempt, lease: job.lease, outcome: 'succeeded' }],
  })
  expect(finished.jobs).toMatchObject([{ accepted: false }])
  expect((await send('GET', `/api/v1/jobs/${id}`)).state).toBe('paused')
})

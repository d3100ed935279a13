// The pipeline preset over HTTP: cancellation in a strict queue.

import { defineJob, holdfast } from 'holdfast'
import { type ClaimedJob, stateWord } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { serve, servePinned } from '../support/http.js'
import { freshStore, pinnedStore } from '../support/world.js'

const QUEUE = 'images'

it('S2.10 a cancellation in a strict queue is a request: a job of kind holdfast.cancel, and the worker that runs it takes the named job to failed', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE, { preset: 'pipeline' })
  const { call } = await serve(store)
  const make = async () => (await call('POST', '/api/v1/jobs', { queue: QUEUE, kind: 'thumbnail' })).body.id
  const named = await make()
  const asked = await call('POST', `/api/v1/jobs/${named}/cancel`, { reason: 'wrong picture' })
  expect(asked).toMatchObject({ status: 202, body: { id: named, result: 'requested', state: 'queued' } })
  const request = asked.body.request_job_id
  expect((await call('GET', `/api/v1/jobs/${request}`)).body).toMatchObject({
    kind: 'holdfast.cancel',
    queue: QUEUE,
    input: { jobId: named, reason: 'wrong picture' },
  })
  // Nothing has happened to the job itself yet, and asking twice is asking once.
  expect((await store.read.job(named)).state).toBe('queued')
  expect((await call('POST', `/api/v1/jobs/${named}/cancel`)).body.request_job_id).toBe(request)

  // One that does not do thumbnails, so that it cannot be quicker with the job than with the request.
  const app = await holdfast({
    store,
    jobs: [defineJob({ kind: 'other', queue: QUEUE, handler: () => 'done' })],
  })
  onTestFinished(() => app.stop())
  await app.work({ concurrency: 1 })
  const stateOf = async (id: number) => (await call('GET', `/api/v1/jobs/${id}`)).body.state
  await expect.poll(() => stateOf(request), { timeout: 100_000 }).toBe('succeeded')
  const job = await store.read.job(named)
  expect(stateWord('pipeline', job.state, { attempted: true })).toBe('failed')
  // Failed by the worker that took it for this, or given up after one that does not know it had set it aside.
  expect(['canceled: wrong picture', 'discarded']).toContain(job.reason)
  expect((await call('GET', `/api/v1/jobs/${named}/attempts`)).body.attempts.at(-1)).toMatchObject({
    outcome: 'failed',
    moved_to: 'failed',
    final: true,
  })
  // An end is an end.
  expect(await call('POST', `/api/v1/jobs/${named}/cancel`)).toMatchObject({
    status: 200,
    body: { result: 'already_ended', state: 'failed' },
  })
})

it('S2.10 a cancel request for a running job waits; for a job of another queue it is refused', async () => {
  const store = await pinnedStore()
  await store.queues.create(QUEUE, { preset: 'pipeline' })
  const { call } = await serve(store)
  const { body: made } = await call('POST', '/api/v1/jobs', { queue: QUEUE, kind: 'thumbnail' })
  const [claimed] = await store.work.claim({ worker: 'other', queues: [QUEUE] })
  const { body: asked } = await call('POST', `/api/v1/jobs/${made.id}/cancel`)
  const { jobId: foreign } = await store.enqueue({ queue: 'elsewhere', kind: 'k' }, { tenant: 'bolt' })
  const wrong = await store.enqueue({ queue: QUEUE, kind: 'holdfast.cancel', input: { jobId: foreign } })
  const app = await holdfast({
    store,
    jobs: [defineJob({ kind: 'thumbnail', queue: QUEUE, handler: async () => 'done' })],
  })
  onTestFinished(() => app.stop())
  await (await app.work({ concurrency: 1 })).idle()
  expect(await store.read.job(asked.request_job_id)).toMatchObject({ state: 'scheduled', failures: 0 })
  expect(await store.read.job(made.id)).toMatchObject({ state: 'assigned' })
  expect(await store.read.job(wrong.jobId)).toMatchObject({
    state: 'failed',
    lastError: expect.stringContaining('no job'),
  })
  expect(await store.read.job(foreign)).toMatchObject({ state: 'queued', attempt: 0 })
  await store.work.finish([{ ...(claimed as ClaimedJob), outcome: 'succeeded' }])
  expect(await store.read.job(made.id)).toMatchObject({ state: 'succeeded' })
})

it('S2.04 over HTTP a job is claimed by its id: not 9:59 after another claim, but 10:01 after it; ended and unknown jobs never', async () => {
  const { store, call } = await servePinned()
  await store.queues.create(QUEUE, { preset: 'pipeline' })
  const { id } = (
    await call('POST', '/api/v1/jobs', { queue: QUEUE, kind: 'thumbnail', input: { image: 7 } })
  ).body
  const claim = async (worker: string, more = {}) =>
    (await call('POST', `/api/v1/work/claim/${id}`, { worker, ...more })).body.jobs
  const [first] = await claim('w1')
  expect(first).toMatchObject({
    job_id: id,
    attempt: 1,
    queue: QUEUE,
    input: { image: 7 },
    expires_at: '2030-01-01T00:10:00.000Z',
  })
  await store.clock.advance(9 * 60_000 + 59_000)
  expect(await claim('w2')).toEqual([])
  await store.clock.advance(2_000)
  const [second] = await claim('w2')
  expect(second).toMatchObject({ job_id: id, attempt: 2 })
  const end = async ({ job_id, attempt, lease }: Record<string, number>) =>
    (await call('POST', '/api/v1/work/finish', { jobs: [{ job_id, attempt, lease, outcome: 'succeeded' }] }))
      .body.jobs
  expect(await end(first), 'its lock was too old').toMatchObject([{ accepted: false }])
  expect(await end(second)).toMatchObject([{ accepted: true }])
  expect(await claim('w1'), 'completed').toEqual([])
  expect(await call('POST', '/api/v1/work/claim/404', { worker: 'w1' })).toMatchObject({
    status: 404,
    body: { code: 'unknown_job' },
  })
  expect(await call('POST', `/api/v1/work/claim/${id}`, { worker: 'w1', lease: 99 })).toMatchObject({
    status: 409,
    body: { code: 'lease_gone' },
  })
  expect((await call('POST', `/api/v1/work/claim/${id}`, {})).status, 'without a worker').toBe(400)
})

it('S2.04 over HTTP, of ten workers that claim one job at once exactly one gets it', async () => {
  const { store, call } = await servePinned()
  await store.queues.create(QUEUE, { preset: 'pipeline' })
  const { id } = (await call('POST', '/api/v1/jobs', { queue: QUEUE, kind: 'thumbnail' })).body
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, n) => call('POST', `/api/v1/work/claim/${id}`, { worker: `w${n}` })),
  )
  expect(claims.every(({ status }) => status === 200)).toBe(true)
  expect(claims.flatMap(({ body }) => body.jobs)).toMatchObject([{ job_id: id, attempt: 1 }])
})

// Document 002 over HTTP: cancellation in a strict queue. Preset `pipeline`.
import { type ClaimedJob, defineJob, holdfast, wordFor } from 'holdfast'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../support/http.js'
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
  await expect.poll(() => stateOf(request), { timeout: 30_000 }).toBe('succeeded')
  const job = await store.read.job(named)
  expect(wordFor('pipeline', job.state, { attempted: true })).toBe('failed')
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

it('S2.10 a request about a job somebody works on waits; about one of another queue it is refused', async () => {
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

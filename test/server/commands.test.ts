// What people do to jobs over HTTP.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectProblem, freshServer, type ServerWorld } from './world.js'

const make = async ({ call }: ServerWorld, more = {}): Promise<number> =>
  (await call('POST', '/api/v1/jobs', { body: { queue: 'q', kind: 'k', ...more } })).body.id

/** Claims the next job and ends it. */
async function end(store: Store, outcome: 'succeeded' | 'failed', queue = 'q'): Promise<number> {
  const [job] = await store.work.claim({ worker: 'w', queues: [queue] })
  if (job === undefined) throw new Error('nothing was claimed')
  await store.work.finish([
    { ...job, outcome, ...(outcome === 'failed' && { error: 'no', retryable: false }) },
  ])
  return job.jobId
}

const stateOf = async ({ store }: ServerWorld, id: number) => (await store.read.job(id)).state

it('with if_state a job is canceled only in that state, and 409 names the one it is in', async () => {
  const world = await freshServer()
  const { call, store } = world
  const [waiting, held] = [await make(world, { delay_ms: 60_000 }), await make(world)]
  const cancel = (id: number, if_state: string) =>
    call('POST', `/api/v1/jobs/${id}/cancel`, { body: { if_state, reason: 'stop, please' } })
  const refused = await cancel(waiting, 'running')
  expectProblem(refused, 409, 'wrong_state')
  expect(refused.body.detail).toContain(`Job ${waiting} is scheduled, not running: it was not canceled.`)
  expect(await stateOf(world, waiting)).toBe('scheduled')
  expect((await call('GET', `/api/v1/jobs/${waiting}/events`)).body.events).toEqual([])

  await store.work.claim({ worker: 'w', queues: ['q'] })
  expectProblem(await cancel(held, 'queued'), 409, 'wrong_state')
  expect(await store.read.job(held)).toMatchObject({ cancelRequested: false })
  expect(await cancel(held, 'running')).toMatchObject({ status: 202, body: { result: 'requested' } })
  expect(await cancel(waiting, 'scheduled')).toMatchObject({ status: 200, body: { result: 'canceled' } })
  expectProblem(await cancel(waiting, 'running'), 409, 'wrong_state')
  expect(await cancel(waiting, 'canceled')).toMatchObject({ body: { result: 'already_ended' } })
  expectProblem(await cancel(waiting, 'RUNNING'), 400, 'invalid_input')
})

it('in a strict queue if_state is compared before the request is made', async () => {
  const world = await freshServer()
  const { call, store } = world
  await store.queues.create('strict', { preset: 'pipeline' })
  const id = await make(world, { queue: 'strict' })
  const cancel = () => call('POST', `/api/v1/jobs/${id}/cancel`, { body: { if_state: 'running' } })
  expectProblem(await cancel(), 409, 'wrong_state')
  await store.work.claim({ worker: 'w', queues: ['strict'] })
  expect(await cancel()).toMatchObject({ status: 202, body: { request_job_id: expect.any(Number) } })
})

it('a waiting job is canceled at once, a running one is asked to stop, an ended one is left alone', async () => {
  const world = await freshServer()
  const { call, store } = world
  const [waiting, running] = [await make(world, { delay_ms: 60_000 }), await make(world)]
  expect(
    await call('POST', `/api/v1/jobs/${waiting}/cancel`, { body: { reason: 'not needed' } }),
  ).toMatchObject({
    status: 200,
    body: { id: waiting, result: 'canceled', state: 'canceled' },
  })
  await store.work.claim({ worker: 'w', queues: ['q'] })
  expect(await call('POST', `/api/v1/jobs/${running}/cancel`)).toMatchObject({
    status: 202,
    body: { result: 'requested', state: 'assigned' },
  })
  expect((await call('POST', `/api/v1/jobs/${waiting}/cancel`)).body).toMatchObject({
    result: 'already_ended',
  })
  expect((await call('GET', `/api/v1/jobs/${waiting}/events`)).body.events).toMatchObject([
    { type: 'canceled', actor: 'local', reason: 'not needed' },
  ])
})

it('retry, discard, release, boost and priority do what they say, and name the state that forbids them', async () => {
  const world = await freshServer()
  const { call, store } = world
  const failed = await make(world)
  expect(await end(store, 'failed')).toBe(failed)
  expect(await call('POST', `/api/v1/jobs/${failed}/retry`)).toMatchObject({
    status: 200,
    body: { id: failed, state: 'queued' },
  })
  const refused = await call('POST', `/api/v1/jobs/${failed}/resume`)
  expectProblem(refused, 409, 'wrong_state')
  expect(refused.body.data).toMatchObject({ state: 'queued' })
  expect((await call('POST', `/api/v1/jobs/${failed}/discard`)).body.state).toBe('failed')

  const pending = await make(world, { pending: true, priority: 95 })
  expect((await call('POST', `/api/v1/jobs/${pending}/boost`, { body: { by: 20 } })).body.priority).toBe(100)
  expect(
    (await call('PUT', `/api/v1/jobs/${pending}/priority`, { body: { priority: 3 } })).body.priority,
  ).toBe(3)
  expectProblem(
    await call('PUT', `/api/v1/jobs/${pending}/priority`, { body: { priority: 101 } }),
    400,
    'invalid_input',
  )
  expect((await call('POST', `/api/v1/jobs/${pending}/publish`)).body.state).toBe('queued')
})

it('a clone is a new job like the old one but for what is given', async () => {
  const world = await freshServer()
  const { call } = world
  const id = await make(world, {
    input: { n: 1 },
    key: 'once',
    priority: 40,
    target: 't',
    labels: { a: 'b' },
  })
  const { status, body } = await call('POST', `/api/v1/jobs/${id}/clone`, { body: { input: { n: 2 } } })
  expect(status).toBe(201)
  expect((await call('GET', `/api/v1/jobs/${body.id}`)).body).toMatchObject({
    queue: 'q',
    kind: 'k',
    input: { n: 2 },
    key: null,
    priority: 40,
    target: 't',
  })
})

it('one command for many jobs tells of each what came of it, and a refusal of one stops no other', async () => {
  const world = await freshServer()
  const { call, store } = world
  const done = await make(world)
  await end(store, 'succeeded')
  const [a, b] = [await make(world), await make(world)]
  const bulk = (body: object) => call('POST', '/api/v1/jobs/bulk', { body })
  const { body } = await bulk({ command: 'discard', job_ids: [a, 999, b] })
  expect(body.outcomes).toMatchObject([
    { id: a, ok: false, code: 'wrong_state' },
    { id: 999, ok: false, code: 'unknown_job' },
    { id: b, ok: false, code: 'wrong_state' },
  ])
  const canceled = await bulk({ command: 'cancel', job_ids: [b, a, done], reason: 'all of it' })
  expect(canceled.body.outcomes).toMatchObject([
    { id: b, ok: true, result: { result: 'canceled' } },
    { id: a, ok: true, result: { result: 'canceled' } },
    { id: done, ok: true, result: { result: 'already_ended' } },
  ])
  expect([await stateOf(world, a), await stateOf(world, b)]).toEqual(['canceled', 'canceled'])
  expectProblem(await bulk({ command: 'cancel', job_ids: [] }), 400, 'invalid_input')
  expectProblem(
    await bulk({ command: 'cancel', job_ids: Array.from({ length: 1001 }, (_, n) => n + 1) }),
    400,
    'invalid_input',
  )
  expectProblem(await bulk({ command: 'explode', job_ids: [1] }), 400, 'invalid_input')
  expect((await bulk({ command: 'priority', job_ids: [a] })).body.outcomes).toMatchObject([
    { ok: false, code: 'invalid_input' },
  ])
})

it('the story of a job: attempts without the lease, events, reasons, the report', async () => {
  const world = await freshServer()
  const { call, store } = world
  const id = await make(world)
  await end(store, 'failed')
  const { attempts } = (await call('GET', `/api/v1/jobs/${id}/attempts`)).body
  expect(attempts).toMatchObject([
    { attempt: 1, worker: 'w', outcome: 'failed', final: true, error_message: 'no' },
  ])
  expect(attempts[0]).not.toHaveProperty('lease')
  expect((await call('GET', `/api/v1/jobs/${id}/explain`)).body.reasons.length).toBeGreaterThan(0)
  expect((await call('GET', `/api/v1/jobs/${id}/history`)).body).toHaveProperty('attempts')
})

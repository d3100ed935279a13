// The pipeline preset: a job reads in the words of the document wherever it is read.
import { beforeEach, expect, it } from 'vitest'
import { type Served, servePinned } from '../support/http.js'
import { printedState, readJobEverywhere } from '../support/readings.js'
import type { World } from '../support/world.js'

const QUEUE = 'images'
const HOUR = 3_600_000

let served: Served<World>
beforeEach(async () => {
  served = await servePinned()
  await served.call('POST', '/api/v1/queues', { name: QUEUE, preset: 'pipeline' })
})

const post = async (path: string, body: unknown = {}) => (await served.call('POST', path, body)).body
const make = (more = {}) => post('/api/v1/jobs', { queue: QUEUE, kind: 'thumbnail', ...more })
const claim = async (id: number) => {
  const { jobs } = await post(`/api/v1/work/claim/${id}`, { worker: 'w1' })
  expect(jobs).toMatchObject([{ job_id: id }])
  const { job_id, attempt, lease } = jobs[0]
  return { job_id, attempt, lease }
}
const finish = async (fence: object, outcome: string, more = {}) => {
  const { jobs } = await post('/api/v1/work/finish', { jobs: [{ ...fence, outcome, ...more }] })
  expect(jobs).toMatchObject([{ accepted: true }])
}
const words = async (id: number) => {
  const { state, status } = await readJobEverywhere(served, id)
  return `${state}: ${status}`
}

it('S2.01 after every verb, HTTP, command line and SQL show the same state and status', async () => {
  const made = await make()
  expect(made).toEqual({ id: expect.any(Number), deduplicated: false, status: 'queued' })
  const { id } = made
  expect(await words(id)).toBe('queued: queued')
  const first = await claim(id)
  expect(await words(id)).toBe('assigned: processing')
  await post('/api/v1/work/start', { jobs: [first] })
  expect(await words(id)).toBe('running: processing')
  await finish(first, 'failed', { error: { name: 'Error', message: 'not an image' } })
  expect(await words(id)).toBe('retrying: failed_retryable')
  expect(await post(`/api/v1/jobs/${id}/retry`)).toEqual({ id, state: 'queued', status: 'failed_retryable' })
  expect(await words(id)).toBe('queued: failed_retryable')
  await finish(await claim(id), 'succeeded')
  expect(await words(id)).toBe('succeeded: completed')
})

it('S2.01 a job that fails for good or is given up has the status failed; one that lost its worker has failed_retryable', async () => {
  const { id: hopeless } = await make()
  await finish(await claim(hopeless), 'failed', { retryable: false })
  expect(await words(hopeless)).toBe('failed: failed')

  const { id: givenUp } = await make()
  await finish(await claim(givenUp), 'failed')
  expect(await post(`/api/v1/jobs/${givenUp}/discard`)).toMatchObject({ state: 'failed', status: 'failed' })
  expect(await words(givenUp)).toBe('failed: failed')

  const { id: lost } = await make()
  await claim(lost)
  await served.store.clock.advance(HOUR)
  await served.store.upkeep.reclaim()
  expect(await words(lost)).toBe('queued: failed_retryable')
})

it('S2.01 a new job that is delayed or pending has the status queued; a duplicate has the status of the existing job', async () => {
  const later = await make({ delay_ms: HOUR, key: 'once' })
  expect(later).toMatchObject({ deduplicated: false, status: 'queued' })
  expect(await words(later.id)).toBe('scheduled: queued')
  const pending = await make({ pending: true })
  expect(pending.status).toBe('queued')
  expect(await words(pending.id)).toBe('pending: queued')
  await served.store.clock.advance(HOUR)
  await finish(await claim(later.id), 'failed')
  expect(await make({ key: 'once' })).toEqual({
    id: later.id,
    deduplicated: true,
    status: 'failed_retryable',
  })
  const { jobs } = await post('/api/v1/jobs/batch', {
    jobs: [
      { queue: QUEUE, kind: 'k', key: 'once' },
      { queue: QUEUE, kind: 'k' },
      { queue: 'plain', kind: 'k' },
    ],
  })
  expect(jobs).toMatchObject([{ status: 'failed_retryable' }, { status: 'queued' }, {}])
  expect(jobs[2], 'under `default` a job has its state and no other word').not.toHaveProperty('status')
})

it('S2.01 the command line prints state and status to people', async () => {
  const { id } = await make()
  await finish(await claim(id), 'failed')
  const [shown, listed] = await printedState(served.store, id)
  expect(shown).toBe('retrying (failed_retryable)')
  expect(listed).toBe('retrying (failed_retryable)')
})

it('S2.01 a bulk command answers with the status of each job', async () => {
  const [one, other] = [(await make()).id, (await make()).id]
  await finish(await claim(one), 'failed')
  const { outcomes } = await post('/api/v1/jobs/bulk', { command: 'discard', job_ids: [one, other, 404] })
  expect(outcomes).toMatchObject([
    { id: one, ok: true, result: { state: 'failed', status: 'failed' } },
    { id: other, ok: false, code: 'wrong_state' },
    { id: 404, ok: false, code: 'unknown_job' },
  ])
})

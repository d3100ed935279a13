// The target preset: the seven statuses, in answers of HTTP, the command line and SQL.
import { beforeEach, expect, it } from 'vitest'
import { type Served, servePinned } from '../support/http.js'
import { readJobEverywhere } from '../support/readings.js'
import type { World } from '../support/world.js'

const QUEUE = 'conversations'

let served: Served<World>
beforeEach(async () => {
  served = await servePinned()
  await served.call('POST', '/api/v1/queues', { name: QUEUE, preset: 'target' })
})

const post = async (path: string, body: unknown = {}) => (await served.call('POST', path, body)).body
const make = (target_id: string, more = {}) =>
  post('/api/v1/jobs', { queue: QUEUE, kind: 'converse', target_id, ...more })
const claim = async () => {
  const { jobs } = await post('/api/v1/work/claim', { worker: 'w1', queues: [QUEUE] })
  const { job_id, attempt, lease } = jobs[0]
  return { job_id, attempt, lease }
}
const finish = (fence: object, outcome: string, more = {}) =>
  post('/api/v1/work/finish', { jobs: [{ ...fence, outcome, ...more }] })
const words = async (id: number) => {
  const { state, status } = await readJobEverywhere(served, id)
  return `${state}: ${status}`
}

it('S3.01 a conversation is PENDING, QUEUED, RUNNING, PAUSED, QUEUED again and SUCCESS, wherever it is read', async () => {
  const { id, status } = await make('a', { pending: true })
  expect(status).toBe('PENDING')
  expect(await words(id)).toBe('pending: PENDING')
  expect(await post(`/api/v1/jobs/${id}/publish`)).toEqual({ id, state: 'queued', status: 'QUEUED' })
  expect(await words(id)).toBe('queued: QUEUED')
  const first = await claim()
  expect(await words(id)).toBe('assigned: RUNNING')
  expect(await post(`/api/v1/jobs/${id}/cancel`)).toMatchObject({ result: 'requested', status: 'RUNNING' })
  await finish(first, 'canceled')
  expect(await words(id)).toBe('paused: PAUSED')
  const { targets } = (await served.call('GET', '/api/v1/targets')).body
  expect(targets).toMatchObject([{ target: 'a', job_id: id, state: 'paused', status: 'PAUSED' }])
  expect(await post(`/jobs/${id}/resume`)).toMatchObject({ status: 'QUEUED' })
  expect(await words(id)).toBe('queued: QUEUED')
  await finish(await claim(), 'succeeded')
  expect(await words(id)).toBe('succeeded: SUCCESS')
})

it('S3.01 an exception is ERROR, which a cancel makes CANCELED; a job behind another is QUEUED', async () => {
  const { id } = await make('a')
  const { id: behind, status } = await make('a')
  expect([status, await words(behind)]).toEqual(['QUEUED', 'waiting: QUEUED'])
  await finish(await claim(), 'failed', { error: { name: 'Error', message: 'model refused' } })
  expect(await words(id)).toBe('errored: ERROR')
  expect(await post(`/api/v1/jobs/${id}/cancel`)).toMatchObject({ state: 'canceled', status: 'CANCELED' })
  expect(await words(id)).toBe('canceled: CANCELED')
})

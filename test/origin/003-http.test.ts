// Document 003 over HTTP: resume, and what blocks a target. Preset `target`.
import type { ClaimedJob } from 'holdfast'
import { beforeEach, expect, it } from 'vitest'
import { type Served, servePinned } from '../server/listening.js'
import { expectHealthy, type World } from '../support/world.js'

const QUEUE = 'conversations'

let server: Served<World>
let store: World
beforeEach(async () => {
  server = await servePinned()
  store = server.store
  await store.queues.create(QUEUE, { preset: 'target' })
})

const makeJob = async (target: string, more = {}) =>
  (await store.enqueue({ queue: QUEUE, kind: 'converse', target, ...more })).jobId
const claim = async () => (await store.work.claim({ worker: 'w1', queues: [QUEUE] }))[0]
const claimOne = async (): Promise<ClaimedJob> => {
  const job = await claim()
  expect(job, 'a job was there and nobody got it').toBeDefined()
  return job as ClaimedJob
}
const errored = async (target: string, message = 'model refused') => {
  const id = await makeJob(target)
  await store.work.finish([{ ...(await claimOne()), outcome: 'failed', error: new Error(message) }])
  return id
}
const paused = async (target: string) => {
  const id = await makeJob(target)
  const job = await claimOne()
  await store.operate.cancel(id)
  await store.work.finish([{ ...job, outcome: 'canceled' }])
  return id
}
const post = (path: string, body?: unknown) => server.call('POST', path, body)

it.each([
  (target: string, id: number) => `/targets/${encodeURIComponent(target)}/jobs/${id}/resume/`,
  (target: string, id: number) => `/targets/${encodeURIComponent(target)}/jobs/${id}/resume`,
  (_target: string, id: number) => `/jobs/${id}/resume`,
  (_target: string, id: number) => `/jobs/${id}/resume/`,
])(
  'S3.09 resume sends PAUSED and ERROR to QUEUED with a clean lease, ahead of the jobs behind (%#)',
  async (path) => {
    const target = 'room 7/ä'
    for (const make of [paused, errored]) {
      const id = await make(target)
      const behind = await makeJob(target)
      expect(await claim(), 'it blocks its target').toBeUndefined()
      expect(await post(path(target, id), { reason: 'mended' })).toMatchObject({
        status: 200,
        body: {
          id,
          target_id: target,
          status: 'QUEUED',
          lease_owner: null,
          lease_expires_at: null,
          cancel_requested: false,
        },
      })
      const again = await claimOne()
      expect(again).toMatchObject({ jobId: id, attempt: 2 })
      expect(await store.read.job(id)).toMatchObject({ cancelRequested: false, leaseOwner: 'w1' })
      await store.work.finish([{ ...again, outcome: 'succeeded' }])
      const next = await claimOne()
      expect(next.jobId).toBe(behind)
      await store.work.finish([{ ...next, outcome: 'succeeded' }])
    }
    await expectHealthy(store)
  },
)

it('S3.09 a wrong target is 404, another state 409 by its name, and neither changes anything', async () => {
  const id = await errored('one')
  for (const path of [`/targets/two/jobs/${id}/resume/`, '/targets/one/jobs/999/resume/', '/jobs/999/resume'])
    expect((await post(path)).body).toMatchObject({ status: 404, code: 'unknown_job' })
  expect((await post('/jobs/none/resume')).status).toBe(400)
  expect((await store.read.job(id)).state).toBe('errored')
  const ended = await makeJob('three')
  await store.work.finish([{ ...(await claimOne()), outcome: 'succeeded' }])
  const canceled = await makeJob('four')
  await store.operate.cancel(canceled)
  const running = await makeJob('five')
  await claimOne()
  const states = {
    PENDING: await makeJob('six', { pending: true }),
    QUEUED: await makeJob('seven'),
    RUNNING: running,
    SUCCESS: ended,
    CANCELED: canceled,
  }
  for (const [word, jobId] of Object.entries(states)) {
    const before = await store.read.job(jobId)
    const { status, body } = await post(`/jobs/${jobId}/resume`)
    expect([word, status, body.code]).toEqual([word, 409, 'wrong_state'])
    expect(body.detail).toContain(`"${word}"`)
    expect(await store.read.job(jobId)).toEqual(before)
  }
  const elsewhere = await store.enqueue({ queue: 'elsewhere', kind: 'k', target: 'one' })
  expect((await post(`/jobs/${elsewhere.jobId}/resume`)).status).toBe(404)
})

it('S3.10 an endpoint lists what blocks each target, why and since when; resume, skip or cancel lets it go on', async () => {
  const blockers = {
    resume: await errored('a'),
    skip: await errored('b', 'token limit'),
    cancel: await paused('c'),
  }
  for (const target of ['a', 'b', 'c']) await makeJob(target)
  expect(await claim()).toBeUndefined()
  const listed = await server.call('GET', '/api/v1/targets')
  expect(listed.body.targets).toMatchObject([
    { target: 'a', job_id: blockers.resume, state: 'errored', reason: 'model refused', behind: 1 },
    { target: 'b', job_id: blockers.skip, state: 'errored', reason: 'token limit', behind: 1 },
    {
      target: 'c',
      job_id: blockers.cancel,
      state: 'paused',
      reason: 'Job was interrupted by user',
      behind: 1,
    },
  ])
  for (const { since, blocked_ms } of listed.body.targets) {
    expect(since).toBe((await store.clock.now()).toISOString())
    expect(blocked_ms).toEqual(expect.any(Number))
  }
  for (const { actions, job_id } of listed.body.targets) {
    const command = Object.entries(blockers).find(([, id]) => id === job_id)?.[0]
    const { href } = actions.find((action: { command: string }) => action.command === command)
    expect((await post(href, { reason: 'decided' })).status).toBe(200)
  }
  expect((await server.call('GET', '/api/v1/targets')).body.targets).toEqual([])
  const free = await store.work.claim({ worker: 'w1', queues: [QUEUE], limit: 10 })
  expect(free.map(({ target }) => target).sort()).toEqual(['a', 'b', 'c'])
  expect(free.find(({ target }) => target === 'a')?.jobId).toBe(blockers.resume)
  await expectHealthy(store)
})

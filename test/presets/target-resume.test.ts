// The target preset over HTTP: resume.
import { defineJob } from 'holdfast'
import type { ClaimedJob } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { freshApp } from '../support/app.js'
import { taken } from '../support/claims.js'
import { type Served, serve, servePinned } from '../support/http.js'
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
const claimOne = async () => taken(await claim())
const errored = async (target: string) => {
  const id = await makeJob(target)
  await store.work.finish([{ ...(await claimOne()), outcome: 'failed', error: new Error('model refused') }])
  return id
}
const paused = async (target: string) => {
  const id = await makeJob(target)
  const job = await claimOne()
  await store.commands.cancel(id)
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

it('S3.09 the answer is QUEUED with a clean lease, also when an idle worker claims the job at once', async () => {
  const job = defineJob({ kind: 'converse', queue: QUEUE, handler: async () => 'done' })
  const app = await freshApp({ jobs: [job], queues: { [QUEUE]: { preset: 'target' } } })
  const { call } = await serve(app.store)
  const ids: number[] = []
  for (let n = 0; n < 30; n++) {
    const { id } = await app.enqueue(job, null, { target: `room-${n}` })
    const taken = await app.store.work.claimById(id, { worker: 'w1' })
    await app.store.work.finish([
      { ...(taken as ClaimedJob), outcome: 'failed', error: new Error('refused') },
    ])
    ids.push(id)
  }
  await app.work()
  const clean = { lease_owner: null, lease_expires_at: null, cancel_requested: false }
  for (const [n, id] of ids.entries()) {
    const path = n % 2 === 0 ? `/targets/room-${n}/jobs/${id}/resume/` : `/jobs/${id}/resume`
    const { status, body } = await call('POST', path)
    expect([status, body]).toEqual([200, { id, target_id: `room-${n}`, status: 'QUEUED', ...clean }])
    expect(await app.handle(id).result()).toBe('done')
  }
  await expectHealthy(app.store)
})

it('S3.09 a wrong target gets 404, another state gets 409 with its name, and neither changes anything', async () => {
  const id = await errored('one')
  for (const path of [`/targets/two/jobs/${id}/resume/`, '/targets/one/jobs/999/resume/', '/jobs/999/resume'])
    expect((await post(path)).body).toMatchObject({ status: 404, code: 'unknown_job' })
  expect((await post('/jobs/none/resume')).status).toBe(400)
  expect((await store.read.job(id)).state).toBe('errored')
  const ended = await makeJob('three')
  await store.work.finish([{ ...(await claimOne()), outcome: 'succeeded' }])
  const canceled = await makeJob('four')
  await store.commands.cancel(canceled)
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

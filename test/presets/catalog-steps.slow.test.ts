// The catalog preset: every step of a job is seen from outside as it happens, with the heartbeats of the preset.
import { setTimeout as lasting } from 'node:timers/promises'
import { defineJob, work } from 'holdfast'
import { expect, it } from 'vitest'
import { freshApp } from '../support/app.js'
import { type Answer, serve } from '../support/http.js'
import { expectHealthy, freshStore } from '../support/world.js'

const QUEUE = 'work'
const QUEUES = { [QUEUE]: { preset: 'catalog' } } as const

interface Look {
  readonly id: number
  readonly state: string
  readonly started_at: string | null
}

/** A job that lasts so long and looks at itself over HTTP when it begins, halfway, and at its end. */
function lookingJob(kind: string, durationMs: number, look: (id: number) => Promise<Look>, seen: Look[]) {
  return defineJob({
    kind,
    queue: QUEUE,
    handler: async (ctx) => {
      for (let n = 0; n < 3; n += 1) {
        seen.push(await look(ctx.jobId))
        if (n < 2) await lasting(durationMs / 2)
      }
    },
  })
}

it.each([
  [50, 30],
  [2_000, 3],
])('S4.03 a job of %i ms is shown as running from its start to its end', async (durationMs, count) => {
  const seen: Look[] = []
  let look: (id: number) => Promise<Look> = () => Promise.reject(new Error('no server yet'))
  const job = lookingJob('look', durationMs, (id) => look(id), seen)
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  const { call } = await serve(app.store)
  look = async (id) => (await call('GET', `/api/v1/jobs/${id}`)).body
  expect((await app.queues.get(QUEUE)).heartbeatMs, 'as the preset has it').toBe(10_000)
  await app.work({ concurrency: 5 })
  const handles = await app.enqueueMany(
    job,
    Array.from({ length: count }, () => undefined),
  )
  await Promise.all(handles.map((handle) => handle.result()))
  expect(seen).toHaveLength(3 * count)
  for (const { state, started_at } of seen) {
    expect(state).toBe('running')
    expect(started_at).not.toBeNull()
  }
  await expectHealthy(app.store)
})

it('S4.03 a job of a worker that claims over HTTP is shown as running, too', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE, { preset: 'catalog' })
  const { url, call } = await serve(store)
  const seen: Look[] = []
  const job = lookingJob('look', 50, async (id) => (await call('GET', `/api/v1/jobs/${id}`)).body, seen)
  const working = await work({ server: { url }, jobs: [job], concurrency: 2, log: false })
  for (let n = 0; n < 6; n += 1) await store.enqueue({ queue: QUEUE, kind: 'look' })
  await expect.poll(() => seen.length, { timeout: 100_000 }).toBe(18)
  await working.drain()
  expect(new Set(seen.map(({ state }) => state))).toEqual(new Set(['running']))
})

it('S4.03 claimed, started and ended are events of the feed, in this order, and the steps of the report', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE, { preset: 'catalog' })
  const { call } = await serve(store)
  const { id } = (await call('POST', '/api/v1/jobs', { queue: QUEUE, kind: 'k' })).body
  const read = async () => (await call('GET', `/api/v1/jobs/${id}`)).body
  const steps = async () =>
    (await call('GET', `/api/v1/jobs/${id}/history`)).body.events.map(({ type }: Answer['body']) => type)
  expect((await read()).state).toBe('queued')
  const opened = (await call('POST', '/api/v1/work/leases', { worker: 'w', lease_ms: 60_000 })).body
  const claimed = (
    await call('POST', '/api/v1/work/claim', {
      worker: 'w',
      lease: opened.lease,
      queues: [QUEUE],
      start_now: 1,
    })
  ).body.jobs
  expect(claimed).toMatchObject([{ job_id: id, unstarted: true }])
  expect((await read()).state).toBe('assigned')
  expect(await steps()).toEqual(['enqueued', 'claimed'])
  const jobs = [{ job_id: id, attempt: claimed[0].attempt, lease: claimed[0].lease }]
  await call('POST', '/api/v1/work/start', { jobs })
  expect((await read()).state).toBe('running')
  expect(await steps()).toEqual(['enqueued', 'claimed', 'started'])
  // Once more, as when the answer was lost: no second event.
  await call('POST', '/api/v1/work/start', { jobs })
  await store.work.finish([{ ...claimed[0], jobId: id, outcome: 'succeeded' }])
  expect(await steps()).toEqual(['enqueued', 'claimed', 'started', 'succeeded'])
  const { events } = await store.read.feed('all')
  const types = events.filter(({ jobIds }) => jobIds?.includes(id)).map(({ type }) => type)
  expect(types).toEqual(['enqueued', 'claimed', 'started', 'attempt_ended'])
})

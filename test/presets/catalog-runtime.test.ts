// The catalog preset, as far as handlers run: the steps of a job, its report, and the catalogue of kinds.
import { type App, JobCanceled, JobFailed } from 'holdfast'
import { catalogue, type WorkKind } from 'holdfast/testing'
import { beforeEach, expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { expectHealthy } from '../support/world.js'

const QUEUE = 'work'
const WAIT = { timeout: 100_000, interval: 20 }
const kinds = catalogue(
  {
    thumbnail: { durationMs: 20, outcome: 'success' },
    'flaky-call': { durationMs: 1, outcome: 'fail', retryable: true, attempts: 1 },
    'bad-upload': { durationMs: 1, outcome: 'fail', retryable: false },
    'old-offer': { durationMs: 1, outcome: 'cancel' },
    endless: { durationMs: 2 ** 30, outcome: 'success' },
  } satisfies Record<string, WorkKind>,
  QUEUE,
)

interface Report {
  kind: string
  state: string
  attempts: Record<string, unknown>[]
  events: { type: string; attempt?: number; actor?: string }[]
}

let app: App
beforeEach(async () => {
  app = await freshApp({
    jobs: kinds.jobs,
    queues: { [QUEUE]: { preset: 'catalog', retryBaseMs: 0, heartbeatMs: 200 } },
  })
})
const story = async (id: number) => (await app.handle(id).history()) as unknown as Report
const steps = ({ events }: Report) => events.map(({ type }) => type)

it('S4.03 a job is claimed, runs and ends, with an event for each step and a report', async () => {
  await app.work({ name: 'worker-1' })
  const handle = await app.enqueue(kinds.job('thumbnail'), { file: 'a.png' })
  const result = await handle.result()
  const report = await story(handle.id)
  expect(report).toMatchObject({ kind: 'thumbnail', state: 'succeeded' })
  expect(steps(report)).toEqual(['enqueued', 'claimed', 'started', 'succeeded'])
  expect(report.attempts).toEqual([
    expect.objectContaining({
      attempt: 1,
      worker: 'worker-1',
      outcome: 'succeeded',
      result,
      claimed_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      waited_ms: expect.any(Number),
      ran_ms: expect.any(Number),
    }),
  ])
})

it('S4.03 in other presets a claimed job is assigned until the next heartbeat, without an event or an update', async () => {
  await app.queues.create('calm')
  await app.work({ queues: ['calm'] })
  await app.work({ queues: [QUEUE] })
  const endless = kinds.job('endless')
  const calm = await app.enqueue(endless, null, { queue: 'calm' })
  const busy = await app.enqueue(endless, null)
  await vi.waitFor(async () => expect(await busy.status()).toBe('running'), WAIT)
  await vi.waitFor(async () => expect(await calm.status()).toBe('assigned'), WAIT)
  const { events } = await app.store.read.feed('all')
  expect(events.filter(({ type }) => type === 'started').map(({ jobIds }) => jobIds)).toEqual([[busy.id]])
  await app.stop({ graceMs: 0 })
})

it('S4.03 the report of a job that failed first has every attempt, with the error', async () => {
  await app.work()
  const handle = await app.enqueue(kinds.job('flaky-call'), null)
  await handle.result()
  const report = await story(handle.id)
  expect(report.attempts).toMatchObject([
    { attempt: 1, outcome: 'failed', error: { class: 'Error', message: 'flaky-call fails' } },
    { attempt: 2, outcome: 'succeeded' },
  ])
  expect(steps(report)).toEqual([
    'enqueued',
    'claimed',
    'started',
    'retrying',
    'claimed',
    'started',
    'succeeded',
  ])
})

it('S4.03 canceled jobs have a report, too: one that ran and one that never did', async () => {
  const never = await app.enqueue(kinds.job('thumbnail'), null, { delayMs: 3_600_000 })
  await never.cancel({ actor: 'ada', reason: 'not needed' })
  expect(await story(never.id)).toMatchObject({ state: 'canceled', attempts: [{ outcome: 'canceled' }] })
  expect((await story(never.id)).events).toContainEqual(
    expect.objectContaining({ type: 'canceled', actor: 'ada', reason: 'not needed' }),
  )
  await app.work()
  const ran = await app.enqueue(kinds.job('old-offer'), null)
  await expect(ran.result()).rejects.toBeInstanceOf(JobCanceled)
  const report = await story(ran.id)
  expect(report).toMatchObject({ state: 'canceled', attempts: [{ outcome: 'canceled', attempt: 1 }] })
  expect(steps(report)).toEqual(['enqueued', 'claimed', 'started', 'canceled'])
  await expectHealthy(app.store)
})

it('S4.05 each kind of the catalogue has its own duration, outcome and retries', async () => {
  await app.work()
  const end = async (kind: string) => {
    const handle = await app.enqueue(kinds.job(kind), null)
    const result = await handle.result().catch((error: unknown) => error)
    const report = await story(handle.id)
    return { result, attempts: report.attempts.length, ran: report.attempts[0]?.ran_ms }
  }
  const thumbnail = await end('thumbnail')
  expect(thumbnail).toMatchObject({ result: { kind: 'thumbnail' }, attempts: 1 })
  // A timer may be a millisecond early by another clock.
  expect(thumbnail.ran).toBeGreaterThanOrEqual(19)
  expect(await end('flaky-call')).toMatchObject({ result: { kind: 'flaky-call' }, attempts: 2 })
  const bad = await end('bad-upload')
  expect(bad.result).toBeInstanceOf(JobFailed)
  expect(bad.attempts).toBe(1)
  expect((await end('old-offer')).result).toBeInstanceOf(JobCanceled)
})

it('S4.05 the same input has the same result, proven by running everything twice', async () => {
  await app.work()
  const inputs = Array.from({ length: 20 }, (_, n) => ({ n, list: [n, { deep: `${n}` }] }))
  const run = async () => {
    const handles = await app.enqueueMany(kinds.job('thumbnail'), inputs)
    return Promise.all(handles.map((handle) => handle.result()))
  }
  const first = await run()
  expect(await run()).toEqual(first)
  expect(new Set(first.map(({ digest }) => digest)).size, 'and other inputs have others').toBe(inputs.length)
})

it('S4.05 an unknown kind is refused with the nearest name', () => {
  expect(() => kinds.job('thumnail')).toThrow('there is no kind "thumnail"; did you mean "thumbnail"?')
})

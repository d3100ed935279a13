// The crawl preset: what the system does by itself. Aging, stuck jobs, stale subjects.
import { type App, holdfast } from 'holdfast'
import type { ClaimedJob, Store } from 'holdfast/store'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { taken } from '../support/claims.js'
import { finished, startHoldfast } from '../support/cli/child.js'
import { expectHealthy, pinnedStore, postgresUrl, secondStore, type World } from '../support/world.js'

const QUEUE = 'subreddits'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WAIT = { timeout: 100_000, interval: 20 }

let store: World
let chores: App['upkeep']
beforeEach(async () => {
  store = await pinnedStore()
  chores = await choresOf(store)
  await store.queues.create(QUEUE, { preset: 'crawl' })
})

const choresOf = async (of: Store) => (await holdfast({ store: of })).upkeep

let made = 0
const makeJob = async (more = {}) => {
  made += 1
  return (await store.enqueue({ queue: QUEUE, kind: 'crawl', subject: `r/${made}`, ...more })).jobId
}
const claim = (limit = 1): Promise<ClaimedJob[]> =>
  store.work.claim({ worker: 'crawler', queues: [QUEUE], limit })
const claimOne = async () => taken((await claim())[0])
const end = (job: ClaimedJob, outcome: 'succeeded' | 'failed') => store.work.finish([{ ...job, outcome }])
const priorityOf = async (jobId: number) => (await store.read.job(jobId)).priority
const wait = (ms: number) => store.clock.advance(ms)

it('S1.02 behind a steady stream at priority 50, a job of priority 0 starts within 1 h and 5 passes', async () => {
  const starved = await makeJob()
  for (let backlog = 0; backlog < 4; backlog++) await makeJob({ priority: 50 })
  for (let minute = 1; minute <= 85; minute++) {
    await wait(MINUTE)
    await store.enqueueMany(
      [1, 2].map((n) => ({ queue: QUEUE, kind: 'crawl', subject: `s/${minute}/${n}`, priority: 50 })),
    )
    if (minute % 5 === 0) await chores.run('age')
    const jobs = await claim(2)
    expect(jobs, 'the stream is steady').toHaveLength(2)
    await store.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))
    if (jobs.some(({ jobId }) => jobId === starved)) {
      expect(minute).toBeGreaterThan(60)
      return
    }
  }
  expect.fail('it did not start in 85 minutes')
})

it('S1.02 a job that has waited an hour gains 10 with each pass, and one that has not gains nothing', async () => {
  const old = await makeJob()
  await wait(1)
  const young = await makeJob()
  await wait(HOUR - 1)
  const seen: number[][] = []
  for (let pass = 0; pass < 3; pass++) {
    await chores.run('age')
    seen.push([await priorityOf(old), await priorityOf(young)])
    await wait(5 * MINUTE)
  }
  expect(seen).toEqual([
    [10, 0],
    [20, 10],
    [30, 20],
  ])
})

it('S1.02 aging runs once in five minutes, however many nodes try', async () => {
  const jobId = await makeJob()
  await wait(HOUR)
  const nodes = [chores, await choresOf(await secondStore(store)), await choresOf(await secondStore(store))]
  await Promise.all([...nodes, ...nodes].map((node) => node.run('age')))
  expect(await priorityOf(jobId)).toBe(10)
  await wait(5 * MINUTE - 1)
  await chores.run('age')
  expect(await priorityOf(jobId)).toBe(10)
  await wait(1)
  await chores.run('age')
  expect(await priorityOf(jobId)).toBe(20)
})

it('S1.02 aging stops at priority 100, and rows at 100 are not written', async () => {
  const [top, near] = [await makeJob({ priority: 100 }), await makeJob({ priority: 95 })]
  await wait(HOUR)
  const place = async (jobId: number) =>
    (await store.database.query('select ctid, xmin from holdfast.ready where job_id = $1', [jobId]))[0]
  const before = await place(top)
  expect(await chores.run('age')).toMatchObject({ rows: 1 })
  expect([await priorityOf(top), await priorityOf(near)]).toEqual([100, 100])
  expect(await place(top)).toEqual(before)
  await wait(5 * MINUTE)
  expect(await chores.run('age')).toMatchObject({ rows: 0 })
})

it('S1.02 the age, step, maximum and interval of aging are settings', async () => {
  for (const [name, value] of Object.entries({
    AGE_AFTER_SEC: 60,
    AGE_STEP: 7,
    AGE_CAP: 20,
    AGE_EVERY_SEC: 30,
  }))
    await store.settings.set(name, value)
  const jobId = await makeJob()
  const seen: number[] = []
  for (let half = 0; half < 6; half++) {
    await (await choresOf(store)).run('age')
    seen.push(await priorityOf(jobId))
    await wait(30_000)
  }
  expect(seen).toEqual([0, 0, 7, 14, 20, 20])
})

it('S1.02 the priority that a job gained by waiting survives its retries', async () => {
  const jobId = await makeJob({ priority: 30 })
  await wait(HOUR)
  await chores.run('age')
  for (let attempt = 1; attempt <= 3; attempt++) {
    await end(await claimOne(), 'failed')
    expect(await priorityOf(jobId)).toBe(40)
    await wait(20 * MINUTE)
    await store.upkeep.promote()
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', priority: 40 })
  }
  expect(await claimOne()).toMatchObject({ jobId, priority: 40 })
})

const stateOf = async (jobId: number) => (await store.read.job(jobId)).state

it('S1.16 a crawl is requeued 15 minutes after its last report, even if its process is alive', async () => {
  const [silent, busy] = [await makeJob(), await makeJob()]
  const jobs = await claim(2)
  const at = (jobId: number) => jobs.find((job) => job.jobId === jobId) as ClaimedJob
  await wait(10 * MINUTE)
  await store.work.renew(jobs.map(({ lease }) => lease))
  await store.work.report({ ...at(busy), progress: { page: 3 } })
  await wait(5 * MINUTE - 1)
  await store.upkeep.promoteDueWork()
  expect([await stateOf(silent), await stateOf(busy)]).toEqual(['assigned', 'assigned'])
  await wait(1)
  await store.upkeep.promoteDueWork()
  expect([await stateOf(silent), await stateOf(busy)]).toEqual(['queued', 'assigned'])
  await wait(10 * MINUTE)
  await store.upkeep.promoteDueWork()
  expect(await stateOf(busy)).toBe('queued')
  await expectHealthy(store)
})

it.each([
  [5, 'sooner'],
  [40, 'later'],
])(
  'S1.16 with the setting RESET_CRAWLING_AFTER_MIN at %i, crawls that already run are requeued %s, too',
  async (minutes) => {
    const [before, after] = [await makeJob(), await makeJob()]
    await claimOne()
    await store.settings.set('RESET_CRAWLING_AFTER_MIN', minutes)
    await claimOne()
    await wait(minutes * MINUTE - 1)
    await store.upkeep.promoteDueWork()
    expect([await stateOf(before), await stateOf(after)]).toEqual(['assigned', 'assigned'])
    await wait(1)
    await store.upkeep.promoteDueWork()
    expect([await stateOf(before), await stateOf(after)]).toEqual(['queued', 'queued'])
    await store.settings.reset('RESET_CRAWLING_AFTER_MIN')
    expect((await store.queues.get(QUEUE)).leaseMs).toBe(15 * MINUTE)
  },
)

it('S1.16 a queue with its own lease keeps it', async () => {
  await store.queues.create('own', { preset: 'crawl', policy: { leaseMs: 20 * MINUTE } })
  await store.queues.create('other')
  await store.settings.set('RESET_CRAWLING_AFTER_MIN', 5)
  expect((await store.queues.get('own')).leaseMs).toBe(20 * MINUTE)
  expect((await store.queues.get('other')).leaseMs).toBe(30_000)
})

/** A subject that has succeeded now. */
async function crawled(name: string): Promise<void> {
  await store.enqueue({ queue: QUEUE, kind: 'crawl', subject: name, input: { of: name }, priority: 20 })
  await end(await claimOne(), 'succeeded')
  await store.upkeep.countMinutes()
}

/** Subjects with a job that could be begun; afterwards it has succeeded. */
async function live(): Promise<(string | null)[]> {
  const jobs = await claim(10)
  if (jobs.length > 0) await store.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))
  return jobs.map(({ subject }) => subject)
}

it('S1.16 a subject that was not crawled for 30 days is enqueued again, with the fields of its last job', async () => {
  await crawled('r/rust')
  expect(await store.subjects.list()).toMatchObject([
    { queue: QUEUE, name: 'r/rust', kind: 'crawl', lastSuccessAt: new Date('2030-01-01'), enabled: true },
  ])
  await wait(30 * DAY - 1)
  expect(await chores.run('stale')).toMatchObject({ rows: 0 })
  await wait(1)
  expect(await chores.run('stale')).toMatchObject({ rows: 1 })
  const again = await claimOne()
  expect(again).toMatchObject({ kind: 'crawl', subject: 'r/rust', input: { of: 'r/rust' }, priority: 20 })
  expect((await store.read.job(again.jobId)).createdBy).toBe('holdfast: stale')
  await end(again, 'succeeded')
  await store.upkeep.countMinutes()
  const lastSuccessAt = new Date(Date.parse('2030-01-01') + 30 * DAY)
  expect(await store.subjects.list()).toMatchObject([{ name: 'r/rust', lastSuccessAt, enqueuedAt: null }])
  await wait(6 * HOUR)
  expect(await chores.run('stale')).toMatchObject({ rows: 0 })
})

it('S1.16 a stale subject is enqueued once in 6 hours, by any number of nodes, and not while it has a live job', async () => {
  await crawled('r/rust')
  await wait(31 * DAY)
  const nodes = [chores, await choresOf(await secondStore(store)), await choresOf(await secondStore(store))]
  await Promise.all([...nodes, ...nodes].map((node) => node.run('stale')))
  const job = await claimOne()
  expect(await claim()).toEqual([])
  await wait(7 * HOUR)
  expect(await chores.run('stale')).toMatchObject({ rows: 0 })
  for (let n = 0; n < 4; n++) {
    await store.upkeep.promoteDueWork()
    const [next = job] = await claim()
    await end(next, 'failed')
    await wait(30 * MINUTE)
  }
  expect((await store.read.job(job.jobId)).state).toBe('failed')
  expect(await chores.run('stale')).toMatchObject({ rows: 1 })
})

it('S1.16 STALE_DAYS is a setting; a subject may have its own interval, or be disabled', async () => {
  for (const name of ['r/usual', 'r/often', 'r/never']) await crawled(name)
  const id = async (name: string) => (await store.subjects.find(QUEUE, name)).id
  await store.subjects.set(await id('r/often'), { staleAfterMs: DAY })
  await store.subjects.set(await id('r/never'), { enabled: false })
  await wait(DAY)
  await chores.run('stale')
  expect(await live()).toEqual(['r/often'])
  await store.settings.set('STALE_DAYS', 3)
  await wait(2 * DAY)
  await (await choresOf(store)).run('stale')
  expect((await live()).sort()).toEqual(['r/often', 'r/usual'])
})

it('S1.16 RESET_CRAWLING_AFTER_MIN and STALE_DAYS are read from the environment', async () => {
  await crawled('r/rust')
  await wait(9 * DAY)
  const env = { STALE_DAYS: '9', RESET_CRAWLING_AFTER_MIN: '7', DATABASE_URL: postgresUrl() }
  const server = startHoldfast(['server', '--schema', store.schema], { env })
  const gone = finished(server)
  onTestFinished(async () => {
    server.kill('SIGTERM')
    await gone
  })
  await vi.waitFor(async () => expect((await store.queues.get(QUEUE)).leaseMs).toBe(7 * MINUTE), WAIT)
  await vi.waitFor(async () => expect(await live()).toEqual(['r/rust']), WAIT)
})

// The crawl preset: priority, dedup, retries, visibility.
import { backoffMs, type ClaimedJob, type Store, stateWord } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { taken } from '../support/claims.js'
import { expectHealthy, pinnedStore, secondStore, type World } from '../support/world.js'

const QUEUE = 'subreddits'
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

let store: World
beforeEach(async () => {
  store = await pinnedStore()
  await store.queues.create(QUEUE, { preset: 'crawl' })
})

let made = 0
const makeJob = async (more = {}) => {
  made += 1
  return (await store.enqueue({ queue: QUEUE, kind: 'crawl', subject: `r/${made}`, ...more })).jobId
}

const claim = async (limit = 1): Promise<ClaimedJob[]> =>
  store.work.claim({ worker: 'crawler', queues: [QUEUE], limit })

const claimOne = async () => taken((await claim())[0])

const end = async (job: ClaimedJob, outcome: 'succeeded' | 'failed' | 'snoozed' | 'parked', more = {}) => {
  const [ended] = await store.work.finish([{ ...job, outcome, ...more }])
  expect(ended?.accepted).toBe(true)
  return ended
}

it('S1.01 the highest priority is claimed first, then the oldest; the default is 0', async () => {
  const [low, high, normal, highToo, top] = [
    await makeJob({ priority: 10 }),
    await makeJob({ priority: 70 }),
    await makeJob(),
    await makeJob({ priority: 70 }),
    await makeJob({ priority: 100 }),
  ]
  expect(await store.read.job(normal)).toMatchObject({ priority: 0 })
  const order: number[] = []
  for (let n = 0; n < 5; n++) order.push((await claimOne()).jobId)
  expect(order).toEqual([top, high, highToo, low, normal])
})

it.each([-1, 101, 0.5, '50', Number.NaN])('S1.01 priority %s is refused', async (priority) => {
  await expect(makeJob({ priority })).rejects.toMatchObject({
    code: 'invalid_input',
    status: 400,
    details: { path: '/priority', limit: 'priority' },
  })
  expect(await claim()).toEqual([])
})

it('S1.01 an older job that failed, was delayed or was set aside is claimed before a younger one of its priority', async () => {
  const older = await makeJob({ priority: 40 })
  const younger = await makeJob({ priority: 40 })
  const above = await makeJob({ priority: 41 })
  expect((await claimOne()).jobId).toBe(above)
  const comesBack = async () => {
    await store.upkeep.promote()
    const job = await claimOne()
    expect(job.jobId).toBe(older)
    return job
  }
  const first = await claimOne()
  await end(first, 'failed')
  await store.clock.advance(2 * MINUTE)
  await end(await comesBack(), 'snoozed', { delayMs: 5 * SECOND })
  await store.clock.advance(5 * SECOND)
  await end(await comesBack(), 'parked')
  await store.commands.resume(older)
  await end(await comesBack(), 'succeeded')
  expect((await claimOne()).jobId).toBe(younger)
  await expectHealthy(store)
})

it('S1.01 a younger job is claimed before one that is not due yet', async () => {
  const older = await makeJob()
  const younger = await makeJob()
  await end(await claimOne(), 'failed')
  await store.upkeep.promote()
  expect((await claimOne()).jobId).toBe(younger)
  expect(await store.read.job(older)).toMatchObject({ state: 'retrying' })
})

it('S1.03 enqueuing a second job for a subject returns the live one; after its end the subject is free', async () => {
  const job = { queue: QUEUE, kind: 'crawl', subject: 'r/rust' }
  const first = await store.enqueue(job)
  expect(first.deduplicated).toBe(false)
  expect(await store.enqueue(job)).toEqual({ jobId: first.jobId, deduplicated: true })
  const running = await claimOne()
  expect(await store.enqueue(job)).toEqual({ jobId: first.jobId, deduplicated: true })
  await end(running, 'failed')
  expect(await store.enqueue(job)).toEqual({ jobId: first.jobId, deduplicated: true })
  await store.clock.advance(2 * MINUTE)
  await end(await claimOne(), 'succeeded')
  const next = await store.enqueue(job)
  expect(next).toEqual({ jobId: expect.any(Number), deduplicated: false })
  expect(next.jobId).not.toBe(first.jobId)
  expect(await store.enqueue({ ...job, subject: 'r/go' })).toMatchObject({ deduplicated: false })
  await expectHealthy(store)
})

it('S1.03 fifty concurrent enqueues of one subject from two processes create one job', async () => {
  const other = await secondStore(store)
  const enqueues = Array.from({ length: 50 }, (_, n) => {
    const from: Store = n % 2 === 0 ? store : other
    // With a request of its own each, so that they do not travel in one statement.
    return from.enqueueMany([{ queue: QUEUE, kind: 'crawl', subject: 'r/one' }])
  })
  const answers = (await Promise.all(enqueues)).flat()
  expect(answers.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1)
  expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(1)
  expect(await claim(10)).toHaveLength(1)
  await expectHealthy(store)
})

it('S1.03 if the transaction that enqueued the job rolls back, the one that waited for it creates the job', async () => {
  const other = await secondStore(store)
  const job = { queue: QUEUE, kind: 'crawl', subject: 'r/undone' }
  let waiting: Promise<unknown> | undefined
  const undone = store.database.transaction(async (session) => {
    const tx = {
      query: async (text: string, values: unknown[]) => ({ rows: await session.query(text, values) }),
    }
    expect(await store.enqueue(job, { tx })).toMatchObject({ deduplicated: false })
    waiting = other.enqueue(job)
    await oneWaitsForALock()
    throw new Error('rolled back')
  })
  await expect(undone).rejects.toThrow('rolled back')
  expect(await waiting).toMatchObject({ deduplicated: false })
  expect(await claim(10)).toHaveLength(1)
})

/** Asked outside the transaction, which would see the sessions as they were when it first looked. */
async function oneWaitsForALock(): Promise<void> {
  for (;;) {
    const waiting = await store.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%holdfast.enqueue_many%'`,
    )
    if (waiting.length > 0) return
  }
}

// The document's table: retry number, base delay, least and most after jitter, in seconds. 24 h from n = 11 on.
const RETRIES: [retry: number, least: number, most: number][] = [
  [1, 48, 72],
  [2, 96, 144],
  [3, 192, 288],
  [4, 384, 576],
  [5, 768, 1_152],
  [6, 1_536, 2_304],
  [11, 49_152, 73_728],
  [12, 19.2 * 3_600, 28.8 * 3_600],
  [20, 19.2 * 3_600, 28.8 * 3_600],
  [21, 19.2 * 3_600, 28.8 * 3_600],
]

it('S1.04 the n-th retry waits 1 min · 2^(n-1), at most 24 h, and then 20 % less or more', () => {
  for (const [retry, least, most] of RETRIES) {
    const backoff = {
      failures: retry - 1,
      baseMs: MINUTE,
      factor: 2,
      capMs: 24 * HOUR,
      jitterLow: -0.2,
      jitterHigh: 0.2,
    }
    expect(backoffMs({ ...backoff, random: 0 }), `retry ${retry}`).toBe(least * SECOND)
    expect(backoffMs({ ...backoff, random: 1 }), `retry ${retry}`).toBe(most * SECOND)
  }
})

it('S1.04 the delays of real failures match the table, for the number of retries that the job sets', async () => {
  const jobs = Array.from({ length: 20 }, (_, n) => ({
    queue: QUEUE,
    kind: 'crawl',
    subject: `r/${n}`,
    maxRetries: 21,
  }))
  await store.enqueueMany(jobs)
  const bounds = new Map(RETRIES.map(([retry, least, most]) => [retry, { least, most }]))
  for (let retry = 1; retry <= 21; retry++) {
    const claimed = await claim(100)
    expect(claimed).toHaveLength(jobs.length)
    const now = (await store.clock.now()).getTime()
    const failed = await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'failed' })))
    const waits = failed.map(({ dueAt }) => ((dueAt?.getTime() ?? 0) - now) / SECOND)
    const { least, most } = bounds.get(retry) ?? { least: Math.min(...waits), most: Math.max(...waits) }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(least)
    expect(Math.max(...waits)).toBeLessThanOrEqual(most)
    const middle = Math.min(60 * 2 ** (retry - 1), 86_400)
    expect(waits.some((wait) => wait < middle) && waits.some((wait) => wait > middle), '± 20 %').toBe(true)
    await store.clock.advance(28.8 * HOUR)
  }
  const last = await store.work.finish((await claim(100)).map((job) => ({ ...job, outcome: 'failed' })))
  expect(new Set(last.map(({ state }) => state))).toEqual(new Set(['failed']))
})

it.each([
  ['by default after 3 retries', {}, 4],
  ['at once with max_retries 0', { maxRetries: 0 }, 1],
  ['after the 5 the job asked for', { maxRetries: 5 }, 6],
])('S1.04 a job that keeps failing ends %s', async (_title, more, runs) => {
  const jobId = await makeJob(more)
  for (let run = 1; run <= runs; run++) {
    const ended = await end(await claimOne(), 'failed', { error: new Error('429') })
    expect(ended?.state).toBe(run < runs ? 'retrying' : 'failed')
    await store.clock.advance(24 * HOUR)
  }
  expect(await claim()).toEqual([])
  expect(await store.read.job(jobId)).toMatchObject({
    state: 'failed',
    failures: runs,
    maxRetries: runs - 1,
  })
})

it('S1.05 a job is never claimed before visible_at and can be claimed from then on, with no upkeep running', async () => {
  const visibleAt = new Date((await store.clock.now()).getTime() + HOUR)
  const jobId = await makeJob({ runAt: visibleAt })
  expect(await store.read.job(jobId)).toMatchObject({ state: 'scheduled', visibleAt })
  await store.clock.set(new Date(visibleAt.getTime() - 1))
  expect(await claim()).toEqual([])
  expect(await store.work.claimById(jobId, { worker: 'crawler' })).toBeUndefined()
  await store.clock.set(visibleAt)
  expect(await claimOne()).toMatchObject({ jobId, attempt: 1 })
})

it('S1.05 in a busy queue one pass of upkeep promotes a due job to the place of its priority', async () => {
  const now = (await store.clock.now()).getTime()
  const urgent = await makeJob({ runAt: new Date(now + MINUTE), priority: 90 })
  await Promise.all(Array.from({ length: 10 }, () => makeJob()))
  await store.clock.advance(MINUTE - 1)
  expect(await store.upkeep.promote()).toBe(0)
  expect((await claimOne()).jobId).not.toBe(urgent)
  await store.clock.advance(1)
  expect(await store.upkeep.promote()).toBe(1)
  expect((await claimOne()).jobId).toBe(urgent)
})

it('S1.08 queued → crawling → success or failed, and a retry goes back to queued', async () => {
  const word = async (jobId: number) => {
    const job = await store.read.job(jobId)
    return stateWord('crawl', job.state, { attempted: job.attempt > 0 })
  }
  const lives: Record<string, ('failed' | 'succeeded')[]> = {
    'queued crawling success': ['succeeded'],
    'queued crawling queued crawling success': ['failed', 'succeeded'],
    'queued crawling queued crawling queued crawling queued crawling failed': [
      'failed',
      'failed',
      'failed',
      'failed',
    ],
  }
  for (const [expected, outcomes] of Object.entries(lives)) {
    const jobId = await makeJob()
    const words = [await word(jobId)]
    for (const outcome of outcomes) {
      const job = await claimOne()
      words.push(await word(jobId))
      await store.work.start([job])
      expect(await word(jobId)).toBe('crawling')
      await end(job, outcome)
      words.push(await word(jobId))
      await store.clock.advance(HOUR)
    }
    expect(words.join(' ')).toBe(expected)
    await expect(store.commands.resume(jobId)).rejects.toMatchObject({ code: 'wrong_state' })
    expect(await claim(), 'an ended job is never claimed').toEqual([])
  }
})

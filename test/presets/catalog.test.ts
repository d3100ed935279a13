// The catalog preset: a persistent FIFO queue with leases.
import { type ClaimedJob, STATES, stateWord } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { taken } from '../support/claims.js'
import { expectHealthy, pinnedStore, type World } from '../support/world.js'

const QUEUE = 'work'
const SECOND = 1_000

let store: World
beforeEach(async () => {
  store = await pinnedStore()
  await store.queues.create(QUEUE, { preset: 'catalog' })
})

const makeJob = async (more = {}) => (await store.enqueue({ queue: QUEUE, kind: 'thumbnail', ...more })).jobId

const claim = async (worker = 'w1', lease?: number): Promise<ClaimedJob | undefined> => {
  const [job] = await store.work.claim({ worker, queues: [QUEUE], ...(lease ? { lease } : {}) })
  return job
}

const claimOne = async () => taken(await claim())

const state = async (jobId: number) => {
  const job = await store.read.job(jobId)
  return stateWord('catalog', job.state, { attempted: job.attempt > 0 })
}

it('S4.01 jobs are claimed in order of creation, whatever their priority, also after retries', async () => {
  const ids = [
    await makeJob(),
    await makeJob({ priority: 100 }),
    await makeJob(),
    await makeJob({ priority: 50 }),
  ]
  const [first, second] = [await claimOne(), await claimOne()]
  expect([first.jobId, second.jobId]).toEqual(ids.slice(0, 2))
  await store.work.finish([{ ...first, outcome: 'failed' }])
  await store.work.finish([{ ...second, outcome: 'released' }])
  expect((await claimOne()).jobId, 'released: in its old place').toBe(ids[1])
  await store.clock.advance(2 * SECOND)
  await store.upkeep.promote()
  const rest = [await claimOne(), await claimOne(), await claimOne()]
  expect(rest.map(({ jobId }) => jobId)).toEqual([ids[0], ids[2], ids[3]])
  expect(await claim()).toBeUndefined()
})

it('S4.01 the states are queued, assigned, running, succeeded, failed, canceled and no others', async () => {
  const words = STATES.flatMap((one) =>
    [false, true].map((attempted) => stateWord('catalog', one, { attempted })),
  )
  expect([...new Set(words)].sort()).toEqual(
    ['queued', 'assigned', 'running', 'succeeded', 'failed', 'canceled'].sort(),
  )
  const ends = [
    ['succeeded', 'succeeded', {}],
    ['failed', 'failed', { retryable: false }],
    ['canceled', 'canceled', {}],
  ] as const
  for (const [outcome, word, more] of ends) {
    const jobId = await makeJob()
    const seen = [await state(jobId)]
    const job = await claimOne()
    seen.push(await state(jobId))
    expect(await store.work.start([job])).toEqual([{ jobId, attempt: 1 }])
    seen.push(await state(jobId))
    await store.work.finish([{ ...job, outcome, ...more }])
    seen.push(await state(jobId))
    expect(seen).toEqual(['queued', 'assigned', 'running', word])
    expect(await store.work.start([job]), 'an ended job does not start again').toEqual([])
    expect(await state(jobId)).toBe(word)
  }
})

it('S4.02 a claimed job has lease_owner, lease_expires_at and heartbeat_at, and heartbeats move the last two', async () => {
  const jobId = await makeJob()
  const none = { leaseOwner: null, leaseExpiresAt: null, heartbeatAt: null }
  expect(await store.read.job(jobId)).toMatchObject(none)
  const begin = (await store.clock.now()).getTime()
  const { lease } = await store.work.openLease('worker-7', 30 * SECOND)
  const job = (await claim('worker-7', lease)) as ClaimedJob
  expect(await store.read.job(jobId)).toMatchObject({
    leaseOwner: 'worker-7',
    leaseExpiresAt: new Date(begin + 30 * SECOND),
    heartbeatAt: new Date(begin),
  })
  await store.clock.advance(10 * SECOND)
  await store.work.renew([lease])
  expect(await store.read.job(jobId)).toMatchObject({
    leaseOwner: 'worker-7',
    leaseExpiresAt: new Date(begin + 40 * SECOND),
    heartbeatAt: new Date(begin + 10 * SECOND),
  })
  await store.work.finish([{ ...job, outcome: 'succeeded' }])
  expect(await store.read.job(jobId), 'ended: nobody owns it').toMatchObject(none)
})

it('S4.02 a job with its own lease has these fields, too; a lease that is not renewed expires after 30 s', async () => {
  await Promise.all(Array.from({ length: 5 }, () => makeJob()))
  const { lease } = await store.work.openLease('w1', 30 * SECOND)
  await store.work.claim({ worker: 'w1', lease, queues: [QUEUE], limit: 3 })
  await store.work.claim({ worker: 'w2', queues: [QUEUE], limit: 3 })
  const bare = () =>
    store.database.query(
      `select id from holdfast.jobs where state in ('assigned', 'running')
         and (lease_owner is null or lease_expires_at is null or heartbeat_at is null)`,
    )
  expect(await bare()).toEqual([])
  await store.clock.advance(30 * SECOND - 1)
  expect(await store.upkeep.reclaim()).toBe(0)
  await store.clock.advance(1)
  expect(await store.upkeep.reclaim()).toBe(5)
  expect(
    await store.database.query("select from holdfast.jobs where state = 'queued' and losses = 1"),
  ).toHaveLength(5)
  await expectHealthy(store)
})

it('S4.04 a retry increments attempt, sets executed_at to now + backoff, and is claimed only when due', async () => {
  const jobId = await makeJob()
  for (const [n, baseMs] of [1_000, 2_000, 4_000].entries()) {
    const job = await claimOne()
    expect(job).toMatchObject({ jobId, attempt: n + 1, failures: n })
    const now = (await store.clock.now()).getTime()
    const [failed] = await store.work.finish([{ ...job, outcome: 'failed' }])
    const { visibleAt: executedAt, attempt } = await store.read.job(jobId)
    expect(attempt).toBe(n + 1)
    expect(executedAt).toEqual(failed?.dueAt)
    expect(executedAt.getTime() - now).toBeGreaterThanOrEqual(baseMs * 0.8)
    expect(executedAt.getTime() - now).toBeLessThanOrEqual(baseMs * 1.2)
    expect(await state(jobId)).toBe('queued')
    await store.clock.set(new Date(executedAt.getTime() - 1))
    expect(await claim(), 'not due').toBeUndefined()
    await store.clock.set(executedAt)
  }
  await store.work.finish([{ ...(await claimOne()), outcome: 'failed' }])
  expect(await state(jobId), 'the fourth failure is the last: 3 retries').toBe('failed')
  await store.clock.advance(3_600 * SECOND)
  expect(await claim()).toBeUndefined()
})

it('S4.04 the policy of the queue sets the number of retries and their backoff: at most 60 s by default', async () => {
  const jobs = Array.from({ length: 20 }, () => ({ queue: QUEUE, kind: 'thumbnail', maxRetries: 10 }))
  await store.enqueueMany(jobs)
  const failAll = async () => {
    const now = (await store.clock.now()).getTime()
    const claimed = await store.work.claim({ worker: 'w1', queues: [QUEUE], limit: 100 })
    expect(claimed).toHaveLength(jobs.length)
    const failed = await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'failed' })))
    await store.clock.advance(100 * SECOND)
    return failed.map(({ dueAt }) => (dueAt?.getTime() ?? 0) - now)
  }
  for (let n = 0; n < 7; n++) await failAll()
  const capped = await failAll()
  expect(Math.min(...capped)).toBeGreaterThanOrEqual(48 * SECOND)
  expect(Math.max(...capped)).toBeLessThanOrEqual(72 * SECOND)
  expect(new Set(capped).size, 'the jitter spreads them').toBeGreaterThan(1)
  await store.queues.setPolicy(QUEUE, { retryBaseMs: 500, retryFactor: 1, jitterLow: 0, jitterHigh: 0 })
  expect(new Set(await failAll())).toEqual(new Set([500]))
})

it('S4.04 a failure that is not retryable ends the job at its first attempt', async () => {
  const jobId = await makeJob()
  await store.work.finish([{ ...(await claimOne()), outcome: 'failed', retryable: false }])
  expect(await store.read.job(jobId)).toMatchObject({
    state: 'failed',
    attempt: 1,
    reason: 'not_retryable',
  })
})

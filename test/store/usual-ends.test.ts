/** The shorter ways over the wire, for jobs that are as nearly all of them are: the answers are those of the longer ways. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'

async function claimed(store: Store, count: number, more: object = {}): Promise<ClaimedJob[]> {
  await store.enqueueMany(
    Array.from({ length: count }, (_, n) => ({ queue: 'q', kind: 'k', input: n, ...more })),
  )
  const { lease } = await store.work.openLease('w', 60_000)
  return store.work.claim({ worker: 'w', lease, queues: ['q'], limit: count })
}

const succeeded = ({ jobId, attempt, lease }: ClaimedJob) => ({
  jobId,
  attempt,
  lease,
  outcome: 'succeeded' as const,
})

onEachDriver('plain successes', (driver) => {
  it('are all accepted in whatever order they are told', async () => {
    const store = await freshStore(driver)
    const [a, b, c] = (await claimed(store, 3)) as [ClaimedJob, ClaimedJob, ClaimedJob]
    const ended = await store.work.finish([c, a, b].map(succeeded))
    expect(ended.map(({ jobId, accepted, state }) => [jobId, accepted, state])).toEqual(
      [c, a, b].map(({ jobId }) => [jobId, true, 'succeeded']),
    )
    await expectHealthy(store)
  })

  it('told again are accepted again, and written once', async () => {
    const store = await freshStore(driver)
    const jobs = await claimed(store, 3)
    const first = await store.work.finish(jobs.map(succeeded))
    expect(await store.work.finish(jobs.map(succeeded))).toEqual(first)
    expect(await store.work.finish([...jobs, ...jobs].map(succeeded))).toEqual([...first, ...first])
    for (const { jobId } of jobs) expect(await store.read.attempts(jobId)).toHaveLength(1)
    await expectHealthy(store)
  })

  it('of a claim that is no longer held are refused one by one, also beside the one that holds', async () => {
    const store = await freshStore(driver)
    const [stale, other] = (await claimed(store, 2)) as [ClaimedJob, ClaimedJob]
    await store.work.finish([{ ...succeeded(stale), outcome: 'released' }])
    const [again] = await store.work.claim({ worker: 'w', lease: stale.lease, queues: ['q'], limit: 1 })
    expect(again).toMatchObject({ jobId: stale.jobId, attempt: 2 })
    const endings = [again as ClaimedJob, stale, { ...other, lease: other.lease + 1 }]
    const ended = await store.work.finish(endings.map(succeeded))
    expect(ended.map(({ accepted, state }) => [accepted, state])).toEqual([
      [true, 'succeeded'],
      [false, null],
      [false, null],
    ])
    await expectHealthy(store)
  })

  it('free their keys and let their targets go on', async () => {
    const store = await freshStore(driver)
    await store.enqueueMany([
      { queue: 'q', kind: 'k', key: 'one' },
      { queue: 'q', kind: 'k', target: 't' },
      { queue: 'q', kind: 'next', target: 't' },
    ])
    const { lease } = await store.work.openLease('w', 60_000)
    const claim = () => store.work.claim({ worker: 'w', lease, queues: ['q'], limit: 10 })
    await store.work.finish((await claim()).map(succeeded))
    expect((await claim()).map(({ kind }) => kind)).toEqual(['next'])
    expect(await store.enqueue({ queue: 'q', kind: 'k', key: 'one' })).toMatchObject({ deduplicated: false })
    await expectHealthy(store)
  })

  it('keep the time each of them began', async () => {
    const store = await freshStore(driver)
    const jobs = await claimed(store, 3)
    await store.work.finish(jobs.map((job, n) => ({ ...succeeded(job), startedAgoMs: 1_000 * (n + 1) })))
    const ran = await Promise.all(
      jobs.map(async ({ jobId }) => {
        const [attempt] = await store.read.attempts(jobId)
        return Number(attempt?.finishedAt) - Number(attempt?.startedAt)
      }),
    )
    expect(ran).toEqual([1_000, 2_000, 3_000])
  })
})

onEachDriver('a claim of many', (driver) => {
  it('keeps the order over hundreds, and every field of each', async () => {
    const store = await freshStore(driver)
    await claimed(store, 1)
    await store.enqueueMany(
      Array.from({ length: 250 }, (_, n) => ({
        queue: 'q',
        kind: 'k',
        input: n,
        priority: n % 3 === 0 ? 9 : 0,
      })),
    )
    const { lease } = await store.work.openLease('w', 60_000)
    const jobs = await store.work.claim({ worker: 'w', lease, queues: ['q'], limit: 1_000 })
    const urgent = Array.from({ length: 250 }, (_, n) => n).filter((n) => n % 3 === 0)
    const others = Array.from({ length: 250 }, (_, n) => n).filter((n) => n % 3 !== 0)
    expect(jobs.map(({ input }) => input)).toEqual([...urgent, ...others])
    expect(new Set(jobs.map((job) => Object.keys(job).sort().join()))).toHaveLength(1)
  })

  it('brings what is unusual about a job as a claim by its number does', async () => {
    const store = await freshStore(driver)
    const unusual = {
      queue: 'q',
      kind: 'k',
      input: { text: 'a "quoted" \\ line\n', list: [1, null, 'é'] },
      key: 'k"1',
      target: "t'1",
      priority: 7,
      timeoutMs: 5_000,
      tokenLimit: 10,
      itemGoal: 3,
      trace: '00-abc',
    }
    await store.enqueue(unusual)
    const [batch] = await store.work.claim({ worker: 'w', queues: ['q'], leaseMs: 60_000 })
    const {
      jobId,
      queueId,
      lease,
      expiresAt,
      createdAt,
      level,
      fresh: _fresh,
      ...others
    } = batch as ClaimedJob
    const { unstarted: _unstarted, ...rest } = others
    expect([queueId, lease].every(Number.isSafeInteger)).toBe(true)
    expect([expiresAt, createdAt].every((at) => at instanceof Date && !Number.isNaN(at.getTime()))).toBe(true)
    expect(level).toBe(93)
    await store.work.finish([{ ...succeeded(batch as ClaimedJob), outcome: 'released' }])
    const byId = await store.work.claimById(jobId, { worker: 'w', leaseMs: 60_000 })
    expect(byId).toMatchObject({ ...rest, jobId, createdAt, attempt: 2, interruptions: 1 })
  })

  it('reads a kind that only SQL would give a job', async () => {
    const store = await freshStore(driver)
    await store.database.query(`select holdfast.enqueue('q', 'a "kind" \\ of', '{"n": 1}')`)
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'], leaseMs: 60_000 })
    expect(job).toMatchObject({ kind: 'a "kind" \\ of', input: { n: 1 } })
  })
})

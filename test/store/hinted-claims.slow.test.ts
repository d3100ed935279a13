/** What hints save, and what they must never hide, on a real database. The memory behind them: hints.test.ts. */
import type { ClaimedJob, ClaimOptions, Enqueued, JobClaimer, Store } from 'holdfast/store'
import { describe, expect, it, vi } from 'vitest'
import { leastCost } from '../support/plans.js'
import { openSession, seeded } from '../support/sessions.js'
import { freshStore, onEachDriver } from '../support/world.js'

const LEASE_MS = 600_000

async function fill(store: Store, count: number, more: object = {}): Promise<number[]> {
  const made: number[] = []
  while (made.length < count) {
    const jobs = Array.from({ length: Math.min(1_000, count - made.length) }, () => ({
      queue: 'q',
      kind: 'k',
      ...more,
    }))
    made.push(...(await store.enqueueMany(jobs)).map(({ jobId }) => jobId))
  }
  return made
}

async function drain(
  store: Store,
  count: number,
  options: Partial<ClaimOptions>,
  claimer: Pick<JobClaimer, 'claim'> = store.work,
): Promise<void> {
  for (let done = 0; done < count; ) {
    const claimed = await claimer.claim({
      worker: 'w',
      queues: ['q'],
      limit: 1_000,
      leaseMs: LEASE_MS,
      ...options,
    })
    await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'succeeded' })))
    done += claimed.length
  }
}

/** A claim with a hint for one queue, as the library sends it. */
function claimOf(queue: number, lease: number | null, level: number | null, jobId: number | null) {
  return {
    text: `select job_id from holdfast.claim('w', $1, $2::int[], 10, ${LEASE_MS}, $3::smallint[], $4::bigint[])`,
    values: [lease, [queue], [level], [jobId]],
  }
}

/** A job whose transaction commits once a claimer has drained 20,000 others past it. */
async function lateBehindTheHint(more: { unfetchedMs?: number } = {}) {
  const store = await freshStore()
  const clock = { ms: 0 }
  let found = () => {}
  const looked = new Promise<void>((resolve) => {
    found = resolve
  })
  const claimer = store.work.claimer({ now: () => clock.ms, ...more })
  const late = await openSession(store)
  await late.enqueue({ queue: 'q', kind: 'warm' })
  await late.begin()
  const { jobId } = await late.enqueue({ queue: 'q', kind: 'late' }, { tx: late.client })
  await fill(store, 20_000)
  await drain(store, 20_001, {}, claimer)
  await late.commit()
  const claim = () => claimer.claim({ worker: 'w', queues: ['q'], limit: 10, leaseMs: LEASE_MS, found })
  return { store, clock, looked, jobId, claim }
}

describe('claims while somebody pins the past', () => {
  it('a hinted one walks over none of 30,000 dead entries', async () => {
    const store = await freshStore('postgres', { connections: 1 })
    const [queue = 0] = await store.queues.ids(['q'])
    // A lease of the worker's own: leases for each job leave dead rows too, which every claim reads that looks for expired ones.
    const { lease } = await store.work.openLease('w', LEASE_MS)
    // The session has its plans from a time when there was nothing to choose by.
    await leastCost(store, claimOf(queue, lease, 60, 1))
    const pin = await openSession(store)
    await pin.database.script('begin isolation level repeatable read; select count(*) from holdfast.ready')
    const made = await fill(store, 30_000, { priority: 40 })
    await drain(store, 30_000, { lease })
    const [left] = await fill(store, 1, { priority: 40 })
    const last = made.at(-1) as number
    const plain = await leastCost(store, claimOf(queue, lease, null, null))
    const hinted = await leastCost(store, claimOf(queue, lease, 60, last))
    // 30,000 rows fill some hundreds of pages, of the table and of the index.
    expect(plain.buffers).toBeGreaterThan(300)
    expect(hinted.buffers).toBeLessThan(100)
    const { text, values } = claimOf(queue, lease, 60, last)
    expect(await store.database.query(text, values)).toEqual([{ job_id: left }])
    await pin.rollback()
  })

  it('a job whose transaction commits late is passed by a hint and found by the next full pass', async () => {
    const { store, clock, looked, jobId, claim } = await lateBehindTheHint()
    await fill(store, 1)
    clock.ms = 300
    expect((await claim()).map((job) => job.kind)).toEqual(['k'])
    // By then a full pass is due, however long the last one took. It runs beside the claim, and the next one has what it found.
    clock.ms += 50_000
    expect(await claim()).toEqual([])
    await looked
    expect(await claim()).toMatchObject([{ jobId, kind: 'late' }])
  })

  it('what a full pass found and nobody fetched for five seconds goes back, uncharged', async () => {
    const { store, clock, looked, jobId, claim } = await lateBehindTheHint()
    clock.ms = 50_000
    expect(await claim()).toEqual([])
    await looked
    clock.ms += 5_001
    const fences = new Set<number>()
    for (const { jobId: id, attempt } of await claim()) if (id === jobId) fences.add(attempt)
    while (fences.size === 0) {
      const again = await store.work.claim({ worker: 'w', queues: ['q'], limit: 10, leaseMs: LEASE_MS })
      for (const { jobId: id, attempt } of again) if (id === jobId) fences.add(attempt)
    }
    expect([...fences]).toEqual([2])
    const [first] = await store.read.attempts(jobId)
    expect(first).toMatchObject({
      attempt: 1,
      outcome: 'released',
      reason: 'not fetched in time',
      failures: 0,
    })
  })

  it('what a full pass found goes back also when the claimer never claims again, as one whose slots are taken', async () => {
    const { store, clock, looked, jobId, claim } = await lateBehindTheHint({ unfetchedMs: 1 })
    clock.ms = 50_000
    expect(await claim()).toEqual([])
    await looked
    await vi.waitUntil(async () => (await store.read.job(jobId))?.state === 'queued', { timeout: 100_000 })
    const [first] = await store.read.attempts(jobId)
    expect(first).toMatchObject({
      attempt: 1,
      outcome: 'released',
      reason: 'not fetched in time',
      failures: 0,
    })
  })
})

onEachDriver('a job below the hint', (driver) => {
  it('that came back is claimed by the very next hinted claim, in its place in the order', async () => {
    const store = await freshStore(driver)
    await store.queues.create('q', { policy: { retryBaseMs: 0, retryCapMs: 0 } })
    const [queue = 0] = await store.queues.ids(['q'])
    const [low, pending] = (await store.enqueueMany([
      { queue: 'q', kind: 'k', priority: 10 },
      { queue: 'q', kind: 'k', priority: 40, pending: true },
    ])) as unknown as [Enqueued, Enqueued]
    const made = await fill(store, 6, { priority: 40 })
    const claimed = await store.work.claim({ worker: 'w', queues: ['q'], limit: 5, leaseMs: LEASE_MS })
    const [one, two, three, four] = claimed as [ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob]
    await store.work.finish([
      { ...four, outcome: 'released' },
      { ...two, outcome: 'failed' },
      { ...one, outcome: 'succeeded' },
      { ...three, outcome: 'failed', retryable: false },
    ])
    await store.upkeep.promote()
    await store.commands.retry(three.jobId)
    await store.commands.boost(low.jobId, 30)
    await store.publish(pending.jobId)
    const { text, values } = claimOf(queue, null, 60, made[4] as number)
    const rows = await store.database.query(text, values)
    const expected = [low.jobId, pending.jobId, two.jobId, three.jobId, four.jobId, made[5]]
    expect(rows).toEqual(expected.map((job_id) => ({ job_id })))
  })

  it('or above it: with hints the order is the order without, whatever happens', async () => {
    const store = await freshStore(driver)
    const [queue = 0] = await store.queues.ids(['q'])
    const random = seeded(17)
    const level = () => 60 - 10 * Math.floor(random() * 3)
    for (let round = 0; round < 60; round += 1) {
      for (let n = 0; n < 8; n += 1) await store.enqueue({ queue: 'q', kind: 'k', priority: 100 - level() })
      // A hint is true if nothing fresh is left at its level up to its job; then what it leaves out is nothing.
      const at = level()
      const [drained] = await store.database.query<{ job: number }>(
        `select coalesce(min(job_id) filter (where since is null and level = $1), max(job_id) + 1) - 1 as job from holdfast.ready`,
        [at],
      )
      const inOrder = await store.database.query<{ job_id: number }>(
        'select job_id from holdfast.ready order by level, job_id limit 7',
      )
      const claimed = await store.database.query<ClaimedJob & { job_id: number }>(
        `select job_id, job_id as "jobId", attempt, lease
         from holdfast.claim('w', null, $1::int[], 7, ${LEASE_MS}, $2::smallint[], $3::bigint[])`,
        [[queue], [at], [drained?.job ?? null]],
      )
      expect(claimed.map(({ job_id }) => job_id)).toEqual(inOrder.map(({ job_id }) => job_id))
      const back = claimed.filter(() => random() < 0.4)
      if (back.length > 0)
        await store.work.finish(back.map((job) => ({ ...job, outcome: 'released' as const })))
      if (back[0] !== undefined) await store.commands.setPriority(back[0].jobId, 100 - level())
    }
  })
})

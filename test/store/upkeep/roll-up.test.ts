// Counting what happened: each event once, in the minute in which it happened, whoever counts and however late it commits.
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectNothingWritten } from '../../support/plans.js'
import { onEachDriver, pinnedStore, secondStore } from '../../support/world.js'

const MINUTE = 60_000

async function minutes(store: Store): Promise<Record<string, unknown>[]> {
  return store.database.query(
    `select queue, to_char(minute at time zone 'UTC', 'HH24:MI') as minute, enqueued, started, succeeded, failed, canceled,
       ended_after_failures, succeeded_after_failures, attempts_failed, attempts_lost, wait_ms, waits, run_ms, runs
     from holdfast.queue_minutes order by 1, 2`,
  )
}

const NOTHING = {
  queue: 'mail',
  enqueued: 0,
  started: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  ended_after_failures: 0,
  succeeded_after_failures: 0,
  attempts_failed: 0,
  attempts_lost: 0,
  wait_ms: 0,
  waits: 0,
  run_ms: 0,
  runs: 0,
}

const claim = async (store: Store, limit = 10): Promise<ClaimedJob[]> =>
  store.work.claim({ worker: 'w', queues: ['mail'], limit, leaseMs: 10 * MINUTE })

onEachDriver('count_minutes', (driver) => {
  it('counts jobs and attempts in the minutes in which they came, started and ended', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('mail', { policy: { retryBaseMs: MINUTE, jitterLow: 0, jitterHigh: 0 } })
    await store.enqueueMany(Array.from({ length: 3 }, () => ({ queue: 'mail', kind: 'k' })))
    await store.clock.advance(MINUTE)
    const [one, two, three] = (await claim(store)) as [ClaimedJob, ClaimedJob, ClaimedJob]
    await store.clock.advance(MINUTE / 2)
    await store.work.finish([
      { ...one, outcome: 'succeeded' },
      { ...two, outcome: 'failed' },
      { ...three, outcome: 'failed', retryable: false },
    ])
    await store.clock.advance(MINUTE)
    const [again] = (await claim(store)) as [ClaimedJob]
    await store.work.finish([{ ...again, outcome: 'succeeded' }])
    const { jobId } = await store.enqueue({ queue: 'mail', kind: 'k' })
    await store.commands.cancel(jobId)

    expect(await store.upkeep.countMinutes()).toBeGreaterThan(0)
    const expected = [
      { ...NOTHING, minute: '00:00', enqueued: 3 },
      {
        ...NOTHING,
        minute: '00:01',
        started: 3,
        succeeded: 1,
        failed: 1,
        ended_after_failures: 1,
        attempts_failed: 2,
        wait_ms: 3 * MINUTE,
        waits: 3,
        run_ms: (3 * MINUTE) / 2,
        runs: 3,
      },
      {
        ...NOTHING,
        minute: '00:02',
        enqueued: 1,
        started: 1,
        succeeded: 1,
        canceled: 1,
        ended_after_failures: 1,
        succeeded_after_failures: 1,
        runs: 1,
      },
    ]
    expect(await minutes(store)).toEqual(expected)
    expect(await store.upkeep.countMinutes()).toBe(0)
    expect(await minutes(store)).toEqual(expected)
  })

  it('counts jobs that a lost lease, a skip, a discard or a newer job of their key ended', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('mail', { policy: { crashBudget: 1, dedup: 'replace' } })
    const make = async (more = {}) => (await store.enqueue({ queue: 'mail', kind: 'k', ...more })).jobId
    await make()
    expect(await claim(store)).toHaveLength(1)
    const [skipped, discarded] = [await make({ target: 'a' }), await make({ delayMs: 1_000 })]
    await make({ key: 'k' })
    await make({ key: 'k' })
    const [first] = await claim(store, 1)
    expect(first?.jobId).toBe(skipped)
    await store.work.finish([{ ...(first as ClaimedJob), outcome: 'parked' }])
    await store.commands.skip(skipped)
    await store.clock.advance(11 * MINUTE)
    await store.upkeep.reclaim()
    await store.commands.cancel(discarded)
    while ((await store.upkeep.countMinutes(2)) > 0);
    const ended = await store.database.query(
      `select sum(succeeded)::int as succeeded, sum(failed)::int as failed, sum(canceled)::int as canceled, sum(attempts_lost)::int as lost,
         sum(enqueued)::int as enqueued from holdfast.queue_minutes`,
    )
    expect(ended).toEqual([{ succeeded: 0, failed: 1, canceled: 3, lost: 1, enqueued: 5 }])
  })

  it('a call that finds nothing writes nothing', async () => {
    const store = await pinnedStore(driver, { connections: 1 })
    await store.enqueue({ queue: 'mail', kind: 'k' })
    await store.upkeep.countMinutes()
    await expectNothingWritten(store, { text: 'select holdfast.count_minutes()', values: [] })
  })

  it('forgets minutes after as many days as the setting says, and counts nothing older', async () => {
    const store = await pinnedStore(driver)
    await store.settings.set('ROLLUP_DAYS', 2)
    await store.enqueue({ queue: 'mail', kind: 'k' })
    await store.upkeep.countMinutes()
    await store.clock.advance(2 * 24 * 60 * MINUTE - 1)
    await store.upkeep.pruneRecords()
    expect(await minutes(store)).toHaveLength(1)
    await store.enqueue({ queue: 'mail', kind: 'k' })
    await store.clock.advance(1)
    await store.upkeep.pruneRecords()
    expect(await minutes(store)).toHaveLength(1)
    await store.clock.advance(1)
    await store.upkeep.pruneRecords()
    expect(await minutes(store)).toHaveLength(0)
    await store.clock.advance(3 * 24 * 60 * MINUTE)
    await store.upkeep.countMinutes()
    expect(await minutes(store)).toHaveLength(0)
  })
})

it('what commits late is counted when it does, in the minute in which it happened', async () => {
  const store = await pinnedStore()
  await store.queues.create('mail')
  const other = await secondStore(store, 1)
  await other.database.transaction(async (session) => {
    const tx = {
      query: async (text: string, values: unknown[]) => ({ rows: await session.query(text, values) }),
    }
    await other.enqueue({ queue: 'mail', kind: 'late' }, { tx })
    await store.clock.advance(5 * MINUTE)
    await store.enqueue({ queue: 'mail', kind: 'soon' })
    await store.upkeep.countMinutes()
    expect(await minutes(store)).toEqual([{ ...NOTHING, minute: '00:05', enqueued: 1 }])
  })
  await store.upkeep.countMinutes()
  expect(await minutes(store)).toEqual([
    { ...NOTHING, minute: '00:00', enqueued: 1 },
    { ...NOTHING, minute: '00:05', enqueued: 1 },
  ])
})

it('ten nodes that count at once, while jobs come and go, count each of them once', async () => {
  const store = await pinnedStore('postgres', { connections: 10 })
  await store.queues.create('mail')
  const others = [store, await secondStore(store, 5), await secondStore(store, 5)]
  const make = Array.from({ length: 60 }, async (_, n) => {
    const one = others[n % others.length] as Store
    await one.enqueueMany([{ queue: 'mail', kind: 'k' }])
    const jobs = await one.work.claim({ worker: `w${n}`, queues: ['mail'], limit: 3 })
    if (jobs.length > 0) await one.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))
  })
  const count = Array.from({ length: 10 }, async (_, n) => {
    for (let pass = 0; pass < 20; pass++) await (others[n % others.length] as Store).upkeep.countMinutes(3)
  })
  await Promise.all([...make, ...count])
  // The first ends the stretch that one of the ten may have begun, the second counts what came after it.
  for (let pass = 0; pass < 2; pass++) await store.upkeep.countMinutes(100_000)
  const [row] = await store.database.query<{ jobs: number; ended: number }>(
    'select (select count(*) from holdfast.job) as jobs, (select count(*) from holdfast.attempt) as ended',
  )
  expect(await minutes(store)).toEqual([
    expect.objectContaining({ enqueued: row?.jobs, started: row?.ended, succeeded: row?.ended }),
  ])
})

/** Charts from the roll-up: every point counts what happened in it, percentiles are those of the times within a bucket, rows are forgotten. */
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.js'
import { TIME_BOUNDS } from '../../../src/domain/stats/histogram.js'
import { ROW_HOURS } from '../../../src/domain/stats/spans.js'
import { pinnedStore, type World } from '../../support/world.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const claim = (store: World, queue: string, limit = 500): Promise<ClaimedJob[]> =>
  store.work.claim({ worker: 'w', queues: [queue], limit, leaseMs: 24 * HOUR })

it('the database and the library agree on buckets, widths and bounds', async () => {
  const { database } = await pinnedStore()
  const [row] = await database.query(
    `select holdfast.time_bounds() as bounds,
       (select jsonb_object_agg(w.minutes, extract(epoch from w.stored) / 3600) from holdfast.stat_widths() w) as hours,
       holdfast.stat_limit('kinds') as kinds, holdfast.stat_limit('versions') as versions,
       holdfast.stat_limit('error_groups') as groups, holdfast.stat_limit('job_ids') as samples`,
  )
  expect(row).toEqual({
    bounds: TIME_BOUNDS,
    hours: ROW_HOURS,
    kinds: LIMITS.kindsCountedMax.default,
    versions: LIMITS.versionsPerKindMax.default,
    groups: LIMITS.errorGroupsMax.default,
    samples: LIMITS.errorSamplesMax.default,
  })
})

it('a series has evenly spaced points of the tenant, of a queue, of a kind and of both', async () => {
  const store = await pinnedStore()
  for (const [queue, kind] of [
    ['mail', 'send'],
    ['mail', 'send'],
    ['mail', 'digest'],
    ['pdf', 'send'],
  ] as const)
    await store.enqueue({ queue, kind })
  await store.clock.advance(2 * MINUTE)
  const [one, two] = (await claim(store, 'mail', 2)) as [ClaimedJob, ClaimedJob]
  await store.work.finish([
    { ...one, outcome: 'succeeded' },
    { ...two, outcome: 'failed', retryable: false },
  ])
  await store.upkeep.countMinutes()

  const whole = await store.series.read()
  expect(whole.points).toHaveLength(60)
  expect(whole.points.map(({ at }) => at.getTime() - whole.from.getTime())).toEqual(
    Array.from({ length: 60 }, (_, n) => n * MINUTE),
  )
  expect(whole.points.at(-3)).toMatchObject({ enqueued: 4, attempts: 0, failedRate: null })
  expect(whole.points.at(-1)).toMatchObject({
    started: 2,
    succeeded: 1,
    failed: 1,
    attempts: 2,
    attemptsFailed: 1,
    failedRate: 0.5,
  })
  expect(whole.total).toMatchObject({ enqueued: 4, succeeded: 1, failed: 1 })
  expect(whole.countedTo).toEqual(whole.points.at(-1)?.at)

  const enqueued = async (options: { queue?: string; kind?: string }) =>
    (await store.series.read({ ...options, span: '24h' })).total.enqueued
  expect(await enqueued({ queue: 'mail' })).toBe(3)
  expect(await enqueued({ kind: 'send' })).toBe(3)
  expect(await enqueued({ queue: 'mail', kind: 'send' })).toBe(2)
  expect(await enqueued({ kind: 'none' })).toBe(0)
  expect((await store.series.read({ tenant: 'other' })).total.enqueued).toBe(0)
  await expect(store.series.read({ queue: 'none' })).rejects.toMatchObject({ code: 'unknown_queue' })
  for (const [span, points] of [
    ['24h', 96],
    ['7d', 168],
  ] as const) {
    const series = await store.series.read({ span })
    expect(series.points).toHaveLength(points)
    expect(series.total).toMatchObject({ enqueued: 4, succeeded: 1, failed: 1 })
  }
})

it('percentiles are those of the exact times, off by the width of a bucket at most', async () => {
  const store = await pinnedStore()
  const waits = Array.from({ length: 60 }, (_, n) => Math.round(1.2 ** n))
  await store.enqueueMany(waits.map(() => ({ queue: 'mail', kind: 'send' })))
  let at = 0
  for (const wait of waits) {
    await store.clock.advance(wait - at)
    at = wait
    const [job] = (await claim(store, 'mail', 1)) as [ClaimedJob]
    await store.work.finish([{ ...job, outcome: 'succeeded' }])
  }
  while ((await store.upkeep.countMinutes()) > 0);
  const { wait, run } = (await store.series.read({ span: '24h' })).total
  expect(wait.count).toBe(waits.length)
  expect(run).toEqual({ count: waits.length, p50: 0, p95: 0, p99: 0 })
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const) {
    const exact = waits[Math.ceil(share * waits.length) - 1] as number
    const read = wait[name] as number
    expect(read / exact).toBeGreaterThan(1 / 1.42)
    expect(read / exact).toBeLessThan(1.42)
  }
})

it('counts as many kinds as a tenant may have, and those beyond together', async () => {
  const store = await pinnedStore()
  const most = LIMITS.kindsCountedMax.default
  const kinds = Array.from({ length: most + 2 }, (_, n) => ({
    queue: 'mail',
    kind: `k${String(n).padStart(3, '0')}`,
  }))
  await store.enqueueMany(kinds.slice(0, most - 1))
  await store.upkeep.countMinutes()
  const counted = async () => (await store.kindReads.stats()).length
  expect(await counted()).toBe(most - 1)
  await store.enqueueMany(kinds.slice(0, most))
  await store.upkeep.countMinutes()
  expect(await counted()).toBe(most)
  await store.enqueueMany(kinds)
  await store.upkeep.countMinutes()
  expect(await counted()).toBe(most)
  expect((await store.series.read({ kind: `k${most}` })).total.enqueued).toBe(0)
  expect((await store.series.read({ queue: 'mail' })).total.enqueued).toBe(3 * most + 1)

  // A day later a new kind takes the place of one that was not seen since.
  await store.clock.advance(25 * HOUR)
  await store.enqueue({ queue: 'mail', kind: 'new' })
  await store.upkeep.countMinutes()
  expect(await counted()).toBe(most)
  expect(await store.kindReads.stats({ kind: 'new' })).toHaveLength(1)
})

it('forgets rows of a minute, a quarter and an hour after the time each is stored for', async () => {
  const store = await pinnedStore()
  await store.enqueue({ queue: 'mail', kind: 'send' })
  await store.upkeep.countMinutes()
  const widths = async () => {
    await store.upkeep.pruneRecords()
    const rows = await store.database.query<{ minutes: number }>(
      'select distinct minutes from holdfast.stats order by 1',
    )
    return rows.map(({ minutes }) => minutes)
  }
  expect(await widths()).toEqual([1, 15, 60])
  await store.clock.advance(ROW_HOURS[1] * HOUR + 2 * MINUTE)
  expect(await widths()).toEqual([15, 60])
  await store.clock.advance(ROW_HOURS[15] * HOUR)
  expect(await widths()).toEqual([60])
  await store.clock.advance(ROW_HOURS[60] * HOUR)
  expect(await widths()).toEqual([])
  expect(await store.kindReads.stats()).toHaveLength(1)
  await store.clock.advance(30 * 24 * HOUR)
  await store.upkeep.pruneRecords()
  expect(await store.kindReads.stats()).toHaveLength(0)
})

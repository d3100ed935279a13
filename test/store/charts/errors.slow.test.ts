/** Groups of errors and kinds with their versions, as the roll-up counts them. */
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.js'
import { failsSince } from '../../../src/domain/stats/versions.js'
import { PRESENCE } from '../../support/presence.js'
import { pinnedStore, type World } from '../../support/world.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Ended {
  readonly kind: string
  readonly error?: Error
}

/** One job for each, all of which end at once. */
async function ends(store: World, each: readonly Ended[], worker = 'w', queue = 'mail'): Promise<number[]> {
  await store.enqueueMany(each.map(({ kind }) => ({ queue, kind })))
  const jobs = await store.work.claim({ worker, queues: [queue], limit: each.length, leaseMs: HOUR })
  await store.work.finish(
    jobs.map((job: ClaimedJob, n) =>
      each[n]?.error === undefined
        ? { ...job, outcome: 'succeeded' as const }
        : { ...job, outcome: 'failed' as const, retryable: false, error: each[n].error },
    ),
  )
  while ((await store.upkeep.countMinutes()) > 0);
  return jobs.map(({ jobId }) => jobId)
}

const timeout = (n: number) => new Error(`timeout after ${n} ms`)

it('errors that differ in numbers are one group, with trend, kinds, queues and samples', async () => {
  const store = await pinnedStore()
  const [first] = await ends(store, [{ kind: 'send', error: timeout(10) }])
  await store.clock.advance(2 * HOUR)
  const [second] = await ends(store, [
    { kind: 'digest', error: timeout(99) },
    { kind: 'send' },
    { kind: 'send', error: new TypeError('x is undefined') },
  ])
  const { rows, next } = await store.errors.list()
  expect(next).toBeNull()
  expect(rows).toHaveLength(2)
  const group = rows.find(({ errorClass }) => errorClass === 'Error')
  expect(group).toMatchObject({
    message: 'timeout after 99 ms',
    count: 2,
    kinds: ['send', 'digest'],
    queues: ['mail'],
    lastJobId: second,
    firstVersion: null,
  })
  expect(group?.trend).toEqual([...Array(21).fill(0), 1, 0, 1])
  expect((group?.lastSeenAt.getTime() ?? 0) - (group?.firstSeenAt.getTime() ?? 0)).toBe(2 * HOUR)
  const fingerprint = group?.fingerprint as string
  expect(await store.errors.get(fingerprint)).toEqual(group)
  expect(await store.errors.samples(fingerprint)).toMatchObject([
    { jobId: second, message: 'timeout after 99 ms', state: 'failed', kind: 'digest', worker: 'w' },
    { jobId: first, message: 'timeout after 10 ms', kind: 'send' },
  ])
  expect((await store.errors.list({ kind: 'digest' })).rows).toEqual([group])
  expect((await store.errors.list({ tenant: 'other' })).rows).toEqual([])
  await expect(store.errors.get(fingerprint, { tenant: 'other' })).rejects.toMatchObject({
    code: 'unknown_error_group',
  })
  await expect(store.errors.list({ after: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_input' })

  const page = await store.errors.list({ limit: 1 })
  const rest = await store.errors.list({ limit: 1, after: page.next as string })
  expect([...page.rows, ...rest.rows]).toEqual(rows)
  expect(rest.next).toBeNull()

  await store.clock.advance(31 * DAY)
  await store.upkeep.pruneRecords()
  expect((await store.errors.list()).rows).toEqual([])
})

it('keeps as many groups and samples as the limits, and counts further errors together', async () => {
  const store = await pinnedStore()
  const most = LIMITS.errorGroupsMax.default
  const word = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const errors = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ kind: 'send', error: new Error(word(from + n)) }))
  const groups = async () => {
    const [row] = await store.database.query<{ n: number }>(
      "select count(*)::int as n from holdfast.error_groups where fingerprint <> ''",
    )
    return row?.n
  }
  await ends(store, errors(0, most - 1))
  expect(await groups()).toBe(most - 1)
  await ends(store, errors(most - 1, most))
  expect(await groups()).toBe(most)
  await ends(store, errors(most, most + 1))
  expect(await groups()).toBe(most)
  expect(await store.errors.get('')).toMatchObject({ count: 1 })

  await store.clock.advance(25 * HOUR)
  const samples = LIMITS.errorSamplesMax.default
  const last = new Error('new')
  await ends(store, Array(samples + 1).fill({ kind: 'send', error: last }))
  expect(await groups()).toBe(most)
  const [group] = (await store.errors.list({ limit: 1 })).rows
  expect(group).toMatchObject({ message: 'new', count: samples + 1 })
  expect(await store.errors.samples(group?.fingerprint as string)).toHaveLength(samples)
})

it('a kind has its last hour and day, its last error, and the version since which it fails', async () => {
  const store = await pinnedStore()
  const work = (worker: string, appVersion: string) =>
    store.work.heartbeat({ ...PRESENCE, worker, appVersion, queues: ['mail'] })
  await work('old', '1.4.1')
  await ends(store, Array(9).fill({ kind: 'send' }), 'old')
  await store.clock.advance(HOUR)
  await work('new', '1.4.2')
  await ends(
    store,
    Array.from({ length: 6 }, (_, n) => ({ kind: 'send', error: timeout(n) })),
    'new',
  )
  // Its worker has gone before the last attempts are counted.
  await store.work.removeWorker('new')
  const [kind] = await store.kindReads.stats({ kind: 'send' })
  expect(kind).toMatchObject({
    kind: 'send',
    version: '1.4.2',
    failsSinceVersion: '1.4.2',
    lastHour: { attempts: 6, attemptsFailed: 6, failedRate: 1 },
    lastDay: { attempts: 15, succeeded: 9, failed: 6, failedRate: 0.4, run: { count: 15 } },
    lastError: { message: 'timeout after 5 ms' },
    versions: [
      { version: '1.4.2', attempts: 6, failed: 6 },
      { version: '1.4.1', attempts: 9, failed: 0 },
    ],
  })
  expect(kind?.trend.slice(-2)).toMatchObject([
    { attempts: 9, failed: 0 },
    { attempts: 6, failed: 6 },
  ])
  expect(await store.kindReads.stats({ kind: 'none' })).toEqual([])
  // The same worker comes back with a version that repairs it.
  await store.clock.advance(HOUR)
  await work('new', '1.4.3')
  await ends(store, Array(5).fill({ kind: 'send' }), 'new')
  const [repaired] = await store.kindReads.stats({ kind: 'send' })
  expect(repaired).toMatchObject({ version: '1.4.3', failsSinceVersion: null })
  expect(repaired?.versions[0]).toMatchObject({ version: '1.4.3', attempts: 5, failed: 0 })
})

it('keeps the versions of a kind that were seen last', async () => {
  const store = await pinnedStore()
  const most = LIMITS.versionsPerKindMax.default
  const kept = async () => (await store.kindReads.stats({ kind: 'send' }))[0]?.versions.length
  for (let n = 1; n <= most + 1; n += 1) {
    await store.clock.advance(60_000)
    await store.work.heartbeat({ ...PRESENCE, worker: 'w', appVersion: `1.${n}` })
    await ends(store, [{ kind: 'send' }])
    if (n === most - 1) expect(await kept()).toBe(most - 1)
  }
  expect(await kept()).toBe(most)
})

it('a version is blamed if those after it fail too and the one before did not, and there is enough to judge by', () => {
  const version = (name: string, day: number, attempts: number, failed: number) => ({
    version: name,
    firstSeenAt: new Date(Date.UTC(2026, 0, day)),
    lastSeenAt: new Date(Date.UTC(2026, 0, day)),
    attempts,
    failed,
  })
  const [well, bad, worse] = [version('1', 1, 100, 1), version('2', 2, 10, 5), version('3', 3, 10, 8)]
  expect(failsSince([worse, bad, well])).toBe('2')
  expect(failsSince([well, bad])).toBe('2')
  expect(failsSince([bad])).toBeNull()
  expect(failsSince([])).toBeNull()
  expect(failsSince([well, bad, version('3', 3, 10, 0)])).toBeNull()
  expect(failsSince([well, version('2', 2, 4, 4)])).toBeNull()
  expect(failsSince([well, version('', 2, 10, 9)])).toBeNull()
  expect(failsSince([version('1', 1, 10, 4), version('2', 2, 10, 5)])).toBeNull()
})

// The catalog preset: how many workers there are, and how often they ask.
import { defineJob, holdfast } from 'holdfast'
import { loadConfig, workOptionsOf } from 'holdfast/config'
import type { ScaleDecision } from 'holdfast/jobs'
import { openStore } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { holdfast as cli } from '../support/cli/child.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'

const QUEUE = 'work'
const QUEUES = { [QUEUE]: { preset: 'catalog' } } as const
const WAIT = { timeout: 100_000, interval: 20 }

it('S4.06 the number of workers starts at default_count, follows the due jobs up to max_count and back; each decision is an event with from, to and reason', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let running = 0
  let most = 0
  const job = defineJob({
    kind: 'held',
    queue: QUEUE,
    handler: async () => {
      running += 1
      most = Math.max(most, running)
      await opened
      running -= 1
    },
  })
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  const heard: ScaleDecision[] = []
  const working = await app.work({
    name: 'fleet',
    groups: [{ name: 'all', defaultCount: 2, maxCount: 5 }],
    scaleIntervalMs: 100,
    pollMs: 20,
    onScale: (decision) => void heard.push(decision),
  })
  expect((await working.stats()).map(({ slots }) => slots)).toEqual([2])
  await app.enqueueMany(
    job,
    Array.from({ length: 40 }, () => null),
  )
  await vi.waitFor(() => expect(running).toBe(5), WAIT)
  open()
  await vi.waitFor(async () => expect((await working.stats()).map(({ slots }) => slots)).toEqual([2]), WAIT)
  await working.idle()
  expect(most, 'never more than max_count').toBe(5)
  await working.drain()

  expect(heard[0]).toMatchObject({ group: 'all', from: 2, reason: 'depth' })
  expect(Math.max(...heard.map(({ to }) => to))).toBe(5)
  expect(heard.at(-1)).toMatchObject({ to: 2 })
  const { events } = await app.store.read.feed('all')
  const kept = events.filter(({ type }) => type === 'workers_scaled')
  expect(kept.map(({ actor, reason, data }) => ({ actor, reason, ...(data as object) }))).toEqual(
    heard.map(({ group, from, to, reason, depth }) => ({
      actor: 'fleet.all',
      reason,
      group,
      from,
      to,
      depth,
    })),
  )
  const told = await cli([
    'jobs',
    'tail',
    '--all',
    '--no-follow',
    '--json',
    '--url',
    postgresUrl(),
    '--schema',
    app.store.schema,
  ])
  const lines = told.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ type }) => type === 'workers_scaled')).toHaveLength(heard.length)
  await expectHealthy(app.store)
})

it('S4.06 scaling down ends no running job', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  onTestFinished(() => open())
  const job = defineJob({ kind: 'held', queue: QUEUE, handler: () => opened })
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  const handles = await app.enqueueMany(
    job,
    Array.from({ length: 12 }, () => null),
  )
  const working = await app.work({
    groups: [{ name: 'all', defaultCount: 1, maxCount: 4 }],
    scaleIntervalMs: 100,
    pollMs: 20,
  })
  await vi.waitFor(async () => expect(await working.stats()).toMatchObject([{ slots: 4, busy: 4 }]), WAIT)
  for (const handle of handles) if ((await handle.status()) === 'queued') await handle.cancel()
  await vi.waitFor(async () => expect(await working.stats()).toMatchObject([{ slots: 1, busy: 4 }]), WAIT)
  open()
  await working.idle()
  await working.drain()
  const ended = await app.store.database.query(
    'select state, max(attempt) as attempt, count(*)::int as jobs from holdfast.jobs group by state order by state',
  )
  expect(ended).toEqual([
    { state: 'succeeded', attempt: 1, jobs: 4 },
    { state: 'canceled', attempt: 1, jobs: 8 },
  ])
})

it('S4.07 workers started by the library use the configuration', () => {
  const env = {
    HOLDFAST_WORKERS_DEFAULT_COUNT: '3',
    HOLDFAST_WORKERS_MAX_COUNT: '9',
    HOLDFAST_WORKERS_POLL_INTERVAL_MS: '40',
    HOLDFAST_WORKERS_SCALE_INTERVAL_MS: '500',
  }
  const cwd = new URL('.', import.meta.url).pathname
  expect(workOptionsOf(loadConfig({ env, cwd }), [QUEUE])).toEqual({
    groups: [{ queues: [QUEUE], defaultCount: 3, maxCount: 9 }],
    pollMs: 40,
    scaleIntervalMs: 500,
  })
  const more = { HOLDFAST_WORKERS_LEASE_TIMEOUT_SECONDS: '5', HOLDFAST_WORKERS_MAX_WAIT_MS: '2000' }
  expect(workOptionsOf(loadConfig({ env: more, cwd }))).toMatchObject({
    leaseMs: 5_000,
    maxWaitMs: 2_000,
    groups: [{ defaultCount: 2, maxCount: 8 }],
    scaleIntervalMs: 1000,
  })
  expect(() => loadConfig({ env: { HOLDFAST_WORKERS_MAX_CONT: '9' }, cwd })).toThrow(
    'HOLDFAST_WORKERS_MAX_COUNT',
  )
})

it('S4.07 with notifications off, workers poll every poll_interval_ms', async () => {
  const { schema } = await freshStore()
  const pollMs = 300
  const idle = defineJob({ kind: 'idle', queue: QUEUE, handler: () => {} })
  const app = await holdfast({ url: postgresUrl(), schema, jobs: [idle], queues: QUEUES, notify: false })
  onTestFinished(() => app.stop())
  await app.work({ ...workOptionsOf(loadConfig({ env: {} })), pollMs })
  const watcher = await openStore({ url: postgresUrl(), schema, connections: 1 })
  onTestFinished(() => watcher.close())
  const seen = new Set<number>()
  await vi.waitFor(
    async () => {
      const rows = await watcher.database.query<{ at: number }>(
        `select (extract(epoch from query_start) * 1000)::float8 as at from pg_stat_activity
         where datname = current_database() and application_name = 'holdfast-worker' and query like '%from ${schema}.claim_batch(%'`,
      )
      for (const { at } of rows) seen.add(at)
      expect(seen.size).toBeGreaterThanOrEqual(9)
    },
    { timeout: 100_000, interval: 20 },
  )
  // A look and the full pass beside it are one.
  const looks = [...seen]
    .sort((one, other) => one - other)
    .filter((at, index, all) => index === 0 || at - (all[index - 1] as number) > pollMs / 10)
  const gaps = looks.slice(1).map((at, index) => at - (looks[index] as number))
  // The first look may follow right upon the start. A busy computer makes some of the others late, and the gap after a late one is
  // short; taken together they cannot be early by more than one.
  const settled = gaps.slice(1)
  const together = settled.reduce((sum, gap) => sum + gap, 0)
  expect(together).toBeGreaterThan((settled.length - 1) * pollMs)
  expect(Math.min(...settled)).toBeLessThan(2 * pollMs)
})

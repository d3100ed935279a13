// The catalog preset: the numbers of a TOML file are what the workers of a process go by.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineJob, holdfast } from 'holdfast'
import { loadConfig, workOptionsOf } from 'holdfast/config'
import { openStore, type Store } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { emptyFolder } from '../support/cli/child.js'
import { LIBRARY, start } from '../support/cli/long-running.js'
import { freshStore, postgresUrl, withTestSql } from '../support/world.js'

const QUEUE = 'work'
const WAIT = { timeout: 100_000, interval: 20 }

/** When the workers have made calls like this one, as the database has seen them: until it is enough, in order, in milliseconds. */
async function callsOf(
  store: Store,
  call: string,
  enough: number | ((times: number[]) => boolean),
): Promise<number[]> {
  const seen = new Set<number>()
  const inOrder = () => [...seen].sort((one, other) => one - other)
  await vi.waitFor(
    async () => {
      const rows = await store.database.query<{ at: number }>(
        `select (extract(epoch from query_start) * 1000)::float8 as at from pg_stat_activity
         where datname = current_database() and application_name = 'holdfast-worker' and query like '%holdfast.${call}(%'`,
      )
      for (const { at } of rows) seen.add(at)
      expect(typeof enough === 'number' ? seen.size >= enough : enough(inOrder())).toBe(true)
    },
    { timeout: 100_000, interval: 10 },
  )
  return inOrder()
}

const gapsOf = (times: readonly number[]) => times.slice(1).map((at, n) => at - (times[n] as number))
const meanGap = (times: readonly number[]) =>
  ((times.at(-1) as number) - (times[0] as number)) / (times.length - 1)
/** A quarter of the gaps is shorter. A busy computer makes calls late, and the watcher misses some, which only makes gaps longer. */
const shortGap = (times: readonly number[]) =>
  gapsOf(times).sort((one, other) => one - other)[Math.floor(times.length / 4)] as number

async function watching(schema: string): Promise<Store> {
  const store = await openStore({ url: postgresUrl(), schema, connections: 1 })
  onTestFinished(() => store.close())
  return withTestSql(store)
}

it('S4.07 every value of [workers] in a TOML file takes effect', async () => {
  const { schema } = await freshStore()
  const folder = emptyFolder()
  const marks = join(folder, 'open')
  writeFileSync(
    join(folder, 'jobs.mjs'),
    `import { existsSync } from 'node:fs'
     import { setTimeout as lasting } from 'node:timers/promises'
     import { defineJob } from ${JSON.stringify(LIBRARY)}
     export const held = defineJob({ kind: 'held', queue: '${QUEUE}', handler: async () => {
       while (!existsSync(${JSON.stringify(marks)})) await lasting(10)
     } })
     export const queues = { ${QUEUE}: { preset: 'catalog' } }`,
  )
  writeFileSync(
    join(folder, 'holdfast.toml'),
    `[workers]
default_count = 1
max_count = 3
poll_interval_ms = 120
lease_timeout_seconds = 7
scale_interval_ms = 300
`,
  )
  const worker = start(['worker', './jobs.mjs', '--url', postgresUrl(), '--schema', schema], folder)
  await worker.said(({ event }) => event === 'worker_started')
  const store = await watching(schema)
  const slots = async () => (await store.workers.list()).map((row) => row.slots)
  await vi.waitFor(async () => expect(await slots()).toEqual([1]), WAIT)

  // Notifications are on, and the worker has nothing to do: it looks all the same.
  const looks = await callsOf(store, 'claim_batch', 20)
  expect(meanGap(looks)).toBeGreaterThan(60)
  expect(shortGap(looks)).toBeLessThan(249)
  const decisions = await callsOf(store, 'depth', 6)
  expect(meanGap(decisions)).toBeGreaterThan(200)
  expect(shortGap(decisions)).toBeLessThan(999)
  const [lease] = await store.database.query<{ ms: number }>(
    'select lease_ms as ms from holdfast.lease where job_id is null',
  )
  expect(lease?.ms).toBe(7_000)

  for (let n = 0; n < 10; n += 1) await store.enqueue({ queue: QUEUE, kind: 'held' })
  const running = async () => (await store.list.jobs({ state: 'running', limit: 100 })).rows.length
  await vi.waitFor(async () => expect(await running()).toBe(3), WAIT)
  await vi.waitFor(async () => expect(await slots()).toEqual([3]), WAIT)
  expect(await running(), 'and never more than max_count').toBe(3)
  writeFileSync(marks, '')
  await vi.waitFor(async () => expect(await slots()).toEqual([1]), WAIT)
  worker.child.kill('SIGTERM')
  expect((await worker.end).code).toBe(0)
})

it('S4.07 a configured poll interval applies while notifications are on, in work() and in a configuration', async () => {
  const { schema } = await freshStore()
  const idle = defineJob({ kind: 'idle', queue: QUEUE, handler: () => {} })
  const app = await holdfast({ url: postgresUrl(), schema, jobs: [idle], log: false })
  onTestFinished(() => app.stop({ graceMs: 0 }))
  const config = loadConfig({ env: { HOLDFAST_WORKERS_POLL_INTERVAL_MS: '100' }, cwd: emptyFolder() })
  await app.work(workOptionsOf(config))
  const looks = await callsOf(await watching(schema), 'claim_batch', 25)
  // If it grew, the last of them would be seconds apart.
  expect(shortGap(looks.slice(-12))).toBeLessThan(250)
})

it('S4.07 the default poll interval is 250 ms, or the setting while notifications work', () => {
  const cwd = emptyFolder()
  expect(workOptionsOf(loadConfig({ env: {}, cwd })).pollMs).toBeUndefined()
  expect(loadConfig({ env: {}, cwd }).get('workers.poll_interval_ms')).toBe(250)
})

it('S1.17 an idle worker with notifications polls every 5 s, the setting PROCESSING_POLL_MS', async () => {
  const { schema } = await freshStore()
  const idle = defineJob({ kind: 'idle', queue: QUEUE, handler: () => {} })
  const app = await holdfast({ url: postgresUrl(), schema, jobs: [idle], log: false })
  onTestFinished(() => app.stop({ graceMs: 0 }))
  await app.work()
  const store = await watching(schema)
  // 250 ms, twice as long after each look in vain, and then 5 s. A wake-up makes it begin again.
  const wholeOf = (looks: number[]) => gapsOf(looks).filter((gap) => gap > 4_500)
  const looks = await callsOf(store, 'claim_batch', (times) => wholeOf(times).length > 1)
  expect(Math.min(...wholeOf(looks))).toBeLessThan(10_000)
})

it('S1.17 a job without a notification is claimed by the next poll', async () => {
  const { schema } = await freshStore()
  const done: number[] = []
  const job = defineJob({ kind: 'quiet', queue: QUEUE, handler: (ctx) => void done.push(ctx.jobId) })
  const app = await holdfast({ url: postgresUrl(), schema, jobs: [job], log: false })
  onTestFinished(() => app.stop({ graceMs: 0 }))
  const working = await app.work()
  await working.idle()
  const store = await watching(schema)
  const [row] = await store.database.query<{ id: number }>(
    `select job_id as id from holdfast.enqueue_many('[{"queue": "${QUEUE}", "kind": "quiet", "wake": false}]')`,
  )
  await vi.waitFor(() => expect(done).toEqual([Number(row?.id)]), WAIT)
})

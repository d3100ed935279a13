// What is particular to a pooler between the program and Postgres. That everything else works there as well is shown by the other tests of
// the runtime, which run through one once more.

import { defineJob, holdfast } from 'holdfast'
import { type Database, openPostgres, openStore } from 'holdfast/store'
import { expect, inject, it, onTestFinished } from 'vitest'
import { makeDatabase } from '../support/databases.js'
import { SERVER_CONNECTIONS, startPgbouncer } from '../support/pgbouncer.js'
import { serverUrl } from '../support/world.js'
import { until } from '../worker/world.js'

/** A database of the test's own, so that the sessions behind the pooler are its own, too. */
async function pooled(): Promise<string> {
  const pooler = inject('pgbouncer')
  if ('problem' in pooler) throw new Error(pooler.problem)
  const url = new URL(pooler.url)
  url.pathname = new URL(await makeDatabase()).pathname
  return url.href
}

/** Asks every session behind the pooler: while all of them are in a transaction, none is asked twice. */
async function inEachSession<Row>(url: string, text: string): Promise<Row[]> {
  const database = openPostgres({ url, connections: SERVER_CONNECTIONS })
  let there = 0
  let all = () => {}
  const everybody = new Promise<void>((resolve) => {
    all = resolve
  })
  const ask = (of: Database) =>
    of.transaction(async (session) => {
      const rows = await session.query<Row>(text)
      there += 1
      if (there === SERVER_CONNECTIONS) all()
      await everybody
      return rows
    })
  try {
    return (await Promise.all(Array.from({ length: SERVER_CONNECTIONS }, () => ask(database)))).flat()
  } finally {
    await database.close()
  }
}

/** The two that pgbouncer itself sets for each client are left out. */
const LEFT_BEHIND = `select pg_backend_pid() as pid, 'prepared ' || name as what from pg_prepared_statements
  union all select pg_backend_pid(), 'set ' || name from pg_settings
    where source = 'session' and setting is distinct from reset_val and name <> all ('{application_name,client_encoding}')
  union all select pg_backend_pid(), 'listens to ' || c from pg_listening_channels() c
  union all select pg_backend_pid(), 'locks ' || objid from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  union all select pg_backend_pid(), 'temporary ' || relname from pg_class where relpersistence = 't'`

const add = defineJob({ kind: 'add', queue: 'q', handler: async (_ctx, n: number) => n + 1 })

it('leaves nothing of its own in the sessions it shares with others: no setting, lock, prepared statement or channel', async () => {
  const url = await pooled()
  const app = await holdfast({ url, migrate: true, jobs: [add] })
  onTestFinished(() => app.stop())
  await app.work({ pollMs: 20 })
  const handles = await app.enqueueMany(
    add,
    Array.from({ length: 50 }, (_none, n) => n),
  )
  expect(await Promise.all(handles.map((handle) => handle.result()))).toEqual(handles.map((_one, n) => n + 1))
  await app.settings.set('AGE_STEP', 7)
  await app.store.upkeep.makePartitions()
  await app.store.upkeep.prune()
  await app.stop()
  expect(await inEachSession(url, LEFT_BEHIND)).toEqual([])
  const pids = await inEachSession<{ pid: number }>(url, 'select pg_backend_pid() as pid')
  expect(new Set(pids.map(({ pid }) => pid)).size).toBe(SERVER_CONNECTIONS)
})

it('does not listen through a pooler that shares sessions, says so, and finds jobs by asking', async () => {
  const url = await pooled()
  const app = await holdfast({ url, migrate: true, jobs: [add] })
  onTestFinished(() => app.stop())
  expect(await app.store.database.listen?.('any', { received: () => {}, ended: () => {} })).toBeUndefined()
  await app.work({ pollMs: 20 })
  // Enqueued by somebody who tells nobody.
  const silent = await openStore({ url, connections: 1, notify: false })
  onTestFinished(() => silent.close())
  const { jobId } = await silent.enqueue({ queue: 'q', kind: 'add', input: 1 })
  expect(await app.handle(jobId).result()).toBe(2)
  expect(app.store.wakeups().active).toBe(false)
})

it('listens through a pooler that keeps a session for each client', async () => {
  const pooler = await startPgbouncer(serverUrl(), 'session')
  const url = new URL(pooler.url)
  url.pathname = new URL(await makeDatabase()).pathname
  onTestFinished(() => pooler.stop())
  const store = await openStore({ url: url.href, connections: 2, migrate: true })
  onTestFinished(() => store.close())
  const off = store.wakeups().on(['q'], () => {})
  await until(() => store.wakeups().active)
  expect(store.wakeups().active).toBe(true)
  off()
})

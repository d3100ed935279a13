/** `holdfast move`: every row arrives, a move that was killed continues, and what must not be moved is refused. */
import { join } from 'node:path'
import { type Database, migrateUp, openStore, type Store, storeOn } from 'holdfast/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEmbedded } from '../../src/store/open-embedded.js'
import { makeDatabase, open } from '../support/databases.js'
import { digestOf, fillTheRest } from '../support/every-table.js'
import { expectHealthy } from '../support/world.js'
import { emptyFolder, finished, holdfast, startHoldfast } from './run-holdfast.js'

/** Opens the embedded database of a folder, and closes it after `work`. */
async function inside<T>(cwd: string, work: (database: Database) => Promise<T>, pglite = false): Promise<T> {
  const { database, close } = await openEmbedded({ home: join(cwd, '.holdfast'), pglite, connections: 2 })
  try {
    return await work(database)
  } finally {
    await close()
  }
}

/** A queue with jobs in every place, written by verbs, over several ranges of history. */
async function workOn(store: Store): Promise<void> {
  await store.database.script("insert into holdfast.setting values ('PARTITION_JOBS', '50', now(), null)")
  await store.queues.create('q')
  await store.schedules.create({ name: 's', queue: 'q', kind: 'k', expression: '0 4 * * *' }, { actor: 'a' })
  const jobs = Array.from({ length: 300 }, (_, n) => ({ queue: 'q', kind: 'k', input: { n, text: '€"\\' } }))
  await store.enqueueMany(jobs)
  await store.enqueue({ queue: 'q', kind: 'k', key: 'once', target: 't' })
  await store.enqueue({ queue: 'q', kind: 'k', target: 't' })
  await store.enqueue({ queue: 'q', kind: 'k', runAt: new Date(Date.now() + 3_600_000) })
  await store.enqueue({ queue: 'q', kind: 'k', input: { large: 'x'.repeat(200_000) } })
  const claimed = await store.work.claim({ worker: 'w', queues: ['q'], limit: 20 })
  await store.work.finish(
    claimed.slice(0, 15).map((job) => ({ ...job, outcome: 'succeeded' as const, result: { ok: true } })),
  )
  // The worker was killed long ago: five jobs are its still.
  await store.database.script("update holdfast.lease set expires_at = now() - interval '1 hour'")
  while ((await store.upkeep.countMinutes()) > 0);
}

async function filledFolder({
  pglite = false,
  every = false,
} = {}): Promise<{ cwd: string; before: Record<string, string> }> {
  const cwd = emptyFolder()
  const before = await inside(
    cwd,
    async (database) => {
      await migrateUp(database, 'holdfast')
      await workOn(storeOn(database, 'holdfast', { notify: false }))
      if (every) await fillTheRest(database)
      return digestOf(database)
    },
    pglite,
  )
  return { cwd, before }
}

/** Limits statements, as some providers do, and accepts a job only from a statement without a limit. */
async function limitStatements(url: string): Promise<void> {
  const database = open(url)
  await migrateUp(database, 'holdfast')
  await database.script(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '1min';
    alter table holdfast.job add constraint unlimited check (current_setting('statement_timeout') = '0')`)
}

const jobsIn = async (database: Database) =>
  (await database.query<{ n: number }>('select count(*) as n from holdfast.job'))[0]?.n

describe('a complete copy', () => {
  it.each([false, true])('takes every row of every table along (from PGlite: %s)', async (pglite) => {
    const { cwd, before } = await filledFolder({ pglite, every: true })
    // A new table needs a row in test/support/every-table.ts.
    expect(Object.entries(before).filter(([, text]) => text.startsWith('0 rows'))).toEqual([])
    const url = await makeDatabase()
    // A limit for the statements of an app is none for the copy of a table.
    await limitStatements(url)
    const moved = await holdfast(['move', '--to', url, '--json'], { cwd })
    expect(moved, moved.stderr).toMatchObject({ code: 0 })
    const { how, tables } = JSON.parse(moved.stdout)
    expect(how).toBe('moved')
    const destination = open(url)
    expect(await digestOf(destination)).toEqual(before)
    const names = tables.map(({ table }: { table: string }) => table)
    expect(Object.keys(before)).toEqual(expect.arrayContaining(names))
    expect(tables.find(({ table }: { table: string }) => table === 'job')).toMatchObject({ rows: 304 })
    // The source has every row still.
    expect(await inside(cwd, digestOf, pglite)).toEqual(before)
  })
})

describe('tables of the app', () => {
  it('stay behind and are named; one among those of Holdfast is refused with the statement that helps', async () => {
    const cwd = emptyFolder()
    await inside(cwd, async (database) => {
      await migrateUp(database, 'holdfast')
      await database.script('create table signups (email text); create table holdfast.stray (n int)')
    })
    const url = await makeDatabase()
    const refused = await holdfast(['move', '--to', url, '--json'], { cwd })
    expect(refused).toMatchObject({ code: 78 })
    expect(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      code: 'move_tables_differ',
      message: expect.stringContaining('tables that are not of Holdfast: stray'),
      remedy: expect.stringContaining('alter table holdfast.stray set schema public'),
    })
    await inside(cwd, (database) => database.script('alter table holdfast.stray set schema public'))
    const moved = await holdfast(['move', '--to', url, '--json'], { cwd })
    expect(moved, moved.stderr).toMatchObject({ code: 0 })
    expect(JSON.parse(moved.stdout)).toMatchObject({ ownTables: ['public.signups', 'public.stray'] })
    const again = await holdfast(['move', '--to', url], { cwd })
    expect(again.stdout).toContain('Not copied: your own tables public.signups, public.stray.')
  })
})

describe('after the move', () => {
  it('workers continue the jobs there, cursors start over and counts go on; the source refuses until --undo', async () => {
    const { cwd, before } = await filledFolder()
    const cursor = await inside(
      cwd,
      async (database) => (await storeOn(database, 'holdfast').read.feed()).cursor,
    )
    const url = await makeDatabase()
    const moved = await holdfast(['move', '--to', url], { cwd })
    expect(moved, moved.stderr).toMatchObject({ code: 0 })
    expect(moved.stdout).toMatch(/^job +304 +[0-9a-f]+$/m)
    expect(moved.stdout).toContain('Set DATABASE_URL')

    const store = await openStore({ url, connections: 3 })
    onTestFinished(() => store.close())
    expect((await store.read.feed(cursor)).events).toMatchObject([{ type: 'feed_restarted' }])
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    expect(jobId).toBe(305)
    await expect(store.enqueue({ queue: 'q', kind: 'k', key: 'once' })).resolves.toMatchObject({ jobId: 301 })
    for (;;) {
      const jobs = await store.work.claim({ worker: 'w2', queues: ['q'], limit: 100 })
      if (jobs.length === 0) break
      await store.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))
    }
    while ((await store.upkeep.countMinutes()) > 0);
    const [row] = await store.database.query(
      `select (select count(*)::int from holdfast.attempt where final) as ended, (select count(*)::int from holdfast.delayed) as delayed,
         (select sum(enqueued)::int from holdfast.queue_minute) as counted, (select sum(succeeded)::int from holdfast.queue_minute) as succeeded`,
    )
    // The five jobs of the dead worker wait for their retry or have succeeded as well.
    expect(row).toMatchObject({ counted: 305 })
    const { ended, delayed, succeeded } = row as { ended: number; delayed: number; succeeded: number }
    expect(ended + delayed).toBe(305)
    expect(succeeded).toBe(ended)
    expect((await store.schedules.get('s')).name).toBe('s')
    await expectHealthy(store)

    for (const args of [['up'], ['jobs', 'list'], ['migrate', 'up']])
      expect(await holdfast([...args, '--json'], { cwd })).toMatchObject({
        code: 78,
        stderr: expect.stringContaining('"database_moved"'),
      })
    // Also one that never looks at the mark.
    await inside(cwd, async (database) => {
      await expect(
        database.query("select holdfast.enqueue('q', 'k')", [], { deadlineMs: 2_000 }),
      ).rejects.toMatchObject({ details: { sqlstate: '25006' } })
    })
    const again = await holdfast(['move', '--to', url, '--json'], { cwd })
    expect(JSON.parse(again.stdout)).toMatchObject({ how: 'already moved' })
    expect(await holdfast(['move', '--to', await makeDatabase(), '--json'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"move_elsewhere"'),
    })

    const undone = await holdfast(['move', '--undo'], { cwd })
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('work on one of the two only') })
    expect(await inside(cwd, digestOf)).toEqual(before)
    expect(await holdfast(['enqueue', 'q', 'k', '{}'], { cwd })).toMatchObject({ code: 0 })
    expect(await holdfast(['move', '--undo'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing to undo'),
    })
  })
})

describe('a move that is killed', () => {
  it('continues wherever kill -9 hit it, and nothing runs on either side meanwhile', async () => {
    const { cwd, before } = await filledFolder()
    const url = await makeDatabase()
    const destination = open(url, 4)
    await migrateUp(destination, 'holdfast')
    // Before the destination is marked; at the first and at the last table; at the end.
    for (const table of ['move', 'alert', 'web_session']) {
      await killedAt(destination, table, cwd, url)
      const unfinished = holdfast(['jobs', 'list', '--json'], { env: { DATABASE_URL: url } })
      if (table !== 'move')
        expect(await unfinished).toMatchObject({
          code: 78,
          stderr: expect.stringContaining('"move_unfinished"'),
        })
      const source = await holdfast(['jobs', 'list', '--json'], { cwd })
      expect(source).toMatchObject({ code: 78, stderr: expect.stringContaining('"database_moved"') })
      expect(source.stderr).toContain(
        'is being moved and no longer serves jobs; the destination is postgres://',
      )
      expect(source.stderr).toContain('run the same `holdfast move --to …` again')
    }
    const interrupted = await killedAt(destination, 'web_session', cwd, url, 'SIGINT')
    expect(interrupted).toMatchObject({ code: 130, stderr: expect.stringContaining('Interrupted.') })
    expect(interrupted.stderr).toContain('run the same command again to continue')
    const other = await filledFolder()
    expect(await holdfast(['move', '--to', url, '--json'], { cwd: other.cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"move_other"'),
    })
    const moved = await holdfast(['move', '--to', url, '--json'], { cwd })
    expect(moved, moved.stderr).toMatchObject({ code: 0 })
    expect(JSON.parse(moved.stdout)).toMatchObject({ how: 'continued' })
    expect(await digestOf(destination)).toEqual(before)

    // Killed after the end of the copy, before the source knew of it.
    await inside(cwd, (database) =>
      database.script('begin; set transaction read write; update holdfast.move set ended_at = null; commit'),
    )
    await (await openStore({ url, connections: 1 })).close()
    const last = await holdfast(['move', '--to', url, '--json'], { cwd })
    expect(JSON.parse(last.stdout)).toMatchObject({ how: 'already moved' })
    expect(await jobsIn(destination)).toBe(304)
  })
})

describe('a destination that crashed during the copy', () => {
  it('gets the tables that its recovery has emptied once more', async () => {
    const { cwd, before } = await filledFolder({ every: true })
    const url = await makeDatabase()
    const destination = open(url, 4)
    await migrateUp(destination, 'holdfast')
    await killedAt(destination, 'web_session', cwd, url)
    const unlogged = await destination.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'holdfast' and c.relkind = 'r' and c.relpersistence = 'u' order by 1`,
    )
    expect(unlogged).toEqual([{ name: 'chore_run' }, { name: 'presence' }])
    await destination.script('truncate holdfast.chore_run, holdfast.presence')
    const moved = await holdfast(['move', '--to', url, '--json'], { cwd })
    expect(moved, moved.stderr).toMatchObject({ code: 0 })
    expect(await digestOf(destination)).toEqual(before)
  })
})

/** Holds a table of the destination, and signals the move when it waits for it. An interrupted one ends when it has the table. */
async function killedAt(
  destination: Database,
  table: string,
  cwd: string,
  url: string,
  signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL',
) {
  const { end } = await destination.transaction(
    async (session) => {
      await session.script(`lock table holdfast.${table} in exclusive mode`)
      const child = startHoldfast(['move', '--to', url], { cwd })
      const end = finished(child)
      for (;;) {
        expect(child.exitCode, 'the move ended by itself').toBeNull()
        const waiting = await destination.query(
          `select from pg_stat_activity where datname = current_database() and application_name = 'holdfast move'
             and wait_event_type = 'Lock'`,
        )
        if (waiting.length > 0) break
      }
      child.kill(signal)
      if (signal === 'SIGKILL') await end
      return { end }
    },
    { deadlineMs: 60_000 },
  )
  return end
}

describe('what is refused', () => {
  it('names the reason and what to do, and leaves both sides as they were', async () => {
    const { cwd, before } = await filledFolder()
    const refused = async (to: string, code: string, exit: number, more: string[] = []) => {
      const answer = await holdfast(['move', '--to', to, ...more, '--json'], { cwd })
      expect(answer).toMatchObject({ code: exit })
      expect(JSON.parse(answer.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
        code,
        remedy: expect.stringMatching(/\w/),
      })
    }
    await refused('/some/folder', 'usage', 2)
    for (const to of ['postgres://127.0.0.1:1/none', (await makeDatabase()).replace(/[^/]+$/, 'none')]) {
      const { code, stderr } = await holdfast(['move', '--to', to], { cwd })
      expect(code).toBe(to.includes(':1/') ? 69 : 78)
      expect(stderr).toContain('--to')
      expect(stderr).not.toMatch(/DATABASE_URL|by itself/)
    }
    // The embedded database has one schema, and a move keeps its name.
    const other = await holdfast(['move', '--to', await makeDatabase(), '--schema', 'other', '--json'], {
      cwd,
    })
    expect(other).toMatchObject({ code: 78 })
    expect(JSON.parse(other.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      code: 'schema_missing',
      message: 'The embedded database has no schema "other".',
      remedy: expect.stringContaining('"holdfast"'),
    })
    expect(await holdfast(['move'], { cwd })).toMatchObject({ code: 2 })
    expect(await holdfast(['move', '--to', await makeDatabase()], { cwd: emptyFolder() })).toMatchObject({
      code: 78,
    })

    const filled = await makeDatabase()
    const store = await openStore({ url: filled, migrate: true, connections: 1 })
    await store.queues.create('q')
    await refused(filled, 'move_not_empty', 1)
    await store.enqueue({ queue: 'q', kind: 'k' })
    await refused(filled, 'move_not_empty', 1)
    await store.database.script("insert into holdfast.migration values (9999, 'later', now(), '99.0.0')")
    await refused(filled, 'schema_ahead', 78)
    await store.database.script(
      "delete from holdfast.migration where version = 9999; update holdfast.code set hash = 'x'",
    )
    await refused(filled, 'move_schema_differs', 78)
    await store.close()

    const another = await openEmbedded({ home: join(emptyFolder(), '.holdfast'), connections: 1 })
    try {
      await refused(another.url ?? '', 'move_to_embedded', 78)
    } finally {
      await another.close()
    }

    // Somebody works there: a process that owns the folder, a session, a lease.
    const empty = await makeDatabase()
    const here = await openEmbedded({ home: join(cwd, '.holdfast'), connections: 1 })
    try {
      await refused(empty, 'move_source_in_use', 75)
      await here.database.script("update holdfast.lease set expires_at = now() + interval '1 hour'")
    } finally {
      await here.close()
    }
    await refused(empty, 'move_source_in_use', 75)
    await inside(cwd, (database) =>
      database.script("update holdfast.lease set expires_at = now() - interval '1 hour'"),
    )

    const { lease: _theirs, ...rows } = await inside(cwd, digestOf)
    expect(before).toMatchObject(rows)
    expect(await holdfast(['jobs', 'list', '--json'], { cwd })).toMatchObject({ code: 0 })
    const moved = await holdfast(['move', '--to', empty], { cwd })
    expect(moved, moved.stderr).toMatchObject({ code: 0 })
  })
})

import { type Database, migrateUp, migrationSql, migrationStatus, openStore, storeOn } from 'holdfast/store'
import { expect, it } from 'vitest'
import { describeSchema } from '../../src/database/describe.js'
import { makeDatabase, makeUser, open, urlOf } from '../support/databases.js'
import { freshStore, postgresUrl } from '../support/world.js'

it('a program does not start without the schema, and says what to run', async () => {
  await expect(openStore({ url: postgresUrl(), schema: 'not_there' })).rejects.toMatchObject({
    code: 'schema_missing',
    status: 503,
    remedy: 'Run `holdfast migrate up`.',
  })
})

it('a program does not start on a schema that is behind or ahead of it', async () => {
  const { database, schema } = await freshStore()
  const start = () => openStore({ url: postgresUrl(), schema })
  await (await start()).close()
  await database.query('delete from holdfast.code')
  await expect(start()).rejects.toMatchObject({ code: 'schema_behind', remedy: 'Run `holdfast migrate up`.' })
  await database.query(
    'update holdfast.migration set version = 9999 where version = (select max(version) from holdfast.migration)',
  )
  await expect(start()).rejects.toMatchObject({ code: 'schema_ahead', details: { schema, found: 9999 } })
})

it('gives up soon when somebody holds a table, with nothing half applied', async () => {
  const { database, schema } = await freshStore()
  await database.script(`update holdfast.code set hash = 'old';
    create or replace function holdfast.all_levels() returns smallint[] language sql immutable as $$ select '{}'::smallint[] $$;`)
  const before = await state(database)
  await open(postgresUrl(), 1).transaction(async (holder) => {
    await holder.query(`lock table ${schema}.job in access exclusive mode`)
    const began = performance.now()
    await expect(migrateUp(database, schema)).rejects.toMatchObject({
      code: 'conflict',
      details: { problem: expect.stringContaining('lock timeout') },
    })
    // 2 s, and room for a machine with other things to do; the deadline of a migration is 60 s.
    expect(performance.now() - began).toBeLessThan(20_000)
  })
  expect(await state(database)).toEqual(before)
  expect(await migrateUp(database, schema)).toMatchObject({ functions: 'current' })
})

it('a migration that fails in the middle leaves the database as it was', async () => {
  const database = open(await makeDatabase())
  await database.script('create schema holdfast; create table holdfast.setting (theirs int)')
  const before = await describeSchema(database, 'holdfast')
  await expect(migrateUp(database, 'holdfast')).rejects.toThrow('relation "setting" already exists')
  expect(await describeSchema(database, 'holdfast')).toBe(before)
  expect(await migrationStatus(database, 'holdfast')).toMatchObject({ version: 0, functions: 'missing' })
})

it('the owner of a database needs no other right to migrate and work', async () => {
  const user = await makeUser()
  const url = urlOf({ user }, await makeDatabase(`owner ${user}`))
  const store = await openStore({ url, migrate: true, connections: 2 })
  try {
    await worksOneJob(store)
    const [role] = await store.database.query('select rolsuper from pg_roles where rolname = current_user')
    expect(role).toEqual({ rolsuper: false })
  } finally {
    await store.close()
  }
})

it('whoever may create in a schema made for it needs no right on the database', async () => {
  const user = await makeUser()
  const url = await makeDatabase()
  await open(url).script(`create schema theirs authorization ${user}`)
  const database = open(urlOf({ user }, url))
  await migrateUp(database, 'theirs')
  await worksOneJob(storeOn(database, 'theirs'))
})

it('a user who may not create gets the grant to ask for, or the script for an owner', async () => {
  const user = await makeUser()
  const url = await makeDatabase()
  await open(url).script('create schema foreign_one')
  const database = open(urlOf({ user }, url))
  for (const schema of ['holdfast', 'foreign_one']) {
    await expect(migrateUp(database, schema)).rejects.toMatchObject({
      code: 'create_privilege_missing',
      remedy: expect.stringMatching(/grant create on database .* to .*holdfast migrate sql/),
      details: { user, schema, database: new URL(url).pathname.slice(1) },
    })
  }
  await open(url).script(await migrationSql(database, 'holdfast'))
  expect(await migrationStatus(open(url), 'holdfast')).toMatchObject({ pending: [], functions: 'current' })
})

it.each(['SQL_ASCII', 'LATIN1'])('refuses a database whose encoding is %s', async (encoding) => {
  const url = await makeDatabase(`encoding '${encoding}' locale 'C' template template0`)
  const refused = {
    code: 'not_utf8',
    details: { encoding },
    remedy: expect.stringContaining("encoding 'UTF8'"),
  }
  await expect(migrateUp(open(url), 'holdfast')).rejects.toMatchObject(refused)
  await expect(openStore({ url })).rejects.toMatchObject(refused)
  expect(await open(url).query("select from pg_namespace where nspname = 'holdfast'")).toEqual([])
})

async function worksOneJob(store: ReturnType<typeof storeOn>): Promise<void> {
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', key: 'a', target: 't' })
  const { lease } = await store.work.openLease('w', 30_000)
  const [job] = await store.work.claim({ worker: 'w', lease, queues: ['q'] })
  if (job === undefined) throw new Error('nothing to claim')
  await store.work.finish([{ ...job, outcome: 'succeeded' }])
  expect(await store.read.job(jobId)).toMatchObject({ state: 'succeeded' })
}

async function state(database: Database): Promise<unknown> {
  return database.query('select hash, holdfast.all_levels() as levels from holdfast.code')
}

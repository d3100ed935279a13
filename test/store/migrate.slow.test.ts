import { randomBytes } from 'node:crypto'
import { type Database, migrateUp, migrationSql, migrationStatus, openStore, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { describeSchema } from '../../src/database/describe.js'
import { PACKAGE_VERSION } from '../../src/database/package.js'
import { makeDatabase, open } from '../support/databases.js'
import { type Driver, freshStore, onEachDriver, secondStore } from '../support/world.js'

/** A database and the name of a schema that is not in it yet. */
async function emptyWorld(driver: Driver): Promise<{ database: Database; schema: string }> {
  const { database } = await freshStore(driver)
  const schema = `t_${randomBytes(6).toString('hex')}`
  onTestFinished(() =>
    database.script(`set client_min_messages = error; drop schema if exists ${schema} cascade`),
  )
  return { database, schema }
}

onEachDriver('holdfast migrate', (driver) => {
  it('brings an empty database up, says so, and does nothing the second time', async () => {
    const { database, schema } = await emptyWorld(driver)
    const before = await migrationStatus(database, schema)
    expect(before).toMatchObject({ version: 0, functions: 'missing' })
    expect(before.pending).toHaveLength(before.latest)

    const first = await migrateUp(database, schema)
    expect(first).toMatchObject({ version: before.latest, pending: [], functions: 'current' })
    expect(first.applied).toEqual(before.pending)
    expect(first.applied[0]).toBe('0001_baseline')
    const picture = await describeSchema(database, schema)
    const [written] = await database.query(`select xmin::text from ${schema}.code`)

    expect(await migrateUp(database, schema)).toEqual({ ...first, applied: [] })
    expect(await migrationStatus(database, schema)).toMatchObject({ pending: [], functions: 'current' })
    expect(await describeSchema(database, schema)).toBe(picture)
    expect(await database.query(`select xmin::text from ${schema}.code`)).toEqual([written])
  })

  it('prints a script that, applied by hand, makes exactly what up makes', async () => {
    const { database, schema } = await emptyWorld(driver)
    const offline = await migrationSql(undefined, schema)
    expect(await migrationSql(database, schema)).toBe(offline)
    await database.script(offline)
    const { latest, ...status } = await migrationStatus(database, schema)
    expect(status).toEqual({ schema, version: latest, pending: [], functions: 'current' })

    const up = await emptyWorld(driver)
    await migrateUp(up.database, up.schema)
    expect(await describeSchema(database, schema)).toBe(await describeSchema(up.database, up.schema))
    expect(await migrationSql(database, schema)).toBe('-- The schema is up to date.\n')
  })

  it('puts back functions whose text is no longer ours', async () => {
    const store = await freshStore(driver)
    await change(store.database, 'stale', PACKAGE_VERSION)
    expect(await migrationStatus(store.database, store.schema)).toMatchObject({ functions: 'stale' })
    expect(await migrateUp(store.database, store.schema)).toMatchObject({ functions: 'current', applied: [] })
    expect(await levels(store.database)).toHaveLength(101)
  })

  it('leaves the functions of a newer package alone, in up and in the script', async () => {
    const store = await freshStore(driver)
    await change(store.database, 'of tomorrow', '99.0.0')
    expect(await migrateUp(store.database, store.schema)).toMatchObject({ functions: 'newer', applied: [] })
    expect(await levels(store.database)).toEqual([7])
    expect(await migrationSql(store.database, store.schema)).toBe('-- The schema is up to date.\n')
  })

  it.each([
    [`${PACKAGE_VERSION}-beta.2`, 'stale'],
    ['0.0.9', 'stale'],
    [PACKAGE_VERSION, 'stale'],
    ['0.10.0', 'newer'],
    ['10.0.0-alpha', 'newer'],
  ])('takes functions written by %s for %s', async (version, functions) => {
    const store = await freshStore(driver)
    await change(store.database, 'another text', version)
    expect(await migrationStatus(store.database, store.schema)).toMatchObject({ functions })
  })

  it('refuses a schema that is newer than the program, with the remedy, and changes nothing', async () => {
    const store = await freshStore(driver)
    await change(store.database, 'stale', PACKAGE_VERSION)
    await store.database.query(
      "insert into holdfast.migration (version, name, applied_at, package) values (9999, '9999_x', clock_timestamp(), '99.0.0')",
    )
    const ahead = {
      code: 'schema_ahead',
      remedy: expect.stringContaining('Deploy a newer holdfast'),
      details: { schema: store.schema, found: 9999, known: expect.any(Number) },
    }
    await expect(migrateUp(store.database, store.schema)).rejects.toMatchObject(ahead)
    await expect(migrationSql(store.database, store.schema)).rejects.toMatchObject(ahead)
    expect(await levels(store.database)).toEqual([7])
  })

  it('refuses a word of SQL as the name of a schema', async () => {
    const { database } = await emptyWorld(driver)
    for (const schema of ['order', 'user', 'left', 'between']) {
      await expect(migrateUp(database, schema)).rejects.toMatchObject({ code: 'schema_name_invalid' })
    }
  })
})

it.each([
  '',
  '1st',
  '_jobs',
  'Holdfast',
  'pg_jobs',
  'my-jobs',
  'my jobs',
  'jobs\n',
  'jobs.x',
  'jöbs',
  '"jobs"',
  "jobs'; drop schema public; --",
  'j'.repeat(41),
])('refuses %j as the name of a schema', async (schema) => {
  const refused = { code: 'schema_name_invalid', remedy: expect.stringContaining('1 to 40 lower-case') }
  const database = open()
  await expect(migrateUp(database, schema)).rejects.toMatchObject(refused)
  await expect(migrationStatus(database, schema)).rejects.toMatchObject(refused)
  await expect(migrationSql(undefined, schema)).rejects.toMatchObject(refused)
  await expect(openStore({ schema })).rejects.toMatchObject(refused)
})

it.each(['j', 'j'.repeat(40), 'queue', 'state'])('works in a schema named %s', async (schema) => {
  const database = open(await makeDatabase())
  await migrateUp(database, schema)
  const store = storeOn(database, schema)
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
  expect(await store.read.job(jobId)).toMatchObject({ state: 'queued' })
})

it('keeps two schemas side by side apart and leaves nothing in the default one', async () => {
  const database = open(await makeDatabase())
  await migrateUp(database, 'east')
  await migrateUp(database, 'west')
  const [east, west] = [storeOn(database, 'east'), storeOn(database, 'west')]
  const { jobId } = await east.enqueue({ queue: 'q', kind: 'k' })
  const { lease } = await west.work.openLease('w', 30_000)
  await expect(west.read.job(jobId)).rejects.toMatchObject({ code: 'unknown_job' })
  expect(await west.work.claim({ worker: 'w', lease, queues: ['q'] })).toEqual([])
  expect(await database.query("select from pg_namespace where nspname = 'holdfast'")).toEqual([])
  expect(await database.query("select proname from pg_proc where prosrc ~ 'holdfast[.]'")).toEqual([])
  expect(await describeSchema(database, 'east')).toBe(await describeSchema(database, 'west'))
})

it('applies everything once when two deploys start at the same moment', async () => {
  const url = await makeDatabase()
  const deploys = Array.from({ length: 4 }, () => open(url, 1))
  const results = await Promise.all(deploys.map((database) => migrateUp(database, 'holdfast')))
  expect(results.map(({ applied }) => applied.length).filter((count) => count > 0)).toEqual([
    results[0]?.latest,
  ])
  expect(results.map(({ functions }) => functions)).toEqual(Array(4).fill('current'))
  const [rows] = await open(url).query('select count(*) as migrations from holdfast.migration')
  expect(rows).toEqual({ migrations: results[0]?.latest })
})

it('lets the second deploy see what the first did, also where transactions are serializable by default', async () => {
  const url = await makeDatabase()
  await open(url).script(
    `alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = 'serializable'`,
  )
  const results = await Promise.all([open(url, 1), open(url, 1)].map((each) => migrateUp(each, 'holdfast')))
  expect(results.map(({ pending }) => pending)).toEqual([[], []])
})

it('replaces every function and view under sessions at work without one error', async () => {
  const store = await freshStore('postgres', { connections: 2 })
  const sessions = await Promise.all(Array.from({ length: 3 }, () => secondStore(store, 1)))
  let deployed = false
  let finished = 0
  const work = sessions.map(async (session, n) => {
    const { lease } = await session.work.openLease(`w${n}`, 60_000)
    while (!deployed) {
      const { jobId } = await session.enqueue({ queue: `q${n}`, kind: 'k', target: 't' })
      const [job] = await session.work.claim({ worker: `w${n}`, lease, queues: [`q${n}`] })
      if (job === undefined) throw new Error('nothing to claim')
      const [ended] = await session.work.finish([{ ...job, outcome: 'succeeded' }])
      expect(ended).toMatchObject({ accepted: true })
      expect(await session.read.job(jobId)).toMatchObject({ state: 'succeeded' })
      finished += 1
    }
  })
  const deploy = async () => {
    for (let round = 0; round < 20; round += 1) {
      await store.database.query("update holdfast.code set hash = 'old'")
      expect(await migrateUp(store.database, store.schema)).toMatchObject({ functions: 'current' })
    }
  }
  await Promise.all([...work, deploy().finally(() => (deployed = true))])
  expect(finished).toBeGreaterThan(0)
  expect(await store.read.violations()).toEqual([])
})

/** Pretends that some package wrote other functions. */
async function change(database: Database, hash: string, version: string): Promise<void> {
  await database.query('update holdfast.code set hash = $1, package = $2', [hash, version])
  await database.script(
    'create or replace function holdfast.all_levels() returns smallint[] language sql immutable as $$ select array[7::smallint] $$',
  )
}

async function levels(database: Database): Promise<number[] | undefined> {
  return (await database.query<{ levels: number[] }>('select holdfast.all_levels() as levels'))[0]?.levels
}

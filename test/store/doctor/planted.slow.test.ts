/** Each problem is planted in a healthy database: the doctor finds it and nothing else, and after its own fix it is silent again. */
import { examine, openPglite, openPostgres } from 'holdfast/store'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeUser, open, urlOf } from '../../support/databases.js'
import { startPgbouncer } from '../../support/pgbouncer.js'
import { sealedStore } from '../../support/roles/sealed.js'
import { serverUrl } from '../../support/world.js'
import { healthy, hospital, hospitalUrl, type Patient, works } from './patient.js'

hospital()

it('is silent on a healthy database', async () => {
  const patient = await healthy()
  const { healthy: well, findings, checks } = await patient.examine({ deep: true })
  expect(findings).toEqual([])
  expect(well).toBe(true)
  expect(checks.map(({ result }) => result)).toEqual(checks.map(() => 'fine'))
})

/** What is planted by SQL and mended by the SQL of the finding. */
const IN_SQL: [code: string, what: string, plant: string][] = [
  ['index_missing', 'an index is gone', 'drop index holdfast.ready_returned'],
  [
    'index_invalid',
    'an index is invalid',
    "update pg_index set indisvalid = false where indexrelid = 'holdfast.held_blocked'::regclass",
  ],
  [
    'autovacuum_off',
    'autovacuum is off for a table',
    'alter table holdfast.dedup set (autovacuum_enabled = false)',
  ],
  [
    'room_short',
    'there is room for few jobs',
    "select setval('holdfast.job_id_seq', (select max(hi) - 50000 from holdfast.partition))",
  ],
  [
    'dead_rows',
    'a table is full of dead rows',
    `insert into holdfast.delayed select n, null, null, 1, 0, 0, 0, 0, 0, false, 'scheduled', now() from generate_series(1, 50010) n;
     delete from holdfast.delayed; select pg_stat_force_next_flush();`,
  ],
]

describe('finds it, and mends it, when', () => {
  it.each(IN_SQL)('%s: %s', async (code, _what, plant) => {
    const patient = await healthy()
    await patient.database.script(plant)
    await expect.poll(() => patient.codes()).toContain(code)
    const { findings } = await patient.examine()
    expect(findings.map((finding) => finding.code).filter((each) => each !== 'schema_drift')).toEqual([code])
    await patient.mend(findings.find((finding) => finding.code === code)?.fix ?? '')
    await expect.poll(() => patient.codes()).toEqual([])
  })

  it('function_changed: somebody replaced a function', async () => {
    const patient = await healthy()
    await patient.database.script(
      "create or replace function holdfast.all_levels() returns smallint[] language sql immutable parallel safe as $$ select '{1}'::smallint[] $$",
    )
    const { findings } = await patient.examine()
    expect(findings).toMatchObject([
      { code: 'function_changed', severity: 'problem', data: { functions: ['all_levels'] } },
    ])
    expect(findings[0]?.fix).toContain('holdfast migrate up')
  })

  it('schema_drift: a table has lost a check, a function its settings; what others added is a note', async () => {
    const patient = await healthy()
    await patient.database.script('alter table holdfast.job drop constraint job_kind_check')
    await patient.database.script('alter function holdfast.explain(bigint) reset all')
    await patient.database.script('create index theirs on holdfast.job (kind)')
    const { findings } = await patient.examine()
    const job = `table ${patient.schema}.job`
    expect(findings).toMatchObject([
      { code: 'schema_drift', severity: 'problem', data: { object: job } },
      { code: 'schema_drift', data: { object: `function ${patient.schema}.explain` } },
    ])
    await patient.database.script('drop index holdfast.theirs')
    await patient.database.script('create index theirs on holdfast.item (key)')
    const added = (await patient.examine()).findings.filter(({ code }) => code === 'schema_additions')
    expect(added).toMatchObject([{ severity: 'note', data: { object: `table ${patient.schema}.item` } }])
  })

  it.each([
    ['schema_missing', (schema: string) => `drop schema ${schema} cascade`],
    [
      'schema_ahead',
      (schema: string) => `insert into ${schema}.migration values (9999, 'later', now(), '9.9.9')`,
    ],
    ['schema_behind', (schema: string) => `delete from ${schema}.code`],
  ])('%s, and then asks nothing of our tables', async (code, plant) => {
    const patient = await healthy()
    await patient.database.script(`set local client_min_messages = error; ${plant(patient.schema)}`)
    const { findings, checks } = await patient.examine()
    expect(findings.map((finding) => finding.code)).toEqual([code])
    expect(checks.filter(({ result }) => result === 'skipped').map(({ name }) => name)).toContain('workers')
  })

  it('transaction_open: a session sits in a transaction, with its query', async () => {
    const patient = await healthy()
    const client = new pg.Client({ connectionString: hospitalUrl(), application_name: 'report' })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end().catch(() => {}))
    await client.query('begin isolation level repeatable read')
    await client.query("select 'the long report'")
    expect(await patient.codes(), 'not before its time').toEqual([])
    const limits = { transactionSec: 0 }
    const { findings } = await patient.examine({ limits })
    expect(findings).toMatchObject([
      { code: 'transaction_open', data: { kind: 'session', state: 'idle in transaction' } },
    ])
    expect(findings[0]?.sentence).toContain("select 'the long report'")
    await patient.mend(findings[0]?.fix.replace(/--.*/, '') ?? '')
    await expect.poll(() => patient.codes({ limits })).toEqual([])
  })

  it('transaction_open: a prepared transaction was forgotten', async () => {
    const patient = await healthy()
    await patient.database.script(`begin; create table holdfast.theirs (); prepare transaction 'forgotten'`)
    const { findings } = await patient.examine({ limits: { transactionSec: 0 } })
    await patient.mend("rollback prepared 'forgotten'")
    expect(findings).toMatchObject([
      { code: 'transaction_open', data: { kind: 'prepared', name: 'forgotten' } },
    ])
    expect(findings[0]?.fix).toContain("rollback prepared 'forgotten'")
  })

  it('notify_queue: a listener does not read', async () => {
    const patient = await healthy()
    const listener = new pg.Client({ connectionString: hospitalUrl() })
    await listener.connect()
    await listener.query('listen deaf')
    await listener.query('begin')
    for (let n = 0; n < 4; n += 1)
      await patient.database.query("select pg_notify('deaf', repeat(md5($1), 240))", [String(n)])
    const limits = { notifyShare: 1e-6 }
    expect(await patient.codes({ limits })).toEqual(['notify_queue'])
    await listener.query('commit')
    await expect.poll(() => patient.codes({ limits })).toEqual([])
    await listener.end()
  })

  it.each([
    ['transaction', ['pooler_transaction_mode']],
    ['session', []],
  ] as const)(
    'a pooler in %s mode: %j, no more than a note, and the rest is found out through it',
    async (mode, codes) => {
      const pooler = await startPgbouncer(hospitalUrl(), mode)
      onTestFinished(pooler.stop)
      const through = openPostgres({ url: pooler.url, connections: 2 })
      onTestFinished(() => through.close())
      const patient = await healthy(through)
      const { healthy: well, findings } = await patient.examine()
      expect(findings.map(({ code }) => code)).toEqual(codes)
      expect(well).toBe(true)
    },
  )

  it('not_durable: fsync and full_page_writes are off', async () => {
    const patient = await healthy(open(serverUrl()))
    const { findings } = await patient.examine()
    expect(findings.filter(({ code }) => code === 'not_durable').map(({ data }) => data.setting)).toEqual([
      'fsync',
      'full_page_writes',
    ])
  })

  it('not_durable: synchronous_commit is off for the database', async () => {
    const patient = await healthy()
    await patient.database.script(`alter database holdfast set synchronous_commit = off`)
    const later = openPostgres({ url: hospitalUrl(), connections: 1 })
    const { findings } = await examine(later, patient.schema)
    await later.close()
    expect(findings).toMatchObject([
      { code: 'not_durable', severity: 'warning', data: { source: 'database' } },
    ])
    await patient.database.script(findings[0]?.fix ?? '')
    expect(await patient.codes()).toEqual([])
  })

  it('clock_skew: this computer is a minute ahead, or behind', async () => {
    const patient = await healthy()
    for (const skewMs of [60_000, -60_000]) {
      const { findings } = await patient.examine({ now: () => Date.now() + skewMs })
      expect(findings).toMatchObject([{ code: 'clock_skew' }])
      expect(Math.abs((findings[0]?.data.skewMs as number) - skewMs)).toBeLessThan(5_000)
    }
  })

  it('connections_short: more worker processes than there are connections for', async () => {
    const patient = await healthy()
    for (let pid = 2; pid <= 8; pid += 1) await works(patient, { worker: `w${pid}`, pid })
    expect((await patient.examine()).findings).toMatchObject([
      { code: 'connections_short', data: { processes: 8, budget: 40 } },
    ])
  })

  it('worker_old: a worker runs an older version', async () => {
    const patient = await healthy()
    await works(patient, { worker: 'old-1', version: '0.0.1' })
    const { findings } = await patient.examine()
    expect(findings).toMatchObject([{ code: 'worker_old', data: { version: '0.0.1', workers: ['old-1'] } }])
    expect(findings[0]?.fix).toContain('holdfast workers drain old-1')
  })

  it('rule_broken: somebody put a job into two places, when asked to look deep', async () => {
    const patient = await healthy()
    await patient.database.script(
      "insert into holdfast.held select job_id, null, null, queue_id, 0, 0, 0, 0, 0, false, 'paused', now() from holdfast.ready",
    )
    expect(await patient.codes()).toEqual([])
    expect(await patient.codes({ deep: true })).toContain('rule_broken')
  })
})

it('a schema that is sealed by roles has not drifted; one whose roles are of another version has', async () => {
  const store = await sealedStore()
  const findings = async () => (await examine(store.database, store.schema)).findings
  const codes = async () => (await findings()).map(({ code }) => code)
  // The clock of the test is pinned, and the run's server is not durable.
  const always = ['not_durable', 'not_durable', 'schema_drift', 'function_changed']
  const drifted = (await findings()).filter(({ code }) => code === 'schema_drift')
  expect(drifted.map(({ data }) => data)).toMatchObject([
    { object: expect.stringMatching(/^function \w+\.now$/) },
  ])
  expect((await codes()).filter((code) => code !== 'upkeep_asleep')).toEqual(always)
  await store.database.script("comment on table holdfast.tenant_grant is 'roles of another day'")
  expect(await codes()).toEqual([...always, 'roles_stale'])
})

it('a user who may not look is told what would let it, and the rest is looked at', async () => {
  const patient = await healthy(open(serverUrl()))
  const user = await makeUser()
  const theirs = open(urlOf({ user }, serverUrl()))
  const { checks } = await examine(theirs, patient.schema)
  const skipped = checks.filter(({ result }) => result === 'skipped')
  expect(skipped.map(({ name }) => name)).toEqual(expect.arrayContaining(['workers', 'room', 'upkeep']))
  expect(skipped[0]?.reason).toContain('run as the owner of the schema')
})

it('PGlite: what asks about a server is skipped with why, the rest is looked at', async () => {
  const database = await openPglite()
  onTestFinished(() => database.close())
  const patient: Patient = await healthy(database)
  const { healthy: well, findings, checks } = await patient.examine({ deep: true })
  expect(findings).toEqual([])
  expect(well).toBe(true)
  expect(checks.filter(({ result }) => result === 'skipped').map(({ name }) => name)).toEqual([
    'pooler',
    'durability',
    'transactions',
    'notify',
    'vacuum',
    'connections',
  ])
})

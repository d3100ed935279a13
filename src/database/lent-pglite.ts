/**
 * Reuses PGlites between tests: creating one takes a second or two, emptying one a few hundredths. Each is used by one test at a time, so
 * no other test sees its data. A PGlite that cannot be emptied, because a transaction is still open or its schema has changed, is
 * discarded.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { holdfastError } from '../domain/errors/errors.js'
import type { Database } from './database.js'
import { migrateUp } from './migrate.js'
import { openPglite } from './pglite.js'
import { checkSchemaName, DEFAULT_SCHEMA, inSchema } from './schema.js'

export interface LentPglite {
  readonly database: Database
  readonly schema: string
}

/** A PGlite with the structure of its new schema, for comparison after use. */
interface ReusablePglite {
  readonly lite: Database
  readonly schema: string
  readonly structure: string
  /** Rows that a migration inserts, by table. */
  readonly rows: ReadonlyMap<string, string>
}

/** More than the tests of one file use at once. */
const KEPT = 4
/** After the end of a test its calls are not waited for longer. */
const EMPTY_MS = 5_000

const free: ReusablePglite[] = []

/** A database with an empty schema. `close` returns it for reuse. */
export async function borrowPglite(wanted: string | undefined): Promise<LentPglite> {
  const at = free.findIndex(({ schema }) => wanted === undefined || schema === wanted)
  const owned =
    at === -1
      ? await make(checkSchemaName(wanted ?? DEFAULT_SCHEMA))
      : (free.splice(at, 1)[0] as ReusablePglite)
  return { database: lent(owned), schema: owned.schema }
}

async function make(schema: string): Promise<ReusablePglite> {
  const lite = await openPglite()
  await migrateUp(lite, schema)
  return { lite, schema, structure: await structureOf(lite, schema), rows: await rowsIn(lite, schema) }
}

/** Refuses calls after the end of a test, so that they cannot write into the database of the next. */
function lent(owned: ReusablePglite): Database {
  const { lite } = owned
  let closing: Promise<void> | undefined
  const open = (): Database => {
    if (closing !== undefined) throw holdfastError('unavailable', { problem: 'the test is over' })
    return lite
  }
  return {
    driver: lite.driver,
    query: async (...args) => open().query(...args),
    script: async (...args) => open().script(...args),
    transaction: async (...args) => open().transaction(...args),
    listen: async (...args) => open().listen?.(...args),
    close() {
      closing ??= giveBack(owned)
      return closing
    },
  }
}

async function giveBack(owned: ReusablePglite): Promise<void> {
  const emptied = empty(owned).catch(() => false)
  const inTime = await Promise.race([emptied, wait(EMPTY_MS, false, { ref: false })])
  if (inTime && free.length < KEPT) free.push(owned)
  else void owned.lite.close().catch(() => {})
}

/** False when the database differs from a new one. */
async function empty({ lite, schema, structure, rows }: ReusablePglite): Promise<boolean> {
  // A test may have pinned the clock.
  await lite.script(
    `rollback; reset all; discard temp; select pg_advisory_unlock_all(); drop table if exists ${schema}.pinned_clock; ${inSchema(NOW, schema)}`,
  )
  await dropOthers(lite, schema)
  if ((await structureOf(lite, schema)) !== structure) return false
  const statements = (await relationsIn(lite, schema)).map(({ name, kind }) =>
    kind === 'S' ? `alter sequence ${schema}.${name} restart` : `delete from ${schema}.${name}`,
  )
  statements.push(`update ${schema}.partition set looked_at = null where looked_at is not null`)
  await lite.script(statements.join(';\n'))
  for (const [table, brought] of rows)
    await lite.query(
      `insert into ${schema}.${table} overriding system value
       select * from json_populate_recordset(null::${schema}.${table}, $1::text::json)`,
      [brought],
    )
  return true
}

const NOW = readFileSync(new URL('../../sql/functions/base/now.sql', import.meta.url), 'utf8')

/** Drops what the test itself created in `public` or in other schemas. */
async function dropOthers(lite: Database, schema: string): Promise<void> {
  const others = await lite.query<{ name: string }>(
    `select quote_ident(n.nspname) as name from pg_namespace n
     where n.nspname not in ('information_schema', $1) and n.nspname !~ '^pg_'
       and (n.nspname <> 'public' or exists (select from pg_depend d where d.refclassid = 'pg_namespace'::regclass and d.refobjid = n.oid and d.deptype = 'n'))`,
    [schema],
  )
  const drops = others.map(({ name }) => `drop schema ${name} cascade;`)
  if (others.some(({ name }) => name === 'public')) drops.push('create schema public;')
  if (drops.length > 0)
    await lite.script(`set client_min_messages = error; ${drops.join(' ')} reset client_min_messages`)
}

/** Rows of these tables stay, and are compared instead. */
const STAYING = ['preset', 'migration', 'code', 'partition']

/** Everything in a schema that a test could change besides rows, and the rows that stay. */
async function structureOf(lite: Database, schema: string): Promise<string> {
  const [row] = await lite.query<{ digest: string }>(`
    select md5(coalesce(string_agg(x, E'\\n' order by x), '')) as digest from (
      select format('%s %s %s %s %s %s', p.proname, p.proargtypes, p.prosecdef, p.provolatile, p.proconfig, p.prosrc) as x
        from pg_proc p where p.pronamespace = '${schema}'::regnamespace
      union all select format('%s %s %s %s %s', c.relname, c.relkind, c.relnatts, c.reloptions, c.relrowsecurity)
        from pg_class c where c.relnamespace = '${schema}'::regnamespace and c.relkind <> 't'
      union all select format('%s %s', t.tgname, t.tgenabled) from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = '${schema}'::regnamespace
      union all select format('%s %s', k.conname, k.convalidated) from pg_constraint k where k.connamespace = '${schema}'::regnamespace
      union all select p::text from ${schema}.preset p
      union all select format('%s %s', lo, hi) from ${schema}.partition
      union all select version::text from ${schema}.migration
      union all select hash from ${schema}.code) s`)
  return row?.digest ?? ''
}

async function rowsIn(lite: Database, schema: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { name } of (await relationsIn(lite, schema)).filter(({ kind }) => kind !== 'S')) {
    const [row] = await lite.query<{ rows: string | null }>(
      `select json_agg(t)::text as rows from ${schema}.${name} t`,
    )
    if (row?.rows) found.set(name, row.rows)
  }
  return found
}

/** Tables and sequences to empty. */
async function relationsIn(lite: Database, schema: string): Promise<{ name: string; kind: string }[]> {
  const found = await lite.query<{ name: string; kind: string }>(
    `select relname as name, relkind as kind from pg_class
     where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p', 'S') and not relispartition`,
  )
  return found.filter(({ name }) => !STAYING.includes(name))
}

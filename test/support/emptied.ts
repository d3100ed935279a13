/**
 * Schemas that a test has left and the next one gets, emptied: to make one takes PGlite a third of a second, most of what a small test
 * takes. Only where one connection is all there is: on a server, somebody who died a moment ago may still write. A schema whose
 * structure is not as it was made is dropped instead.
 */
import { readFileSync } from 'node:fs'
import { type Database, migrateUp } from 'holdfast/store'

const KEPT = ['preset', 'migration', 'code', 'partition']
const CLOCK = readFileSync(new URL('../../sql/functions/base/now.sql', import.meta.url), 'utf8')

/** Everything of a schema that a test could change beside rows, and the rows that stay. */
const STRUCTURE = (schema: string) => `
  select md5(coalesce(string_agg(x, E'\\n' order by x), '')) as digest from (
    select format('%s %s %s %s %s %s', p.proname, p.proargtypes, p.prosecdef, p.provolatile, p.proconfig, p.proacl)
      || replace(p.prosrc, '${schema}.', '') as x from pg_proc p where p.pronamespace = '${schema}'::regnamespace
    union all select format('%s %s %s %s %s %s', c.relname, c.relkind, c.relnatts, c.reloptions, c.relacl, c.relrowsecurity)
      from pg_class c where c.relnamespace = '${schema}'::regnamespace and c.relkind <> 't'
    union all select format('%s %s', t.tgname, t.tgenabled) from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = '${schema}'::regnamespace
    union all select format('%s %s', k.conname, k.convalidated) from pg_constraint k where k.connamespace = '${schema}'::regnamespace
    union all select p::text from ${schema}.preset p
    union all select format('%s %s', lo, hi) from ${schema}.partition
    union all select version::text from ${schema}.migration
    union all select hash from ${schema}.code) s`

export class Emptied {
  readonly #database: Database
  readonly #free: string[] = []
  /** Rows that a migration brings, by table. */
  #brought = new Map<string, string>()
  #asMade: string | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** One that was emptied, or a new one of this name. */
  async take(name: string): Promise<string> {
    const free = this.#free.pop()
    if (free !== undefined) return free
    await migrateUp(this.#database, name)
    if (this.#asMade === undefined) {
      this.#asMade = await this.#structure(name)
      this.#brought = await this.#rowsOf(name)
    }
    return name
  }

  async giveBack(schema: string): Promise<void> {
    await this.#database.script(`
      set local client_min_messages = error;
      drop table if exists ${schema}.pinned_clock;
      ${CLOCK.replaceAll('holdfast.', `${schema}.`)}`)
    if ((await this.#structure(schema)) !== this.#asMade)
      await this.#database.script(
        `set local client_min_messages = error; drop schema if exists ${schema} cascade`,
      )
    else {
      await this.#empty(schema)
      this.#free.push(schema)
    }
  }

  async #structure(schema: string): Promise<string | undefined> {
    const there = await this.#database.query('select from pg_namespace where nspname = $1', [schema])
    if (there.length === 0) return undefined
    const [row] = await this.#database.query<{ digest: string }>(STRUCTURE(schema))
    return row?.digest
  }

  async #empty(schema: string): Promise<void> {
    const statements = (await this.#relations(schema)).map(({ name, kind }) =>
      kind === 'S' ? `alter sequence ${schema}.${name} restart` : `delete from ${schema}.${name}`,
    )
    statements.push(`update ${schema}.partition set looked_at = null where looked_at is not null`)
    await this.#database.script(statements.join(';\n'))
    for (const [table, rows] of this.#brought)
      await this.#database.query(
        `insert into ${schema}.${table} overriding system value
         select * from json_populate_recordset(null::${schema}.${table}, $1::text::json)`,
        [rows],
      )
  }

  async #rowsOf(schema: string): Promise<Map<string, string>> {
    const tables = (await this.#relations(schema)).filter(({ kind }) => kind !== 'S')
    const found = new Map<string, string>()
    for (const { name } of tables) {
      const [row] = await this.#database.query<{ rows: string | null }>(
        `select json_agg(t)::text as rows from ${schema}.${name} t`,
      )
      if (row?.rows) found.set(name, row.rows)
    }
    return found
  }

  /** Tables and sequences, but for what stays as it is. */
  async #relations(schema: string): Promise<{ name: string; kind: string }[]> {
    const found = await this.#database.query<{ name: string; kind: string }>(
      `select relname as name, relkind as kind from pg_class
       where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p', 'S') and not relispartition`,
    )
    return found.filter(({ name }) => !KEPT.includes(name))
  }
}

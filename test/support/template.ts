/**
 * Databases of tests on the run's Postgres: copies of templates that setup has brought up to date, because a copy takes 60 ms, with its
 * end, where the migrations take 400.
 */
import { type Database, migrateUp, openPostgres } from 'holdfast/store'
import { pinClock } from 'holdfast/testing'

/** Not the usual name, so that whoever writes it into a statement by hand is found out. */
export const SCHEMA = 't_fresh'
/** `pinned`: its clock stands still. `usual`: the schema has its usual name. */
export type Template = 'fresh' | 'pinned' | 'usual'
const TEMPLATES: readonly Template[] = ['fresh', 'pinned', 'usual']
export const START = new Date('2030-01-01T00:00:00Z')

export async function makeTemplates(serverUrl: string): Promise<void> {
  for (const template of TEMPLATES) {
    const schema = template === 'usual' ? 'holdfast' : SCHEMA
    await once(serverUrl, (server) => server.script(`create database ${nameOf(template)}`))
    await once(inDatabase(serverUrl, nameOf(template)), async (database) => {
      await migrateUp(database, schema)
      if (template === 'pinned') await pinClock({ database, schema }, START)
      await database.script(await emptying(database, schema, { inSchema: 'public', others: true }))
    })
  }
}

const nameOf = (template: Template) => `t_template_${template}`

/** The same server, another database. */
export function inDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

export class Copies {
  readonly #server: Database

  constructor(serverUrl: string) {
    this.#server = openPostgres({ url: serverUrl, connections: 1 })
  }

  make(name: string, template: Template = 'fresh'): Promise<void> {
    return this.#server.script(`create database ${name} template ${nameOf(template)}`)
  }

  drop(name: string): Promise<void> {
    return this.#server.script(`drop database ${name} with (force)`)
  }

  /** How many are connected to it. */
  async sessions(name: string): Promise<number> {
    const [row] = await this.#server.query<{ n: number }>(
      'select count(*)::int as n from pg_stat_activity where datname = $1',
      [name],
    )
    return row?.n ?? 0
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

/** Rows of these come with the migrations and are never changed by the product. */
const UNTOUCHED = ['preset', 'migration', 'code', 'partition']

/**
 * The script that makes `empty_world()` in the schema `inSchema`: it deletes what a test has written into `schema`, brings back the rows
 * that the migrations bring, and answers whether everything else is as it was made; with `others`, also outside of the schema. One call,
 * planned once a session.
 */
export async function emptying(
  database: Database,
  schema: string,
  { inSchema: beside, others }: { inSchema: string; others: boolean },
): Promise<string> {
  const relations = await database.query<{ name: string; kind: string; start: number | null }>(
    `select relname as name, relkind as kind, seqstart as start from pg_class left join pg_sequence on seqrelid = pg_class.oid
     where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p', 'S') and not relispartition order by 1`,
  )
  const tables = relations.filter(({ kind, name }) => kind !== 'S' && !UNTOUCHED.includes(name))
  const brought: string[] = []
  for (const { name } of tables) {
    const [row] = await database.query<{ any: boolean }>(
      `select exists (select from ${schema}.${name}) as any`,
    )
    if (row?.any) brought.push(name)
  }
  const emptied = tables.map(({ name }) =>
    brought.includes(name)
      ? `delete from ${schema}.${name};
         insert into ${schema}.${name} overriding system value select * from ${beside}.brought_${name};`
      : `if exists (select from ${schema}.${name}) then delete from ${schema}.${name}; end if;`,
  )
  const sequences = relations.filter(({ kind }) => kind === 'S')
  const restarted = sequences.map(
    ({ name, start }) => `perform setval('${schema}.${name}', ${start}, false);`,
  )
  return `
    ${brought.map((name) => `create table ${beside}.brought_${name} as select * from ${schema}.${name};`).join('\n')}
    create table ${beside}.as_made (digest text);
    create function ${beside}.digest() returns text language sql as $digest$
      select md5(string_agg(x, ',' order by x)) from (
        select format('c %s %s', oid, xmin) as x from pg_class
          where relnamespace = '${schema}'::regnamespace or relnamespace = '${beside}'::regnamespace
        union all select format('p %s %s', oid, xmin) from pg_proc where pronamespace = '${schema}'::regnamespace
        union all select format('k %s %s', oid, xmin) from pg_constraint where connamespace = '${schema}'::regnamespace
        union all select format('t %s %s', g.oid, g.xmin) from pg_trigger g join pg_class c on c.oid = g.tgrelid
          where c.relnamespace = '${schema}'::regnamespace
        union all select format('y %s %s', y.oid, y.xmin) from pg_policy y join pg_class c on c.oid = y.polrelid
          where c.relnamespace = '${schema}'::regnamespace
        union all select format('a %s %s', a.starelid, a.staattnum) from pg_statistic a join pg_class c on c.oid = a.starelid
          where c.relnamespace = '${schema}'::regnamespace
        union all select format('n %s %s', oid, xmin) from pg_namespace where ${others ? "nspname !~ '^pg_'" : `nspname = '${schema}'`}
        union all select format('s %s', setconfig) from pg_db_role_setting
          where setdatabase = (select oid from pg_database where datname = current_database())
        ${UNTOUCHED.map((name) => `union all select format('${name} %s', r) from ${schema}.${name} r`).join('\n')}) s
    $digest$;
    create function ${beside}.empty_world() returns boolean language plpgsql
      set session_replication_role = replica set synchronous_commit = off as $empty$
    begin
      update ${schema}.partition set looked_at = null where looked_at is not null;
      ${emptied.join('\n')}
      ${restarted.join('\n')}
      -- The catalog of the first look, taken by the first copy itself: copying a database keeps it.
      if not exists (select from ${beside}.as_made) then
        insert into ${beside}.as_made values (${beside}.digest());
        return true;
      end if;
      return (select digest from ${beside}.as_made) = ${beside}.digest();
    end $empty$;
    select ${beside}.empty_world();`
}

async function once(url: string, work: (database: Database) => Promise<unknown>): Promise<void> {
  const database = openPostgres({ url, connections: 1 })
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

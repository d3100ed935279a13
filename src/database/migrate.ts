/**
 * Migrates a database to the schema that this package needs. Forward only, in one transaction under an advisory lock, so that concurrent
 * deploys migrate once and a failure changes nothing. Functions are replaced whenever their text has changed; running sessions do not
 * notice, because a verb's signature never changes. An older package never replaces newer functions, and refuses to run on tables it
 * does not know.
 */
import { holdfastError } from '../domain/errors/errors.js'
import { type Database, DEADLINES, type Session } from './database.js'
import { refuseMoved } from './move/marks.js'
import { PACKAGE_VERSION } from './package.js'
import { actAsOwner, type RolesInstalled, rolesInstalled, rolesSql } from './roles.js'
import { checkSchemaName, inSchema } from './schema.js'
import { code, latestMigration, migrations } from './sql-files.js'

export interface MigrationStatus {
  readonly schema: string
  /** The last applied migration; 0 when the schema does not exist. */
  readonly version: number
  /** The last migration of this package. */
  readonly latest: number
  readonly pending: string[]
  /** missing · stale (the text differs) · newer (written by a later package; left alone) · current */
  readonly functions: 'missing' | 'stale' | 'newer' | 'current'
}

export interface MigrationResult extends MigrationStatus {
  readonly applied: string[]
}

/** A migration that waits for a lock blocks every later query on that table; giving up early and retrying is better. */
const LOCK_TIMEOUT_MS = 2_000

export async function migrationStatus(database: Database, schema: string): Promise<MigrationStatus> {
  checkSchemaName(schema)
  await checkServer(database, schema)
  return readStatus(database, schema)
}

export async function migrateUp(database: Database, schema: string): Promise<MigrationResult> {
  checkSchemaName(schema)
  await checkServer(database, schema)
  return database.transaction(
    async (session) => {
      // A process that waited for the advisory lock must see what the previous one did, so each statement needs a new snapshot.
      await session.query('set transaction isolation level read committed')
      // Before the lock timeout is set: waiting for another process that does the same migration is no reason to give up.
      await session.query("select pg_advisory_xact_lock(hashtextextended('holdfast migration ' || $1, 0))", [
        schema,
      ])
      await session.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await session.query('set local check_function_bodies = off')
      // Names without a schema in our scripts resolve to Postgres's own, never to a user's object of the same name.
      await session.query('set local search_path = pg_catalog, pg_temp')
      const before = await readStatus(session, schema)
      refuseAhead(before)
      await refuseMoved(session, schema)
      if (before.version === 0) await checkRights(session, schema)
      const seal = await rolesInstalled(session, schema)
      const steps = stepsFrom(before, seal)
      const sealed = steps.length > 0 ? seal : undefined
      if (sealed) await actAsOwner(session, schema, sealed)
      for (const step of steps) await session.script(step)
      // The roles script ends as the connected user, which may not be able to read the tables.
      if (sealed) await actAsOwner(session, schema, sealed)
      return { ...(await readStatus(session, schema)), applied: before.pending }
    },
    { deadlineMs: DEADLINES.migration },
  )
}

/** The script that `up` would run, for a database owner to apply. */
export async function migrationSql(database: Database | undefined, schema: string): Promise<string> {
  checkSchemaName(schema)
  const status = database === undefined ? missing(schema) : await migrationStatus(database, schema)
  refuseAhead(status)
  const seal = database && (await rolesInstalled(database, schema))
  const steps = stepsFrom(status, seal)
  if (steps.length === 0) return '-- The schema is up to date.\n'
  return [
    'begin;',
    `select pg_advisory_xact_lock(hashtextextended('holdfast migration ${schema}', 0));`,
    `set local lock_timeout = ${LOCK_TIMEOUT_MS};`,
    'set local check_function_bodies = off;',
    'set local search_path = pg_catalog, pg_temp;',
    ...(seal === undefined ? [] : [`set local role ${seal.owner};`]),
    ...steps,
    'commit;\n',
  ].join('\n')
}

/** For a program that starts: the schema must exist, have a version that the program knows, and not be moved or half copied. */
export async function checkSchema(database: Database, schema: string): Promise<void> {
  if (await isCurrent(database, schema)) return
  const status = await migrationStatus(database, schema)
  if (status.version === 0) throw holdfastError('schema_missing', { schema })
  refuseAhead(status)
  if (status.version < status.latest || status.functions === 'missing')
    throw holdfastError('schema_behind', { schema, found: status.version, known: status.latest })
  await refuseMoved(database, schema)
}

/** One query for the usual case; the full status explains a failure. */
async function isCurrent(database: Database, schema: string): Promise<boolean> {
  checkSchemaName(schema)
  const text = `select max(m.version) = $1 and exists (select from holdfast.code) and not exists (
      select from holdfast.move v where v.role = 'source' or v.ended_at is null) as current from holdfast.migration m`
  try {
    const [row] = await database.query<{ current: boolean }>(inSchema(text, schema), [latestMigration()], {
      repeatable: true,
    })
    return row?.current === true
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code === 'schema_missing' || code === 'forbidden') return false
    throw error
  }
}

/** The scripts that bring a schema to this package's version, one a step, applied together. */
function stepsFrom(status: MigrationStatus, seal: RolesInstalled | undefined): string[] {
  const steps = unsealedSteps(status)
  // A new function is open to every role until roles.sql runs again; roles of a newer package are left alone like its functions.
  const needsRoles = seal !== undefined && status.functions !== 'newer' && (steps.length > 0 || !seal.current)
  return needsRoles ? [...steps, rolesSql(status.schema)] : steps
}

function unsealedSteps({ schema, version, pending, functions }: MigrationStatus): string[] {
  const steps = version === 0 ? [bookkeeping(schema)] : []
  for (const { version: number, name, text } of migrations().slice(version)) {
    steps.push(
      inSchema(text, schema),
      `insert into ${schema}.migration (version, name, applied_at, package) values (${number}, '${name}', clock_timestamp(), '${PACKAGE_VERSION}');`,
    )
  }
  if (functions === 'newer' || (functions === 'current' && pending.length === 0)) return steps
  const { text, hash } = code()
  steps.push(
    inSchema(text, schema),
    `delete from ${schema}.code;
insert into ${schema}.code (hash, package, applied_at) values ('${hash}', '${PACKAGE_VERSION}', clock_timestamp());`,
  )
  // Creates the partitions of the first job and three more in advance: creating one takes a lock that no caller should wait for.
  steps.push(`select ${schema}.make_partitions(4);`)
  return steps
}

/** Not `create schema if not exists`, which needs the right to create schemas even when the schema exists. */
const bookkeeping = (schema: string) => `do $$ begin
  if not exists (select from pg_catalog.pg_namespace where nspname = '${schema}') then create schema ${schema}; end if;
end $$;
create table ${schema}.migration (version int primary key, name text not null, applied_at timestamptz not null, package text not null);
create table ${schema}.code (hash text not null, package text not null, applied_at timestamptz not null);`

async function checkRights(session: Session, schema: string): Promise<void> {
  const [facts] = await session.query<{ may: boolean; user: string; database: string }>(
    `select coalesce((select has_schema_privilege(n.oid, 'CREATE') from pg_namespace n where n.nspname = $1),
       has_database_privilege(current_database(), 'CREATE')) as may, current_user as user, current_database() as database`,
    [schema],
  )
  if (facts?.may !== true)
    throw holdfastError('create_privilege_missing', { schema, user: facts?.user, database: facts?.database })
}

function refuseAhead({ schema, version, latest }: MigrationStatus): void {
  if (version > latest) throw holdfastError('schema_ahead', { schema, found: version, known: latest })
}

function missing(schema: string): MigrationStatus {
  const all = migrations().map(({ name }) => name)
  return { schema, version: 0, latest: all.length, pending: all, functions: 'missing' }
}

async function readStatus(session: Session, schema: string): Promise<MigrationStatus> {
  // From the catalog, not by to_regclass, which fails without rights on the schema.
  const [there] = await session.query<{ migrated: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relname = 'migration') as migrated`,
    [schema],
  )
  if (there?.migrated !== true) return missing(schema)
  const [row] = await session.query<{ version: number; hash: string | null; package: string | null }>(
    inSchema(
      `select coalesce(max(m.version), 0) as version, (select hash from holdfast.code) as hash, (select package from holdfast.code) as package
       from holdfast.migration m`,
      schema,
    ),
  )
  const version = row?.version ?? 0
  const pending = migrations()
    .slice(version)
    .map(({ name }) => name)
  return {
    schema,
    version,
    latest: migrations().length,
    pending,
    functions: functionStatus(row?.hash ?? null, row?.package ?? null),
  }
}

function functionStatus(hash: string | null, writtenBy: string | null): MigrationStatus['functions'] {
  if (hash === null || writtenBy === null) return 'missing'
  if (hash === code().hash) return 'current'
  return isLater(writtenBy, PACKAGE_VERSION) ? 'newer' : 'stale'
}

/** Semantic versioning: 1.0.0-beta comes before 1.0.0. */
export function isLater(left: string, right: string): boolean {
  const [l, r] = [left, right].map((version) => /^([^-+]*)(?:-([^+]*))?/.exec(version))
  const compare = (a = '', b = '') => a.localeCompare(b, 'en', { numeric: true })
  const release = compare(l?.[1], r?.[1])
  if (release !== 0) return release > 0
  if (l?.[2] === undefined || r?.[2] === undefined) return l?.[2] === undefined && r?.[2] !== undefined
  return compare(l[2], r[2]) > 0
}

async function checkServer(database: Database, schema: string): Promise<void> {
  const [facts] = await database.query<{
    number: number
    version: string
    encoding: string
    keyword: boolean
  }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       pg_encoding_to_char(d.encoding) as encoding,
       exists (select from pg_get_keywords() k where k.word = $1 and k.catcode <> 'U') as keyword
     from pg_database d where d.datname = current_database()`,
    [schema],
    { repeatable: true },
  )
  if (facts === undefined) return
  if (facts.number < 150_000) throw holdfastError('postgres_too_old', { found: facts.version, needed: 15 })
  if (facts.encoding !== 'UTF8') throw holdfastError('not_utf8', { encoding: facts.encoding })
  // Our statements contain the name without quotes.
  if (facts.keyword) throw holdfastError('schema_name_invalid', { schema, problem: 'a keyword of SQL' })
}

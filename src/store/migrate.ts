/**
 * Brings a database to the schema this package needs. Forward only; all in one transaction under an advisory lock, so two
 * deploys at once do it once, and a failure leaves everything as it was. Functions are replaced whenever their text changed,
 * which sessions at work do not notice: a verb's signature never changes. An older package never puts its functions back over
 * newer ones, and refuses to run on tables it does not know.
 */
import { holdfastError } from '../domain/errors.js'
import { type Database, DEADLINES, type Session } from './database.js'
import { PACKAGE_VERSION } from './package.js'
import { checkSchemaName, inSchema } from './schema.js'
import { code, migrations } from './sql-files.js'

export interface MigrationStatus {
  readonly schema: string
  /** The last migration applied; 0 when the schema is not there. */
  readonly version: number
  /** The last one this package knows. */
  readonly latest: number
  readonly pending: string[]
  /** missing · stale (our text differs) · newer (written by a later package; left alone) · current */
  readonly functions: 'missing' | 'stale' | 'newer' | 'current'
}

export interface MigrationResult extends MigrationStatus {
  readonly applied: string[]
}

/** A migration that waits behind somebody's lock blocks everyone behind itself; better to give up soon and try again. */
const LOCK_TIMEOUT_MS = 2_000

export async function migrationStatus(database: Database, schema: string): Promise<MigrationStatus> {
  checkSchemaName(schema)
  await checkServer(database)
  return readStatus(database, schema)
}

export async function migrateUp(database: Database, schema: string): Promise<MigrationResult> {
  checkSchemaName(schema)
  await checkServer(database)
  return database.transaction(
    async (session) => {
      await session.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await session.query('set local check_function_bodies = off')
      await session.query("select pg_advisory_xact_lock(hashtextextended('holdfast migration ' || $1, 0))", [
        schema,
      ])
      const before = await readStatus(session, schema)
      if (before.version > before.latest) {
        throw holdfastError('schema_ahead', { schema, found: before.version, known: before.latest })
      }
      if (before.version === 0) await makeSchema(session, schema)
      for (const migration of migrations().slice(before.version)) {
        await session.script(inSchema(migration.text, schema))
        await session.query(
          inSchema(
            'insert into holdfast.migration (version, name, applied_at, package) values ($1, $2, clock_timestamp(), $3)',
            schema,
          ),
          [migration.version, migration.name, PACKAGE_VERSION],
        )
      }
      if (before.pending.length > 0 || before.functions === 'missing' || before.functions === 'stale') {
        await applyCode(session, schema)
      }
      return { ...(await readStatus(session, schema)), applied: before.pending }
    },
    { deadlineMs: DEADLINES.migration },
  )
}

/** Everything `up` would run, as a script for a database owner to apply. */
export async function migrationSql(database: Database | undefined, schema: string): Promise<string> {
  checkSchemaName(schema)
  const status = database === undefined ? undefined : await migrationStatus(database, schema)
  const pending = migrations().slice(status?.version ?? 0)
  const parts = [
    'begin;',
    `set local lock_timeout = ${LOCK_TIMEOUT_MS};`,
    'set local check_function_bodies = off;',
  ]
  if ((status?.version ?? 0) === 0) parts.push(bookkeeping(schema))
  for (const { version, name, text } of pending) {
    parts.push(
      inSchema(text, schema),
      inSchema(
        `insert into holdfast.migration values (${version}, '${name}', clock_timestamp(), '${PACKAGE_VERSION}');`,
        schema,
      ),
    )
  }
  const { text, hash } = code()
  parts.push(
    inSchema(text, schema),
    inSchema(
      `delete from holdfast.code; insert into holdfast.code values ('${hash}', '${PACKAGE_VERSION}', clock_timestamp());`,
      schema,
    ),
    'commit;',
  )
  return parts.join('\n')
}

/** For a program about to work: the schema must be there and be one it knows. */
export async function checkSchema(database: Database, schema: string): Promise<void> {
  const status = await migrationStatus(database, schema)
  if (status.version === 0) throw holdfastError('schema_missing', { schema })
  const facts = { schema, found: status.version, known: status.latest }
  if (status.version > status.latest) throw holdfastError('schema_ahead', facts)
  if (status.version < status.latest || status.functions === 'missing')
    throw holdfastError('schema_behind', facts)
}

const bookkeeping = (schema: string) => `create schema if not exists ${schema};
create table ${schema}.migration (version int primary key, name text not null, applied_at timestamptz not null, package text not null);
create table ${schema}.code (hash text not null, package text not null, applied_at timestamptz not null);`

async function makeSchema(session: Session, schema: string): Promise<void> {
  const [may] = await session.query<{ may: boolean; user: string; database: string }>(
    `select has_database_privilege(current_database(), 'CREATE') or exists (select from pg_namespace n where n.nspname = $1
       and has_schema_privilege(n.oid, 'CREATE')) as may, current_user as user, current_database() as database`,
    [schema],
  )
  if (may?.may !== true) throw holdfastError('no_create_right', { user: may?.user, database: may?.database })
  await session.script(bookkeeping(schema))
}

async function applyCode(session: Session, schema: string): Promise<void> {
  const { text, hash } = code()
  await session.script(inSchema(text, schema))
  await session.query(inSchema('delete from holdfast.code', schema))
  await session.query(
    inSchema(
      'insert into holdfast.code (hash, package, applied_at) values ($1, $2, clock_timestamp())',
      schema,
    ),
    [hash, PACKAGE_VERSION],
  )
}

async function readStatus(session: Session, schema: string): Promise<MigrationStatus> {
  const latest = migrations().length
  const [there] = await session.query<{ migrated: boolean }>(
    'select to_regclass($1) is not null as migrated',
    [`${schema}.migration`],
  )
  if (there?.migrated !== true) {
    return { schema, version: 0, latest, pending: migrations().map(({ name }) => name), functions: 'missing' }
  }
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
    latest,
    pending,
    functions: functionStatus(row?.hash ?? null, row?.package ?? null),
  }
}

function functionStatus(hash: string | null, writtenBy: string | null): MigrationStatus['functions'] {
  if (hash === null || writtenBy === null) return 'missing'
  if (hash === code().hash) return 'current'
  return isLater(writtenBy, PACKAGE_VERSION) ? 'newer' : 'stale'
}

function isLater(left: string, right: string): boolean {
  return left.localeCompare(right, 'en', { numeric: true }) > 0
}

async function checkServer(database: Database): Promise<void> {
  const [facts] = await database.query<{ number: number; version: string; encoding: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       pg_encoding_to_char(d.encoding) as encoding from pg_database d where d.datname = current_database()`,
    [],
    { repeatable: true },
  )
  if (facts === undefined) return
  if (facts.number < 150_000) throw holdfastError('postgres_too_old', { found: facts.version, needed: 15 })
  if (facts.encoding !== 'UTF8') throw holdfastError('not_utf8', { encoding: facts.encoding })
}

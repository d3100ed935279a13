/** What has to be true before a move begins. Each refusal has a sentence on what to do. */
import { setTimeout as wait } from 'node:timers/promises'
import { holdfastError } from '../../domain/errors/errors.js'
import { EMBEDDED_CLUSTER } from '../../embedded/settings.js'
import type { Database, Session } from '../database.js'
import { type MigrationStatus, migrationStatus } from '../migrate.js'
import { rolesInstalled } from '../roles.js'
import { inSchema } from '../schema.js'
import { differences, type TableLayout } from './layout.js'

/** A move that is refused; `exit` is the name of the exit code of the command. */
export class MoveRefused extends Error {
  readonly remedy: string

  constructor(
    readonly code: string,
    readonly exit: 'failed' | 'temporary' | 'config',
    { message, remedy }: { readonly message: string; readonly remedy: string },
  ) {
    super(message)
    this.remedy = remedy
  }
}

export async function checkSource(source: Database, schema: string): Promise<void> {
  const status = await migrationStatus(source, schema)
  if (status.version === 0) throw await missing(source, schema)
  checkVersion(status, 'The embedded database', 'Start it once with `holdfast up`, which updates it')
}

/** `migrate up` would not help: a new schema has nothing to move. */
async function missing(source: Database, schema: string): Promise<MoveRefused> {
  const found = await source.query<{ name: string }>(
    `select n.nspname as name from pg_namespace n where 2 = (select count(*) from pg_class c
       where c.relnamespace = n.oid and c.relname in ('migration', 'move')) order by 1`,
  )
  const names = found.map(({ name }) => `"${name}"`).join(', ')
  return new MoveRefused('schema_missing', 'config', {
    message: `The embedded database has no schema "${schema}".`,
    remedy:
      names === ''
        ? 'There is nothing to move. Run this in the folder of the app, or set HOLDFAST_FOLDER.'
        : `Its schema is ${names}, and a move keeps the name: give it with --schema.`,
  })
}

/** Returns whether the schema is installed there. */
export async function checkDestination(
  source: Database,
  destination: Database,
  schema: string,
): Promise<boolean> {
  const [here, there] = await Promise.all([identityOf(source), identityOf(destination)])
  if (here.server === there.server && here.database === there.database)
    throw new MoveRefused('move_same_database', 'config', {
      message: 'Source and destination are the same database.',
      remedy: 'Give another database with --to.',
    })
  if (there.cluster === EMBEDDED_CLUSTER)
    throw new MoveRefused('move_to_embedded', 'config', {
      message: 'The destination is an embedded database.',
      remedy: 'Give the address of a Postgres server of your own with --to.',
    })
  const status = await migrationStatus(destination, schema)
  if (status.version === 0) return false
  checkVersion(status, 'The destination', 'Run `holdfast migrate up` on it')
  if ((await rolesInstalled(destination, schema)) !== undefined)
    throw new MoveRefused('move_to_roles', 'config', {
      message: 'The destination has the roles of Holdfast installed.',
      remedy: 'Move into a database without them, and install the roles afterwards (docs/roles.md).',
    })
  return true
}

function checkVersion({ schema, version, latest, functions }: MigrationStatus, who: string, update: string) {
  if (version > latest) throw holdfastError('schema_ahead', { schema, found: version, known: latest })
  if (version < latest || functions !== 'current')
    throw new MoveRefused('move_schema_differs', 'config', {
      message: `${who} has another version of the schema than this program.`,
      remedy:
        functions === 'newer'
          ? 'Use the newer version of Holdfast that wrote it.'
          : `${update}, then run this again.`,
    })
}

async function identityOf(database: Database) {
  const [row] = await database.query<{ server: string; database: string; cluster: string }>(
    `select (select c.system_identifier::text from pg_control_system() c) as server, current_database()::text as database,
       current_setting('cluster_name') as cluster`,
  )
  return row ?? { server: '', database: '', cluster: '' }
}

/** Rows that the schema is installed with. */
const SEEDED = new Set(['preset', 'turn', 'chore', 'alert_tick', 'partition'])

export async function checkEmpty(
  destination: Session,
  schema: string,
  tables: readonly TableLayout[],
): Promise<void> {
  const filled: string[] = []
  for (const parent of new Set(tables.map((table) => table.parent))) {
    if (SEEDED.has(parent)) continue
    const rows = await destination.query(`select from ${schema}.${parent} limit 1`)
    if (rows.length > 0) filled.push(parent)
  }
  if (filled.length === 0) return
  const what = filled.includes('job') ? 'jobs' : `rows in ${filled.join(', ')}`
  throw new MoveRefused('move_not_empty', 'failed', {
    message: `The destination is not empty: it has ${what}.`,
    remedy: 'Give an empty database; nothing is ever merged or overwritten.',
  })
}

/** Both sides have the tables of one version; others in the schema of the source are the app's. */
export function checkSameTables(
  source: readonly TableLayout[],
  destination: readonly TableLayout[],
  schema: string,
): void {
  const differing = differences(source, destination)
  if (differing.length === 0) return
  const known = new Set(destination.map(({ parent }) => parent))
  const strays = differing.filter((name) => !known.has(name))
  if (strays.length === differing.length)
    throw new MoveRefused('move_tables_differ', 'config', {
      message: `The schema ${schema} of the embedded database has tables that are not of Holdfast: ${strays.join(', ')}.`,
      remedy: `Take them out of it, as with \`alter table ${schema}.${strays[0]} set schema public\` (docs/operate/move.md#your-own-tables), then run this again.`,
    })
  throw new MoveRefused('move_tables_differ', 'config', {
    message: `The tables of the two databases differ: ${differing.join(', ')}.`,
    remedy: 'Run `holdfast doctor` on both; install the schema of the same version of Holdfast.',
  })
}

/** Connections of processes that were killed take a moment to end. */
const SESSIONS_END_MS = 3_000

/** No program works on the source: there is no session but ours, and no lease that is not over. */
export async function checkQuiet(source: Database, schema: string): Promise<void> {
  const until = performance.now() + SESSIONS_END_MS
  for (;;) {
    const names = await sessionsOf(source)
    if (names.length === 0) break
    if (performance.now() > until)
      throw new MoveRefused('move_source_in_use', 'temporary', {
        message: `Other programs use this database: ${names.join(', ')}.`,
        remedy: 'Stop them (`holdfast down` stops `holdfast up`), then run this again.',
      })
    await wait(100)
  }
  const [lease] = await source.query<{ worker: string; seconds: number }>(
    inSchema(
      `select coalesce(w.name, 'unknown') as worker, ceil(extract(epoch from l.expires_at - holdfast.now()))::int as seconds
       from holdfast.lease l left join holdfast.worker w on w.id = l.worker_id
       where l.ended_at is null and l.expires_at > holdfast.now() order by l.expires_at desc limit 1`,
      schema,
    ),
  )
  if (lease !== undefined)
    throw new MoveRefused('move_source_in_use', 'temporary', {
      message: `The worker ${lease.worker} has a lease for another ${lease.seconds} s.`,
      remedy: 'Stop the worker; the lease of one that was killed ends by itself. Then run this again.',
    })
}

async function sessionsOf({ driver, query }: Database): Promise<string[]> {
  if (driver === 'pglite') return []
  const rows = await query<{ name: string }>(
    `select distinct coalesce(nullif(a.application_name, ''), 'a session without a name') as name from pg_stat_activity a
     where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'`,
  )
  return rows.map(({ name }) => name)
}

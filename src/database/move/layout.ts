/** The tables and sequences of a schema as the catalog has them, so that a move copies every table there is, also one of a later version. */
import type { Session } from '../database.js'

export interface TableColumn {
  readonly name: string
  /** Without its schema, which format_type shows or leaves out by the search path. */
  readonly type: string
  readonly generated: boolean
}

/** A table that has rows itself: a range of history is one of these, its parent is not. */
export interface TableLayout {
  readonly name: string
  /** The partitioned table it is a range of; else its own name. */
  readonly parent: string
  /** The bounds of a range, as `attach partition` takes them. */
  readonly bounds: string | null
  /** A crash of the server empties it. */
  readonly unlogged: boolean
  /** Of the parent, in its order: a range may have them in another one. */
  readonly columns: readonly TableColumn[]
}

/** What each installation has for itself. */
const OWN_TABLES = ['migration', 'code', 'move']
/** A time of the clock, which throttles notifications: see wake_at_commit. */
const OWN_SEQUENCES = ['wake_seq']

const LAYOUT = `select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bounds,
    c.relpersistence = 'u' as unlogged,
    (select json_agg(json_build_object('name', quote_ident(a.attname), 'type', t.typname || ' ' || a.atttypmod,
        'generated', a.attgenerated <> '') order by a.attnum)
      from pg_attribute a join pg_type t on t.oid = a.atttypid where a.attrelid = p.oid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
    join pg_class p on p.oid = coalesce(i.inhparent, c.oid)
  where c.relnamespace = (select n.oid from pg_namespace n where n.nspname = $1) and c.relkind = 'r'
    and not c.relname = any ($2::text[])
  order by (select count(*) from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'), c.relname`

/** Tables with foreign keys come last. */
export function readLayout(session: Session, schema: string): Promise<TableLayout[]> {
  return session.query<TableLayout>(LAYOUT, [schema, OWN_TABLES])
}

/** The names of the tables whose columns differ, or that only one side has. Ranges are the same by then, or are made so. */
export function differences(one: readonly TableLayout[], other: readonly TableLayout[]): string[] {
  const pictures = (tables: readonly TableLayout[]) =>
    new Map(tables.map(({ parent, columns }) => [parent, JSON.stringify(columns)]))
  const [left, right] = [pictures(one), pictures(other)]
  const names = new Set([...left.keys(), ...right.keys()])
  // A partitioned table without any range has no row here; then the other side decides.
  return [...names].filter((name) => left.get(name) !== right.get(name))
}

const OWN = `select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname <> $1 and n.nspname <> 'information_schema'
    and n.nspname !~ '^pg_' order by 1`

/** Tables outside the schema, with their schemas. */
export async function ownTables(session: Session, schema: string): Promise<string[]> {
  return (await session.query<{ name: string }>(OWN, [schema])).map(({ name }) => name)
}

export interface SequencePosition {
  readonly name: string
  readonly last: string
  readonly called: boolean
}

export async function readSequences(session: Session, schema: string): Promise<SequencePosition[]> {
  const names = await session.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'S' and not c.relname = any ($2::text[]) order by 1`,
    [schema, OWN_SEQUENCES],
  )
  const positions: SequencePosition[] = []
  for (const { name } of names) {
    const [row] = await session.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${schema}.${name}`,
    )
    if (row !== undefined) positions.push({ name, ...row })
  }
  return positions
}

export interface TableDigest {
  readonly table: string
  readonly rows: number
  /** The sum of the hashes of all rows, whatever their order. */
  readonly checksum: string
}

/** Counts and checksums by table; ranges of history are one table here. */
export async function readDigest(
  session: Session,
  schema: string,
  { parent, columns }: Pick<TableLayout, 'parent' | 'columns'>,
): Promise<TableDigest> {
  const [row] = await session.query<{ rows: number; checksum: string }>(
    `select count(*) as rows, to_hex((coalesce(sum(('x' || left(encode(sha256(convert_to(
        ${rowText(columns)}, 'UTF8')), 'hex'), 15))::bit(60)::bigint), 0) % 9223372036854775807)::bigint) as checksum
     from ${schema}.${parent} t`,
  )
  return { table: parent, rows: row?.rows ?? 0, checksum: row?.checksum ?? '' }
}

/** A row as text that the type of its table reads back unchanged. */
export function rowText(columns: readonly TableColumn[]): string {
  return `row(${columns.map(({ name }) => `t.${name}`).join(', ')})::text`
}

/** The same text for the same value on every server, and time for a table of any size whatever the database allows an app. */
export const ONE_FORM = `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
set local extra_float_digits = 1; set local bytea_output = 'hex';
select set_config(s.name, '0', true) from pg_settings s
where s.name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

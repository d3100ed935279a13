/**
 * Copies one table, or one range of history, in one transaction of the destination: a move that is killed leaves the table complete or
 * empty. Rows travel as text, through a cursor of the source, in pages of bounded size: memory does not grow with the number of jobs.
 */
import type { Session } from '../database.js'
import { inSchema } from '../schema.js'
import { rowText, type TableLayout } from './layout.js'

/** A page has this many rows at most, and fewer where rows are large: a job can have a megabyte. */
const PAGE_ROWS_MAX = 2_000
const PAGE_BYTES = 16 * 1024 * 1024

export interface TableSize {
  readonly rows: number
  /** Of the largest row, as text. */
  readonly bytes: number
}

export async function readSize(
  source: Session,
  schema: string,
  { name, columns }: TableLayout,
): Promise<TableSize> {
  const [row] = await source.query<TableSize>(
    `select count(*) as rows, coalesce(max(octet_length(${rowText(columns)})), 0) as bytes from ${schema}.${name} t`,
  )
  return row ?? { rows: 0, bytes: 0 }
}

export interface CopyOptions {
  readonly schema: string
  /** The id of the move. */
  readonly id: string
  readonly size: TableSize
  readonly signal?: AbortSignal | undefined
  onRows?(rows: number): void
}

/** Thrown when another process has ended or taken over the move. */
class MoveGone extends Error {}

/** Both sides are in a transaction. */
export async function copyTable(
  source: Session,
  destination: Session,
  table: TableLayout,
  { schema, id, size, signal, onRows }: CopyOptions,
): Promise<void> {
  const { name, parent, columns } = table
  const [mark] = await destination.query(
    inSchema('select from holdfast.move where id = $1 and ended_at is null for update', schema),
    [id],
  )
  if (mark === undefined) throw new MoveGone('the mark of this move is no longer in the destination')
  await destination.script(
    `alter table ${schema}.${name} disable trigger user; delete from ${schema}.${name}`,
  )
  const written = columns
    .filter(({ generated }) => !generated)
    .map((column) => column.name)
    .join(', ')
  // Types of the parent: the columns of a range may be in another order.
  const insert = `insert into ${schema}.${name} (${written}) overriding system value
    select ${written} from unnest($1::${schema}.${parent}[])`
  const pageRows = Math.max(1, Math.min(PAGE_ROWS_MAX, Math.floor(PAGE_BYTES / Math.max(1, size.bytes))))
  await source.script(
    `declare moved no scroll cursor for select ${rowText(columns)} as text from ${schema}.${name} t`,
  )
  for (;;) {
    signal?.throwIfAborted()
    const page = await source.query<{ text: string }>(`fetch ${pageRows} from moved`)
    if (page.length === 0) break
    await destination.query(insert, [page.map(({ text }) => text)])
    onRows?.(page.length)
  }
  await source.script('close moved')
  await destination.script(`alter table ${schema}.${name} enable trigger user`)
  await destination.query(inSchema('update holdfast.move set copied = copied || $1::text', schema), [name])
}

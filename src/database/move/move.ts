/**
 * Moves an embedded database into an empty Postgres database.
 *
 * The order of steps is what makes it safe to kill at any moment. The source is marked first: from then on no program works on it. The
 * destination is marked in the transaction that prepares it: from then on no program works on it until the copy is complete. Each table is
 * copied in one transaction that also notes it in the mark, so a second run continues with the first table that is not there. Events are
 * one of these tables on purpose: `adopt_events` recognises restored events by the transaction that wrote them. At the end counts and
 * checksums of both sides are compared, and only then the mark of the destination ends, and after it that of the source.
 *
 * The rows of the source are never changed, so the way back is to take off its mark.
 */
import { randomUUID } from 'node:crypto'
import type { Database, Session } from '../database.js'
import { migrateUp } from '../migrate.js'
import { inSchema } from '../schema.js'
import {
  checkDestination,
  checkEmpty,
  checkQuiet,
  checkSameTables,
  checkSource,
  MoveRefused,
} from './checks.js'
import { copyTable, readSize, type TableSize } from './copy-table.js'
import {
  ONE_FORM,
  ownTables,
  readDigest,
  readLayout,
  readSequences,
  type TableDigest,
  type TableLayout,
} from './layout.js'
import { endSource, type MoveMark, markSource, readMark, unmarkSource } from './marks.js'

export interface MoveOptions {
  readonly source: Database
  readonly destination: Database
  readonly schema: string
  /** Names to show to people, without password. */
  readonly from: string
  readonly to: string
  readonly signal?: AbortSignal
  onProgress?(progress: MoveProgress): void
}

export interface MoveProgress {
  readonly step: 'copying' | 'comparing'
  readonly table: string
  readonly rows: number
  readonly of: number
}

export interface MoveResult {
  readonly id: string
  /** A move that was killed before is continued, or was complete already. */
  readonly how: 'moved' | 'continued' | 'already moved'
  readonly tables: readonly TableDigest[]
  /** Tables of the app beside the schema, which are not copied. */
  readonly ownTables: readonly string[]
}

/** A table of any size is one transaction. */
const A_DAY_MS = 86_400_000

export async function moveDatabase(options: MoveOptions): Promise<MoveResult> {
  const { source, schema } = options
  await checkSource(source, schema)
  return { ...(await moveSchema(options)), ownTables: await ownTables(source, schema) }
}

async function moveSchema(options: MoveOptions): Promise<Omit<MoveResult, 'ownTables'>> {
  const { source, destination, schema, from } = options
  const installed = await checkDestination(source, destination, schema)
  const there = installed ? await readMark(destination, schema) : undefined
  const begun = begunMove(await readMark(source, schema), there, options)
  if (begun?.complete === true) {
    await endSource(source, schema)
    return { id: begun.id, how: 'already moved', tables: [] }
  }
  const id = begun?.id ?? randomUUID()
  await checkQuiet(source, schema)
  if (!installed) await migrateUp(destination, schema)
  if (begun === undefined) await closeSource(options, id)
  let isPrepared = false
  try {
    const tables = await inOneForm(source, async (reading) => {
      await prepare(reading, destination, schema, { id, peer: from })
      isPrepared = true
      await copyAll(reading, options, id)
      return compareAndEnd(reading, options)
    })
    await endSource(source, schema)
    return { id, how: begun === undefined ? 'moved' : 'continued', tables }
  } catch (error) {
    // A refusal says for certain that the destination has no mark of this move.
    if (!isPrepared && begun === undefined && error instanceof MoveRefused) await unmarkSource(source, schema)
    throw error
  }
}

interface BegunMove {
  readonly id: string
  readonly complete: boolean
}

/** What an earlier run has left; undefined when this is the first. */
function begunMove(
  here: MoveMark | undefined,
  there: MoveMark | undefined,
  { to }: MoveOptions,
): BegunMove | undefined {
  if (here?.id !== undefined && here.id === there?.id) return { id: here.id, complete: there.ended }
  if (there !== undefined && !there.ended)
    throw new MoveRefused('move_other', 'failed', {
      message: `${to} has the unfinished copy of another move, from ${there.peer}.`,
      remedy:
        'Continue that move from its own folder; or drop the schema in the destination and run this again.',
    })
  if (here === undefined) return undefined
  if (here.ended || here.peer !== to)
    throw new MoveRefused('move_elsewhere', 'failed', {
      message: `This database ${here.ended ? 'has moved' : 'is being moved'} to ${here.peer}.`,
      remedy: here.ended
        ? 'Use that database; or take the mark off with `holdfast move --undo` and run this again.'
        : 'Run the move with that destination to continue it; or end it with `holdfast move --undo`.',
    })
  return { id: here.id, complete: false }
}

/** Marks the source, and looks again afterwards: what started before the mark is seen now, what starts later sees the mark. */
async function closeSource({ source, destination, schema, to }: MoveOptions, id: string): Promise<void> {
  await checkEmpty(destination, schema, await readLayout(destination, schema))
  await markSource(source, schema, { id, peer: to })
  try {
    await checkQuiet(source, schema)
  } catch (error) {
    await unmarkSource(source, schema)
    throw error
  }
}

const MARK_DESTINATION = `insert into holdfast.move (id, role, peer, started_at)
  values ($1, 'destination', $2, clock_timestamp())`

/** Makes the ranges of history that the source has, and marks the destination; does nothing where that has happened. */
async function prepare(
  source: Session,
  destination: Database,
  schema: string,
  { id, peer }: Pick<MoveMark, 'id' | 'peer'>,
): Promise<void> {
  const theirs = await readLayout(source, schema)
  await destination.transaction(
    async (session) => {
      await session.script(inSchema('lock table holdfast.move in exclusive mode', schema))
      const mark = await readMark(session, schema)
      if (mark?.id === id) return
      const ours = await readLayout(session, schema)
      checkSameTables(theirs, ours, schema)
      await checkEmpty(session, schema, ours)
      for (const { name, bounds } of ours)
        if (bounds !== null) await session.script(`drop table ${schema}.${name}`)
      for (const table of theirs) await makeRange(session, schema, table)
      await session.query(inSchema(MARK_DESTINATION, schema), [id, peer])
    },
    { deadlineMs: A_DAY_MS },
  )
}

/** As make_partitions does. */
async function makeRange(
  session: Session,
  schema: string,
  { name, parent, bounds }: TableLayout,
): Promise<void> {
  if (bounds === null) return
  await session.script(`create table ${schema}.${name}
    (like ${schema}.${parent} including defaults including constraints including storage);
    alter table ${schema}.${parent} attach partition ${schema}.${name} ${bounds}`)
}

async function copyAll(source: Session, options: MoveOptions, id: string): Promise<void> {
  const { destination, schema, onProgress } = options
  const sized: [TableLayout, TableSize][] = []
  for (const table of await readLayout(source, schema))
    sized.push([table, await readSize(source, schema, table)])
  const total = sized.reduce((sum, [, size]) => sum + size.rows, 0)
  const copied = new Set((await readMark(destination, schema))?.copied)
  let before = 0
  for (const [table, size] of sized) {
    const { name } = table
    const report = (rows: number) => {
      onProgress?.({ step: 'copying', table: name, rows: before + rows, of: total })
    }
    report(0)
    const copy = () => copyOne(source, options, table, { id, size, report })
    // A crash of either server since an earlier run may have emptied an unlogged table.
    if (!copied.has(name) || table.unlogged) await untilDistinct(copy)
    before += size.rows
  }
}

interface CopyOne {
  readonly id: string
  readonly size: TableSize
  report(rows: number): void
}

function copyOne(
  source: Session,
  { destination, schema, signal }: MoveOptions,
  table: TableLayout,
  { id, size, report }: CopyOne,
): Promise<void> {
  let rows = 0
  const onRows = (more: number) => {
    rows += more
    report(rows)
  }
  const work = async (session: Session) => {
    await session.script(ONE_FORM)
    await copyTable(source, session, table, { schema, id, size, signal, onRows })
    if (table.name === 'event') await checkDistinct(session, schema)
  }
  return destination.transaction(work, { deadlineMs: A_DAY_MS })
}

/** The transaction that copied the events has the number of the first of them by chance. */
class SameNumber extends Error {}

const FIRST_IS_OURS = `select from (select e.xid from holdfast.event e order by e.id limit 1) e
  where e.xid = pg_current_xact_id()`

/** `adopt_events` takes a first event that names the transaction which wrote it for one that was not restored. */
async function checkDistinct(session: Session, schema: string): Promise<void> {
  const [same] = await session.query(inSchema(FIRST_IS_OURS, schema))
  if (same !== undefined) throw new SameNumber()
}

async function untilDistinct(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SameNumber)) throw error
    await work()
  }
}

/** Sets the sequences, compares every table, and ends the mark of the destination, in one transaction. */
async function compareAndEnd(
  source: Session,
  { destination, schema, signal, onProgress }: MoveOptions,
): Promise<TableDigest[]> {
  const byParent = new Map((await readLayout(source, schema)).map((table) => [table.parent, table]))
  const sequences = await readSequences(source, schema)
  return destination.transaction(
    async (session) => {
      await session.script(ONE_FORM)
      for (const { name, last, called } of sequences)
        await session.query('select setval($1::regclass, $2::bigint, $3)', [
          `${schema}.${name}`,
          last,
          called,
        ])
      const digests: TableDigest[] = []
      for (const table of byParent.values()) {
        signal?.throwIfAborted()
        onProgress?.({
          step: 'comparing',
          table: table.parent,
          rows: digests.length,
          of: byParent.size,
        })
        const [here, there] = await Promise.all([
          readDigest(source, schema, table),
          readDigest(session, schema, table),
        ])
        if (here.rows !== there.rows || here.checksum !== there.checksum) throw differs(here, there)
        digests.push(here)
        await session.script(`analyze ${schema}.${table.parent}`)
      }
      await session.script(inSchema('update holdfast.move set ended_at = clock_timestamp()', schema))
      return digests.sort((a, b) => (a.table < b.table ? -1 : 1))
    },
    { deadlineMs: A_DAY_MS },
  )
}

function differs(here: TableDigest, there: TableDigest): MoveRefused {
  return new MoveRefused('move_differs', 'failed', {
    message: `The copy of ${here.table} differs: ${here.rows} rows with checksum ${here.checksum} here, ${there.rows} rows with checksum ${there.checksum} there.`,
    remedy:
      'Something wrote to the destination during the copy. Drop the schema there, run `holdfast move --undo` here, and move again.',
  })
}

/** One transaction. That of the PGlite driver ends after ten seconds, so there it is begun by hand: PGlite has one connection. */
async function inOneForm<T>(source: Database, work: (session: Session) => Promise<T>): Promise<T> {
  const begin = `set transaction isolation level repeatable read, read only; ${ONE_FORM}`
  if (source.driver === 'postgres')
    return source.transaction(
      async (session) => {
        await session.script(begin)
        return work(session)
      },
      { deadlineMs: A_DAY_MS },
    )
  await source.script(`begin; ${begin}`)
  try {
    return await work({
      query: (text, values) => source.query(text, values, { deadlineMs: A_DAY_MS }),
      script: (text) => source.script(text),
    })
  } finally {
    await source.script('rollback')
  }
}

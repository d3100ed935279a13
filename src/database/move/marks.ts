/**
 * The marks of a move: one row of `holdfast.move` in the source and one in the destination, with the same id. Programs refuse to work on a
 * source that has one, and on a destination whose row has not ended. A source on a Postgres server is read-only as well, so that a program
 * that had looked before cannot write either.
 */
import { holdfastError } from '../../domain/errors/errors.js'
import type { Database, Session } from '../database.js'
import { inSchema } from '../schema.js'

export const MOVE_ROLES = ['source', 'destination'] as const

export interface MoveMark {
  readonly id: string
  readonly role: (typeof MOVE_ROLES)[number]
  /** The other database, without password. */
  readonly peer: string
  /** The tables that are complete, in the destination. */
  readonly copied: readonly string[]
  readonly ended: boolean
}

/** Undefined where no move has happened, and where the schema is not installed. */
export async function readMark(session: Session, schema: string): Promise<MoveMark | undefined> {
  const [there] = await session.query<{ known: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relname = 'move') as known`,
    [schema],
  )
  if (there?.known !== true) return undefined
  const [row] = await session.query<MoveMark>(
    inSchema(
      'select m.id, m.role, m.peer, m.copied, m.ended_at is not null as ended from holdfast.move m',
      schema,
    ),
  )
  return row
}

/** For programs that start. */
export async function refuseMoved(session: Session, schema: string): Promise<void> {
  const mark = await readMark(session, schema)
  if (mark === undefined) return
  const { role, peer, ended } = mark
  if (role === 'source')
    throw holdfastError('database_moved', { peer, state: ended ? 'has moved' : 'is being moved' })
  if (!ended) throw holdfastError('move_unfinished', { peer })
}

export async function markSource(
  source: Database,
  schema: string,
  { id, peer }: Pick<MoveMark, 'id' | 'peer'>,
): Promise<void> {
  await writing(source, async (session) => {
    await session.query(
      inSchema(
        `insert into holdfast.move (id, role, peer, started_at) values ($1, 'source', $2, clock_timestamp())`,
        schema,
      ),
      [id, peer],
    )
    await setReadOnly(source, session, 'set default_transaction_read_only = on')
  })
}

export async function endSource(source: Database, schema: string): Promise<void> {
  await writing(source, (session) =>
    session.script(
      inSchema(
        'update holdfast.move set ended_at = clock_timestamp() where ended_at is null and role = $$source$$',
        schema,
      ),
    ),
  )
}

/** Returns the mark that was taken off. */
export async function unmarkSource(source: Database, schema: string): Promise<MoveMark | undefined> {
  return writing(source, async (session) => {
    const mark = await readMark(session, schema)
    if (mark?.role !== 'source') return undefined
    await session.script(inSchema('delete from holdfast.move', schema))
    await setReadOnly(source, session, 'reset default_transaction_read_only')
    return mark
  })
}

/** A marked source is read-only for every transaction that does not ask for more. */
function writing<T>(source: Database, work: (session: Session) => Promise<T>): Promise<T> {
  return source.transaction(async (session) => {
    await session.script('set transaction read write')
    return work(session)
  })
}

/** PGlite has one process, which reads the mark when it opens the folder. */
async function setReadOnly({ driver }: Database, session: Session, clause: string): Promise<void> {
  if (driver === 'pglite') return
  await session.script(
    `do $$ begin execute format('alter database %I ${clause}', current_database()); end $$`,
  )
}

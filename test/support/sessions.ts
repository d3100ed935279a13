/**
 * Connections driven by hand, so that a test decides who comes first. A session is a whole store on one connection: whatever is
 * called between `begin` and `commit` belongs to one open transaction, while another session runs into it.
 *
 * Who waits is read from pg_stat_activity, asked again until there is an answer: no race here depends on a sleep.
 */
import { type CallOptions, type Database, type Store, storeOn } from 'holdfast/store'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { asHoldfastError } from '../../src/database/database-errors.js'
import { parseValue } from '../../src/database/values.js'
import { serverUrl, withTestSql } from './world.js'

export interface HandSession extends Store {
  readonly pid: number
  /** The connection itself, as a caller's own transaction would use it. */
  readonly client: pg.Client
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Another connection to the same schema, closed when the test ends. */
export async function openSession(store: Store): Promise<HandSession> {
  const client = new pg.Client({
    connectionString: serverUrl(),
    application_name: 'session by hand',
    types: { getTypeParser: parseValue } as pg.CustomTypesConfig,
  })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const say = async (word: string) => void (await client.query(word))
  return {
    ...withTestSql(storeOn(databaseOn(client), store.schema)),
    pid: rows[0]?.pid as number,
    client,
    begin: () => say('begin'),
    commit: () => say('commit'),
    rollback: () => say('rollback'),
  }
}

/** As many of them as a number says that is known beforehand; else a list. */
type Sessions<N extends number, So extends HandSession[] = []> = number extends N
  ? HandSession[]
  : So['length'] extends N
    ? So
    : Sessions<N, [...So, HandSession]>

export async function openSessions<N extends number>(store: Store, count: N): Promise<Sessions<N>> {
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(store)))
  return sessions as Sessions<N>
}

/** How a call ended: with its answer or with the error the caller gets. */
export type Answer = unknown

export interface Race {
  readonly first: Answer
  readonly second: Answer
  /** True: the second had to wait until the first one's transaction was over. */
  readonly waited: boolean
}

export interface RaceOptions {
  readonly end?: 'commit' | 'rollback'
}

type Act = (session: HandSession) => Promise<unknown>

/** `first` acts in a transaction it keeps open; `second` acts meanwhile; only then does `first` commit (or roll back). */
export async function race(store: Store, first: Act, second: Act, options: RaceOptions = {}): Promise<Race> {
  const [one, two] = await openSessions(store, 2)
  await one.begin()
  const told = await answerOf(first(one))
  const answer = answerOf(second(two))
  const waited = await waitsBehind(store, two, one, answer)
  await (options.end === 'rollback' ? one.rollback() : one.commit())
  return { first: told, second: await answer, waited }
}

export function answerOf(call: Promise<unknown>): Promise<Answer> {
  return call.catch((error: unknown) => error)
}

/** Whether `session` comes to stand behind a lock of `other` before its call is answered. */
export async function waitsBehind(
  store: Store,
  session: HandSession,
  other: HandSession,
  call: Promise<Answer>,
): Promise<boolean> {
  let answered = false
  const done = call.then(() => {
    answered = true
  })
  while (!answered) {
    const [row] = await store.database.query<{ waits: boolean }>(
      'select $2 = any (pg_blocking_pids($1)) as waits',
      [session.pid, other.pid],
    )
    if (row?.waits === true) return true
    // The answer may have arrived while we asked: let it be heard.
    await Promise.race([done, new Promise((resolve) => setImmediate(resolve))])
  }
  return false
}

/** Returns once each of the sessions stands behind somebody's lock. */
export async function untilWaiting(store: Store, sessions: readonly { pid: number }[]): Promise<void> {
  const pids = sessions.map(({ pid }) => pid)
  for (;;) {
    const [row] = await store.database.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where pid = any ($1) and wait_event_type = 'Lock'",
      [pids],
    )
    if (row?.n === pids.length) return
  }
}

/** Returns once anybody stands behind a lock of the session. */
export async function untilBlockedBy(store: Store, { pid }: { pid: number }): Promise<void> {
  for (;;) {
    const rows = await store.database.query(
      'select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
      [pid],
    )
    if (rows.length > 0) return
  }
}

/** One connection as a database. Nothing is tried again: in an open transaction that would be another race. */
function databaseOn(client: pg.Client): Database {
  const query = async <Row>(text: string, values: readonly unknown[] = [], _options?: CallOptions) => {
    try {
      return (await client.query(text, [...values])).rows as Row[]
    } catch (error) {
      // The error arrives before the server has rolled back; only a later answer says that the locks are gone.
      await client.query('').catch(() => {})
      throw asHoldfastError(error)
    }
  }
  return {
    driver: 'postgres',
    query,
    script: async (text) => void (await client.query(text)),
    transaction: () => Promise.reject(new Error('begin and commit by hand')),
    close: () => client.end(),
  }
}

/** The same choices in every run; only the interleaving is the machine's. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The `pg` driver: a pool whose connections are replaced, never mended, after anything went wrong on them. */
import pg from 'pg'
import { holdfastError } from '../domain/errors.js'
import { asHoldfastError, isAway, isBreak } from './broken.js'
import {
  type CallOptions,
  type Database,
  DEADLINES,
  type Ear,
  type Listening,
  type Session,
} from './database.js'
import { Gate } from './gate.js'
import { chooseText, queryNarrowed } from './narrowed-query.js'
import { persist, Unsent } from './persist.js'
import { greetedBy, Prepared, sessionOf } from './prepared.js'
import { parseValue } from './values.js'

export interface PostgresOptions {
  readonly url: string
  /** Connections at most. */
  readonly connections?: number
  readonly applicationName?: string
}

const CONNECT_MS = 5_000
/** Which session is free is chance; so many times in a row it is not. */
const LOOKS = 10

export function openPostgres({
  url,
  connections = 5,
  applicationName = 'holdfast',
}: PostgresOptions): Database {
  let breaks = 0
  const broke = () => {
    breaks += 1
  }
  const pool = openPool({ url, applicationName }, connections, broke)
  const door: Door = { pool, gate: new Gate(connections), broke }
  const prepared = new Prepared()
  const query = <Row>(text: string, values: readonly unknown[] = [], options: CallOptions = {}) => {
    const send = async (client: pg.PoolClient) => {
      if (options.breaks !== undefined && options.breaks !== breaks)
        throw holdfastError('unavailable', { problem: 'a connection broke before this call was sent' })
      const chosen = chosenBy(options)
      const ask = (config: pg.QueryConfig) =>
        chosen === undefined ? client.query(config) : queryNarrowed(client, chosen, config)
      const statement = { text, values: [...values] }
      const { rows } = await (options.often ? prepared.query(client, statement, ask) : ask(statement))
      return rows as Row[]
    }
    return persist((leftMs) => withClient(door, leftMs, send, options), {
      deadlineMs: options.deadlineMs ?? DEADLINES.call,
      repeatable: options.repeatable ?? false,
    })
  }

  return {
    driver: 'postgres',
    query,
    async script(text, options = {}) {
      const deadlineMs = options.deadlineMs ?? DEADLINES.migration
      await persist((leftMs) => withClient(door, leftMs, (client) => client.query(text), options), {
        deadlineMs,
        repeatable: false,
      })
    },
    transaction(work, options = {}) {
      const deadlineMs = options.deadlineMs ?? DEADLINES.call
      const carry = (client: pg.PoolClient) => inTransaction(client, work, chosenBy(options))
      return persist((leftMs) => withClient(door, leftMs, carry, options), {
        deadlineMs,
        repeatable: false,
        once: true,
      })
    },
    listen: (channel, ear) => listen({ url, applicationName }, channel, noting(ear, broke)),
    breaks: () => breaks,
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: door.gate.waiting + pool.waitingCount,
    }),
    close: () => pool.end(),
  }
}

/** A listener whose connection broke counts like any other. */
function noting(ear: Ear, broke: () => void): Ear {
  return {
    heard: (payload) => ear.heard(payload),
    ended: () => {
      broke()
      ear.ended()
    },
  }
}

function openPool({ url, applicationName }: Where, connections: number, broke: () => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: applicationName,
    // A half-open connection is found by keep-alive and by the deadline, whichever comes first.
    keepAlive: true,
    types: { getTypeParser: parseValue } as pg.CustomTypesConfig,
  })
  // An idle connection that breaks is dropped by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  // The pool listens only while a connection is idle. One that breaks while it changes hands would end the process, too.
  pool.on('connect', (client) => client.on('error', broke))
  return pool
}

interface Where {
  readonly url: string
  readonly applicationName: string
}

function listenerTo({ url, applicationName }: Where): pg.Client {
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: `${applicationName} listener`,
    keepAlive: true,
  })
}

/** The names of channels are ours and need no quotes but for their case. */
async function listen(where: Where, channel: string, ear: Ear): Promise<Listening | undefined> {
  const client = listenerTo(where)
  let over = false
  const end = () => {
    if (over) return
    over = true
    // A connection that hangs would take its time to say good-bye.
    client.end().catch(() => {})
    ear.ended()
  }
  client.on('error', end)
  client.on('end', end)
  client.on('notification', ({ payload }) => ear.heard(payload ?? ''))
  try {
    await within(CONNECT_MS, client.connect(), () => {})
    if (await within(CONNECT_MS, isShared(client, where), () => {})) {
      over = true
      client.end().catch(() => {})
      return undefined
    }
    await within(CONNECT_MS, client.query(`listen "${channel}"`), () => {})
  } catch (error) {
    over = true
    client.end().catch(() => {})
    throw asHoldfastError(error)
  }
  return {
    end: async () => {
      over = true
      await within(CONNECT_MS, client.end(), () => {}).catch(() => {})
    },
  }
}

/**
 * Whether a pooler gives each transaction of a connection whichever session is free. What is listened to there stays behind in a session
 * of others and is heard by nobody. A pooler that keeps a session for as long as its client stays never gives it to another client,
 * nor the client another.
 */
async function isShared(client: pg.Client, where: Where): Promise<boolean> {
  const first = await sessionOf(client)
  if (first === greetedBy(client)) return false
  const other = listenerTo(where)
  other.on('error', () => {})
  try {
    await other.connect()
    for (let look = 0; look < LOOKS; look += 1) {
      await other.query('begin')
      const changed = (await sessionOf(other)) === first || (await sessionOf(client)) !== first
      await other.query('commit')
      if (changed) return true
    }
    return false
  } finally {
    other.end().catch(() => {})
  }
}

interface Door {
  readonly pool: pg.Pool
  readonly gate: Gate
  /** A connection has broken. */
  readonly broke: () => void
}

/** The tenant that the database is to narrow a call to. */
function chosenBy({ tenant, isNarrowed = false }: CallOptions): string | undefined {
  return isNarrowed ? tenant : undefined
}

async function withClient<T>(
  door: Door,
  leftMs: number,
  work: (client: pg.PoolClient) => Promise<T>,
  options: CallOptions,
): Promise<T> {
  const until = performance.now() + leftMs
  const leave = await admitted(door.gate, options, leftMs)
  try {
    return await onClient(door, until, work)
  } finally {
    leave()
  }
}

async function admitted(gate: Gate, options: CallOptions, leftMs: number): Promise<() => void> {
  try {
    return await gate.enter(options, leftMs)
  } catch (error) {
    throw new Unsent(error)
  }
}

async function onClient<T>(
  { pool, broke }: Door,
  until: number,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool, until - performance.now(), broke)
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    return await within(until - performance.now(), work(client), (late) => {
      broken = late
    })
  } catch (error) {
    // Not knowing what state a connection is in, we do not hand it to the next caller.
    if ((error as { code?: string }).code === undefined || isAway(error)) broken ??= error as Error
    if (isBreak(error)) broke()
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken ?? false)
  }
}

async function connect(pool: pg.Pool, leftMs: number, broke: () => void): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  try {
    return await within(leftMs, connecting, () => {
      // It may still come, for nobody: back to the pool with it.
      connecting.then((client) => client.release()).catch(() => {})
    })
  } catch (error) {
    if (isBreak(error)) broke()
    throw new Unsent(error)
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  work: (session: Session) => Promise<T>,
  chosen: string | undefined,
): Promise<T> {
  const session: Session = {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
    script: async (text) => {
      await client.query(text)
    },
  }
  await client.query(chosen === undefined ? 'begin' : `begin; ${chooseText(chosen)}`)
  try {
    const result = await work(session)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Without a race of promises, which costs a call more than its timer. */
function within<T>(ms: number, work: Promise<T>, onLate: (error: Error) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = holdfastError('deadline_exceeded', { ms: Math.round(ms) })
      onLate(error)
      reject(error)
    }, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

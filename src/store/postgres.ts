/** The `pg` driver: a pool whose connections are replaced, never mended, after anything went wrong on them. */
import { Socket } from 'node:net'
import pg from 'pg'
import { holdfastError } from '../domain/errors.js'
import { asHoldfastError, isAway, isBreak } from './broken.js'
import {
  type CallOptions,
  type Connections,
  type Database,
  DEADLINES,
  type Ear,
  type Listening,
  type Session,
} from './database.js'
import { type Persistence, persist, Unsent } from './persist.js'
import { greetedBy, Prepared, sessionOf } from './prepared.js'
import { UnderWay } from './under-way.js'
import { parseValue } from './values.js'

export interface PostgresOptions {
  readonly url: string
  /** Connections at most. */
  readonly connections?: number
  readonly applicationName?: string
}

const CONNECT_MS = 5_000
/** What was sent before the database is closed may still be answered for so long. */
const CLOSE_MS = 1_000
/** A server that is there says good-bye sooner. */
const LISTENER_END_MS = 500
/** Which session is free is chance; so many times in a row it is not. */
const LOOKS = 10

export function openPostgres({
  url,
  connections = 5,
  applicationName = 'holdfast',
}: PostgresOptions): Database {
  const underWay = new UnderWay()
  const sockets = new Set<Socket>()
  const stream = () => trackedIn(sockets)
  let breaks = 0
  const broke = () => {
    breaks += 1
  }
  const pool = openPool({ url, applicationName, stream }, connections, broke)
  const prepared = new Prepared()
  const query = <Row>(text: string, values: readonly unknown[] = [], options: CallOptions = {}) => {
    const send = async (client: pg.PoolClient) => {
      if (options.breaks !== undefined && options.breaks !== breaks)
        throw holdfastError('unavailable', { problem: 'a connection broke before this call was sent' })
      const given = [...values]
      const { rows } = await (options.often ? prepared.query(client, text, given) : client.query(text, given))
      return rows as Row[]
    }
    return withClient(send, {
      deadlineMs: options.deadlineMs ?? DEADLINES.call,
      repeatable: options.repeatable ?? false,
    })
  }
  const withClient = <T>(work: (client: pg.PoolClient) => Promise<T>, how: Omit<Persistence, 'pause'>) =>
    persist((leftMs) => carry({ pool, underWay, broke }, leftMs, work), {
      ...how,
      pause: (ms) => underWay.pause(ms),
    })
  let closing: Promise<void> | undefined

  return {
    driver: 'postgres',
    query,
    async script(text, options = {}) {
      const deadlineMs = options.deadlineMs ?? DEADLINES.migration
      await withClient((client) => client.query(text), { deadlineMs, repeatable: false })
    },
    transaction(work, options = {}) {
      const deadlineMs = options.deadlineMs ?? DEADLINES.call
      return withClient((client) => inTransaction(client, work), {
        deadlineMs,
        repeatable: false,
        once: true,
      })
    },
    listen: (channel, ear) => listen({ url, applicationName, stream }, channel, noting(ear, broke)),
    breaks: () => breaks,
    connections: () => connectionsOf(pool),
    close: () => {
      closing ??= end({ pool, underWay, broke, sockets })
      return closing
    },
  }
}

function connectionsOf(pool: pg.Pool): Connections {
  return { busy: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }
}

/** Also one that only listens is a connection that can break. */
function noting(ear: Ear, broke: () => void): Ear {
  return {
    heard: (payload) => ear.heard(payload),
    ended: () => {
      broke()
      ear.ended()
    },
  }
}

function openPool({ url, applicationName, stream }: Where, connections: number, broke: () => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    stream,
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

/** Every connection there is, also one that is still being made. */
function trackedIn(sockets: Set<Socket>): Socket {
  const socket = new Socket()
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
  return socket
}

interface Line {
  readonly pool: pg.Pool
  readonly underWay: UnderWay
  /** A connection broke. */
  broke(): void
}

/** Whether or not the server is there: a connection that hangs would otherwise be waited for, and keep the process. */
async function end({ pool, underWay, sockets }: Line & { readonly sockets: Set<Socket> }): Promise<void> {
  underWay.stop()
  const ended = pool.end()
  await settled(CLOSE_MS, ended)
  underWay.cutAll()
  for (const socket of sockets) socket.destroy()
  await settled(CLOSE_MS, ended)
}

/** Resolves when it has settled, or the time is over. */
function settled(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const over = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(over, over)
  })
}

interface Where {
  readonly url: string
  readonly applicationName: string
  stream(): Socket
}

function listenerTo({ url, applicationName, stream }: Where): pg.Client {
  return new pg.Client({
    connectionString: url,
    stream,
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
    await within(CONNECT_MS, client.connect())
    if (await within(CONNECT_MS, isShared(client, where))) {
      over = true
      client.end().catch(() => {})
      return undefined
    }
    await within(CONNECT_MS, client.query(`listen "${channel}"`))
  } catch (error) {
    over = true
    client.end().catch(() => {})
    throw asHoldfastError(error)
  }
  return {
    end: async () => {
      over = true
      await settled(LISTENER_END_MS, client.end())
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

/** The listener's own: nobody waits for it. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new UnderWay().within(ms, 'sent', work, () => {})
}

async function carry<T>(line: Line, leftMs: number, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const until = performance.now() + leftMs
  const client = await connect(line, Math.min(leftMs, DEADLINES.call))
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    return await line.underWay.within(until - performance.now(), 'sent', work(client), (why) => {
      broken = why
    })
  } catch (error) {
    // Not knowing what state a connection is in, we do not hand it to the next caller.
    if ((error as { code?: string }).code === undefined || isAway(error)) broken ??= error as Error
    if (isBreak(error)) line.broke()
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken ?? false)
  }
}

async function connect({ pool, underWay, broke }: Line, leftMs: number): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  try {
    return await underWay.within(leftMs, 'unsent', connecting, () => {
      // It may still come, for nobody: back to the pool with it.
      connecting.then((client) => client.release()).catch(() => {})
    })
  } catch (error) {
    if (isBreak(error)) broke()
    throw new Unsent(error)
  }
}

async function inTransaction<T>(client: pg.PoolClient, work: (session: Session) => Promise<T>): Promise<T> {
  const session: Session = {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
    script: async (text) => {
      await client.query(text)
    },
  }
  await client.query('begin')
  try {
    const result = await work(session)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

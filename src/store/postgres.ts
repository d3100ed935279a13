/** The `pg` driver: a pool whose connections are replaced, never repaired, after anything went wrong on them. */
import { Socket } from 'node:net'
import pg from 'pg'
import { holdfastError } from '../domain/errors.js'
import { isAway, isBreak } from './broken.js'
import { type CallOptions, type Database, DEADLINES, type Ear, type Session } from './database.js'
import { Gate } from './gate.js'
import { orGiveUp } from './give-up.js'
import { CONNECT_MS, listen, type Where } from './listening.js'
import { chooseText, queryNarrowed } from './narrowed-query.js'
import { type Persistence, persist, Unsent } from './persist.js'
import { Prepared } from './prepared.js'
import { settled, UnderWay } from './under-way.js'
import { parseValue } from './values.js'

export interface PostgresOptions {
  readonly url: string
  /** Connections at most. */
  readonly connections?: number
  readonly applicationName?: string
}

/** What was sent before the database is closed may still be answered for so long. */
const CLOSE_MS = 1_000

type Work<T> = (client: pg.PoolClient) => Promise<T>

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
  const line: Line = { pool, gate: new Gate(connections), underWay, broke }
  const prepared = new Prepared()
  const withClient = <T>(work: Work<T>, options: CallOptions, how: Omit<Persistence, 'pause'>) =>
    persist((leftMs) => carry(line, leftMs, work, options), { ...how, pause: (ms) => underWay.pause(ms) })
  const query = <Row>(text: string, values: readonly unknown[] = [], options: CallOptions = {}) => {
    const send = async (client: pg.PoolClient) => {
      if (options.breaks !== undefined && options.breaks !== breaks)
        throw holdfastError('unavailable', { problem: 'a connection broke before this call was sent' })
      const ask = askerOn(client, options)
      const statement = { text, values: [...values] }
      const { rows } = await (options.often ? prepared.query(client, statement, ask) : ask(statement))
      return rows as Row[]
    }
    return withClient(send, options, {
      deadlineMs: options.deadlineMs ?? DEADLINES.call,
      repeatable: options.repeatable ?? false,
    })
  }
  let closing: Promise<void> | undefined

  return {
    driver: 'postgres',
    query,
    async script(text, options = {}) {
      const deadlineMs = options.deadlineMs ?? DEADLINES.migration
      await withClient((client) => client.query(text), options, { deadlineMs, repeatable: false })
    },
    transaction(work, options = {}) {
      const deadlineMs = options.deadlineMs ?? DEADLINES.call
      const all = (client: pg.PoolClient) => inTransaction(client, work, chosenBy(options))
      return withClient(all, options, { deadlineMs, repeatable: false, once: true })
    },
    listen: (channel, ear) => listen({ url, applicationName, stream }, channel, notingEnd(ear, broke)),
    breaks: () => breaks,
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: line.gate.waiting + pool.waitingCount,
    }),
    close: () => {
      closing ??= end(line, sockets)
      return closing
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
  readonly gate: Gate
  readonly underWay: UnderWay
  /** A connection has broken. */
  broke(): void
}

/** Whether or not the server is there: a connection that hangs would otherwise be waited for, and keep the process. */
async function end({ pool, underWay }: Line, sockets: Set<Socket>): Promise<void> {
  underWay.stop()
  const ended = pool.end()
  await settled(CLOSE_MS, ended)
  underWay.cutAll()
  for (const socket of sockets) socket.destroy()
  await settled(CLOSE_MS, ended)
}

function notingEnd(ear: Ear, broke: () => void): Ear {
  return {
    heard: (payload) => ear.heard(payload),
    ended: () => {
      broke()
      ear.ended()
    },
  }
}

/** The tenant that the database is to narrow a call to. */
function chosenBy({ tenant, isNarrowed = false }: CallOptions): string | undefined {
  return isNarrowed ? tenant : undefined
}

function askerOn(client: pg.PoolClient, options: CallOptions) {
  const chosen = chosenBy(options)
  return (config: pg.QueryConfig): Promise<pg.QueryResult> =>
    chosen === undefined ? client.query(config) : queryNarrowed(client, chosen, config)
}

async function carry<T>(line: Line, leftMs: number, work: Work<T>, options: CallOptions): Promise<T> {
  const until = performance.now() + leftMs
  const leave = await admitted(line, options, leftMs)
  try {
    return await onClient(line, until, work)
  } finally {
    leave()
  }
}

async function admitted({ gate, underWay }: Line, options: CallOptions, leftMs: number): Promise<() => void> {
  const entering = gate.enter(options, leftMs)
  if (typeof entering === 'function' && !underWay.isStopped) return entering
  const entered = Promise.resolve(entering)
  try {
    return await underWay.within(null, 'unsent', entered, () => {
      entered.then((leave) => leave()).catch(() => {})
    })
  } catch (error) {
    throw new Unsent(error)
  }
}

async function onClient<T>(line: Line, until: number, work: Work<T>): Promise<T> {
  const client = await connect(line, Math.min(until - performance.now(), DEADLINES.call))
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    const inTime = orGiveUp(client, until - performance.now(), work(client), (late) => {
      broken = late
    })
    return await line.underWay.within(null, 'sent', inTime, (why) => {
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

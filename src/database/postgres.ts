/** The `pg` driver: a pool that replaces a connection after any error on it, and never repairs one. */
import { Socket } from 'node:net'
import pg from 'pg'
import { holdfastError } from '../domain/errors/errors.js'
import { cancelWhenLate } from './cancel-late-call.js'
import { ConnectionGate } from './connection-gate.js'
import {
  type CallOptions,
  type Database,
  DEADLINES,
  type NotificationHandler,
  type Session,
} from './database.js'
import { isAway, isBreak } from './database-errors.js'
import { CONNECT_MS, listen, type Where } from './notification-connection.js'
import { PendingCalls, settled } from './pending-calls.js'
import { Prepared } from './prepared.js'
import { type RetryCallOptions, retryCall, Unsent } from './retry-call.js'
import { queryAsTenant, setTenantText } from './tenant-query.js'
import { parseValue } from './values.js'

export interface PostgresOptions {
  readonly url: string
  /** The size of the pool. */
  readonly connections?: number
  readonly applicationName?: string
}

/** How long `close` waits for answers to calls that were already sent. */
const CLOSE_MS = 1_000

type ClientWork<T> = (client: pg.PoolClient) => Promise<T>

export function openPostgres({
  url,
  connections = 5,
  applicationName = 'holdfast',
}: PostgresOptions): Database {
  const underWay = new PendingCalls()
  const sockets = new Set<Socket>()
  const stream = () => trackedIn(sockets)
  let breaks = 0
  const broke = () => {
    breaks += 1
  }
  const pool = openPool({ url, applicationName, stream }, connections, broke)
  const parts: PoolParts = { pool, gate: new ConnectionGate(connections), underWay, broke }
  const prepared = new Prepared()
  const withClient = <T>(work: ClientWork<T>, options: CallOptions, how: Omit<RetryCallOptions, 'pause'>) =>
    retryCall((leftMs) => carry(parts, leftMs, work, options), { ...how, pause: (ms) => underWay.pause(ms) })
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
    listen: (channel, handler) =>
      listen({ url, applicationName, stream }, channel, notingEnd(handler, broke)),
    breaks: () => breaks,
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: parts.gate.waiting + pool.waitingCount,
    }),
    close: () => {
      closing ??= end(parts, sockets)
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
    // Keep-alive or the deadline finds a half-open connection, whichever comes first.
    keepAlive: true,
    types: { getTypeParser: parseValue } as pg.CustomTypesConfig,
  })
  // The pool drops an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', () => {})
  // The pool listens only while a connection is idle. An error on a connection that is being handed over would end the process, too.
  pool.on('connect', (client) => client.on('error', broke))
  return pool
}

/** Every connection, including those still being opened. */
function trackedIn(sockets: Set<Socket>): Socket {
  const socket = new Socket()
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
  return socket
}

interface PoolParts {
  readonly pool: pg.Pool
  readonly gate: ConnectionGate
  readonly underWay: PendingCalls
  /** A connection has broken. */
  broke(): void
}

/** Without waiting for the server: a connection that hangs would keep the process alive. */
async function end({ pool, underWay }: PoolParts, sockets: Set<Socket>): Promise<void> {
  underWay.stop()
  const ended = pool.end()
  await settled(CLOSE_MS, ended)
  underWay.cutAll()
  for (const socket of sockets) socket.destroy()
  await settled(CLOSE_MS, ended)
}

function notingEnd(handler: NotificationHandler, broke: () => void): NotificationHandler {
  return {
    received: (payload) => handler.received(payload),
    ended: () => {
      broke()
      handler.ended()
    },
  }
}

/** The tenant to which the database narrows a call. */
function chosenBy({ tenant, isNarrowed = false }: CallOptions): string | undefined {
  return isNarrowed ? tenant : undefined
}

function askerOn(client: pg.PoolClient, options: CallOptions) {
  const chosen = chosenBy(options)
  return (config: pg.QueryConfig): Promise<pg.QueryResult> =>
    chosen === undefined ? client.query(config) : queryAsTenant(client, chosen, config)
}

async function carry<T>(
  parts: PoolParts,
  leftMs: number,
  work: ClientWork<T>,
  options: CallOptions,
): Promise<T> {
  const until = performance.now() + leftMs
  const leave = await admitted(parts, options, leftMs)
  try {
    return await onClient(parts, until, work)
  } finally {
    leave()
  }
}

async function admitted(
  { gate, underWay }: PoolParts,
  options: CallOptions,
  leftMs: number,
): Promise<() => void> {
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

async function onClient<T>(parts: PoolParts, until: number, work: ClientWork<T>): Promise<T> {
  const client = await connect(parts, Math.min(until - performance.now(), DEADLINES.call))
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  try {
    const inTime = cancelWhenLate(client, until - performance.now(), work(client), (late) => {
      broken = late
    })
    return await parts.underWay.within(null, 'sent', inTime, (why) => {
      broken = why
    })
  } catch (error) {
    // The state of this connection is unknown, so no other caller may get it.
    if ((error as { code?: string }).code === undefined || isAway(error)) broken ??= error as Error
    if (isBreak(error)) parts.broke()
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken ?? false)
  }
}

async function connect({ pool, underWay, broke }: PoolParts, leftMs: number): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  try {
    return await underWay.within(leftMs, 'unsent', connecting, () => {
      // The connection may still open, unused: it returns to the pool.
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
  await client.query(chosen === undefined ? 'begin' : `begin; ${setTenantText(chosen)}`)
  try {
    const result = await work(session)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** A connection that only listens to a channel. */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { NotificationHandler, NotificationSubscription } from './database.js'
import { asHoldfastError } from './database-errors.js'
import { PendingCalls, settled } from './pending-calls.js'
import { announcedPid, backendPid } from './prepared.js'

export const CONNECT_MS = 5_000
/** How long closing may take; a reachable server answers sooner. */
const LISTENER_END_MS = 500
/** One free session may be chance; this many in a row are not. */
const PROBES = 10

export interface Where {
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

/** Channel names are ours; they are quoted only to keep their case. */
export async function listen(
  where: Where,
  channel: string,
  handler: NotificationHandler,
): Promise<NotificationSubscription | undefined> {
  const client = listenerTo(where)
  let over = false
  const end = () => {
    if (over) return
    over = true
    // A connection that hangs would delay the close.
    client.end().catch(() => {})
    handler.ended()
  }
  client.on('error', end)
  client.on('end', end)
  client.on('notification', ({ payload }) => handler.received(payload ?? ''))
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
 * Whether a pooler runs each transaction of a connection in any free session. LISTEN would then stay behind in a session of other clients,
 * and no notification would arrive. A pooler in session mode keeps one session for each client.
 */
async function isShared(client: pg.Client, where: Where): Promise<boolean> {
  const first = await backendPid(client)
  if (first === announcedPid(client)) return false
  const other = listenerTo(where)
  other.on('error', () => {})
  try {
    await other.connect()
    for (let probe = 0; probe < PROBES; probe += 1) {
      await other.query('begin')
      const changed = (await backendPid(other)) === first || (await backendPid(client)) !== first
      await other.query('commit')
      if (changed) return true
    }
    return false
  } finally {
    other.end().catch(() => {})
  }
}

/** For the listener's own statements: no caller waits for them. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new PendingCalls().within(ms, 'sent', work, () => {})
}

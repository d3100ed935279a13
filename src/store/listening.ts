/** A connection that does nothing but listen to a channel. */
import type { Socket } from 'node:net'
import pg from 'pg'
import { asHoldfastError } from './broken.js'
import type { Ear, Listening } from './database.js'
import { greetedBy, sessionOf } from './prepared.js'
import { settled, UnderWay } from './under-way.js'

export const CONNECT_MS = 5_000
/** A server that is there says good-bye sooner. */
const LISTENER_END_MS = 500
/** Which session is free is chance; so many times in a row it is not. */
const LOOKS = 10

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

/** The names of channels are ours and need no quotes but for their case. */
export async function listen(where: Where, channel: string, ear: Ear): Promise<Listening | undefined> {
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

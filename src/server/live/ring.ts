/**
 * The latest events, in memory once for all subscribers. Complete from `floor` on: a subscriber whose cursor is there or later finds all
 * events it has missed. Bounded by number and size, plus the last page; dropping an event raises the floor.
 */
import type { FeedEntry } from '../../store/event-feed.js'
import { type Cursor, type EventPosition, isCovered, parseCursor, partsOf, withServer } from './cursor.js'

export interface LiveEvent extends EventPosition {
  /** Null: for all tenants. */
  readonly tenant: string | null
  /** Resume after this event with this cursor. */
  readonly cursor: string
  /** As JSON. */
  readonly text: string
  readonly isJob: boolean
}

export interface RingBounds {
  readonly entriesMax: number
  readonly charsMax: number
}

export class Ring {
  readonly #bounds: RingBounds
  /** By number. Numbers can be negative, because older events can be prepended. */
  readonly #entries = new Map<number, LiveEvent>()
  #chars = 0
  start = 0
  end = 0
  floor: Cursor

  constructor(floor: Cursor, bounds: RingBounds) {
    this.floor = floor
    this.#bounds = bounds
  }

  get(number: number): LiveEvent | undefined {
    return this.#entries.get(number)
  }

  covers(cursor: Cursor): boolean {
    return isCovered(cursor, this.floor)
  }

  add(entry: LiveEvent): void {
    this.#entries.set(this.end++, entry)
    this.#chars += entry.text.length
  }

  /** Call it before adding events and not after, so that every subscriber could read the last page. */
  trim(): void {
    const { entriesMax, charsMax } = this.#bounds
    while (this.end - this.start > entriesMax || this.#chars > charsMax) this.#drop()
  }

  /** Adds older events; returns false if there is no room for them. */
  prepend(older: readonly LiveEvent[], floor: Cursor): boolean {
    const chars = older.reduce((sum, { text }) => sum + text.length, 0)
    const { entriesMax, charsMax } = this.#bounds
    if (this.end - this.start + older.length > entriesMax || this.#chars + chars > charsMax) return false
    this.start -= older.length
    for (const [n, entry] of older.entries()) this.#entries.set(this.start + n, entry)
    this.#chars += chars
    this.floor = floor
    return true
  }

  keys(): Set<string> {
    return new Set([...this.#entries.values()].map(({ xid, id }) => `${xid} ${id}`))
  }

  #drop(): void {
    const entry = this.#entries.get(this.start) as LiveEvent
    this.#entries.delete(this.start++)
    this.#chars -= entry.text.length
    this.floor = parseCursor(entry.cursor) as Cursor
  }
}

/** The cursor after an event in the middle of a page. */
export function cursorAt(position: Cursor | undefined, now: Cursor, { xid, id }: FeedEntry): string {
  const [from = ''] = partsOf(position ?? now)
  const [first = '', to = first] = partsOf(now)
  return withServer(now, from, to, xid, id)
}

const RESTARTED = 'feed_restarted'

/** Whether this event reports that the feed could not continue from a cursor. */
export const isRestart = ({ type }: FeedEntry): boolean => type === RESTARTED

/** The same event for a subscriber whose cursor is of another database server. */
export function restartOf(since: Cursor, now: Cursor): LiveEvent {
  const reason =
    'The cursor is of another database server. The feed continues from now; earlier events may be missing.'
  const fields = { at: new Date(), actor: 'system', reason, data: { from: since.server, to: now.server } }
  const event = { id: 0, xid: 0, tenant: null, type: RESTARTED, jobIds: [], queueId: null, ...fields }
  return liveEventOf(event, now.text)
}

export function liveEventOf({ xid, tenant, ...event }: FeedEntry, cursor: string): LiveEvent {
  const { id, at, type, jobIds, queueId, actor, reason, data } = event
  const text = JSON.stringify({ type, at, job_ids: jobIds, queue_id: queueId, actor, reason, data })
  return { xid, id, tenant, cursor, text, isJob: jobIds.length > 0 }
}

/** Whether an event may have revoked access of this key; null for a subscriber without a key. */
export function concernsKey({ type, data }: FeedEntry, keyId: number | null): boolean {
  const { key, replaces } = (data ?? {}) as { key?: unknown; replaces?: unknown }
  if (type === 'key_created') return keyId === null
  if (type === 'key_revoked') return key === keyId
  return type === 'key_rotated' && replaces === keyId
}

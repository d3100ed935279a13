/** A subscriber of the hub, and the position that the hub keeps for it. */
import type { Cursor } from './cursor.js'
import type { KeyCheck } from './key-check.js'
import type { LiveEvent } from './ring.js'

export interface Subscriber {
  readonly tenant: string
  /** The cursor it resumes from; undefined: from now on. */
  readonly since: Cursor | undefined
  /** Undefined for a call too short for its key to change. */
  readonly keyCheck?: KeyCheck | undefined
  /** There may be a new event, or the key may have changed. */
  wake(): void
  /** Closes its connection at once. */
  disconnect(): void
}

export interface SubscriberPosition {
  /**
   * `waiting` until the ring reaches back to its cursor; `live`: reads from the ring; `behind`: the ring cannot reach back that far, read
   * pages with `older`; `lost`: too slow, the ring has dropped its next event.
   */
  state: 'waiting' | 'live' | 'behind' | 'lost'
  /** Number of its next event in the ring. */
  next: number
  /** Events read before it subscribed are skipped; undefined once the hub is past all of them. */
  filter: Cursor | undefined
  /** Delivered first: its cursor is of another database server. */
  notice: LiveEvent | undefined
  lostAt: number
  countsVersion: number
}

/** Starts over at an event of the ring, with a notice delivered first. */
export function restartAt(position: SubscriberPosition, next: number, notice?: LiveEvent): void {
  Object.assign(position, { state: 'live', next, notice, filter: undefined })
}

export function isFor({ tenant }: LiveEvent, subscriber: Subscriber): boolean {
  return tenant === null || tenant === subscriber.tenant
}

/** Who follows, and the place that the hub keeps for it. */
import type { Cursor } from './cursor.js'
import type { Pass } from './pass.js'
import type { Entry } from './ring.js'

export interface Follower {
  readonly tenant: string
  /** Where it stands when it comes; undefined: from now on. */
  readonly since: Cursor | undefined
  /** What let it in, where that can end before its connection does. */
  readonly pass?: Pass | undefined
  /** There is something to take, or to learn. */
  wake(): void
  /** It takes nothing any more: its connection is to be closed. */
  cut(): void
}

/** A follower's place, given out by the hub. */
export interface Seat {
  /** `waiting` until the ring reaches back to it; `behind`: it never will, read `older`; `lost`: the ring has passed it, it was too slow. */
  state: 'waiting' | 'here' | 'behind' | 'lost'
  /** The next entry it takes. */
  next: number
  /** What it had seen before it came; undefined once all of that is behind the hub. */
  filter: Cursor | undefined
  /** To be taken before anything else: where it stood means nothing here. */
  notice: Entry | undefined
  lostAt: number
  countsTold: number
}

/** Begins anew: at that entry of the ring, with this to be taken first. */
export function seatAnew(seat: Seat, next: number, notice?: Entry): void {
  Object.assign(seat, { state: 'here', next, notice, filter: undefined })
}

export function isFor({ tenant }: Entry, follower: Follower): boolean {
  return tenant === null || tenant === follower.tenant
}

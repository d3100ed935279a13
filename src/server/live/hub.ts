/**
 * The one who reads for all. However many clients follow, the database is asked once a second, and not at all when nobody follows; only a
 * full page makes it ask again at once. What it hears is kept in a ring (ring.ts), from which each client takes at its own pace, so that a
 * slow one costs nothing but its place: when the ring has moved on past it, it is told to come back with the id it had last.
 *
 * A client that comes back with a cursor is served from the ring. Where the ring does not reach back far enough, one question looks further back for
 * all who wait for that, from a point that all of them have seen. Only one who missed more than the ring can hold reads pages of its own, in
 * turn with others like it, until it has caught up.
 *
 * A cursor of another server or timeline cannot be followed: its client starts at now, and the first thing it takes says so. When the database itself is
 * another one from one question to the next, all clients do.
 */
import type { FollowedEvent } from '../../store/follow.js'
import type { Store } from '../../store/store.js'
import { Counts } from './counts.js'
import { type Cursor, hasSeen, isForeign, isPast, meetOf, parseCursor, partsOf, placedAt } from './cursor.js'
import { concernsKey, cursorAt, entryOf, isRestart, restartOf } from './entries.js'
import { type Entry, Ring } from './ring.js'
import { type Follower, isFor, type Seat, seatAnew } from './seat.js'

const HUB_LIMITS = {
  /** Between two questions. */
  askEveryMs: 1_000,
  /** Between two counts of the same tenant's queues, which are made only when something happened. */
  countEveryMs: 2_000,
  /** It goes on asking for this long after the last client has left, for one that polls. */
  lingerMs: 30_000,
  entriesMax: 10_000,
  charsMax: 8 * 1024 * 1024,
  /** A client that takes nothing although the ring has passed it is cut off after this. */
  patienceMs: 10_000,
} as const

export type HubLimits = { readonly [Name in keyof typeof HUB_LIMITS]: number }

interface HubLog {
  error(fields: object, message: string): void
}

export class Hub {
  readonly #store: Store
  readonly #limits: HubLimits
  readonly #log: HubLog | undefined
  #isFailing = false
  readonly #seats = new Map<Follower, Seat>()
  #ring: Ring | undefined
  #position: Cursor | undefined
  #running = false
  #stopped = false
  #lastLeft = 0
  #wakeUp = () => {}
  #hasLookedBack = false
  #turn: Promise<unknown> = Promise.resolve()
  readonly #counts: Counts

  constructor(store: Store, limits: Partial<HubLimits> = {}, log?: HubLog) {
    this.#store = store
    this.#limits = { ...HUB_LIMITS, ...limits }
    this.#log = log
    this.#counts = new Counts(this.#limits.countEveryMs)
  }

  join(follower: Follower): Seat {
    const filter = follower.since
    const seat: Seat = { state: 'waiting', next: 0, filter, notice: undefined, lostAt: 0, countsTold: -1 }
    this.#seats.set(follower, seat)
    this.#settle(follower, seat)
    this.#counts.follow(follower.tenant)
    if (!this.#running && !this.#stopped) {
      this.#running = true
      void this.#run()
    }
    return seat
  }

  leave(follower: Follower): void {
    this.#seats.delete(follower)
    this.#lastLeft = performance.now()
  }

  /** The next entry for it; undefined: there is none now. */
  take(follower: Follower, seat: Seat): Entry | undefined {
    const ring = this.#ring
    if (seat.state !== 'here' || ring === undefined) return undefined
    const { notice } = seat
    seat.notice = undefined
    if (notice !== undefined) return notice
    if (seat.next < ring.start) {
      seat.state = 'lost'
      return undefined
    }
    while (seat.next < ring.end) {
      const entry = ring.get(seat.next++) as Entry
      if (isFor(entry, follower) && !(seat.filter !== undefined && hasSeen(seat.filter, entry))) return entry
    }
    if (seat.filter !== undefined && this.#position !== undefined && isPast(this.#position, seat.filter))
      seat.filter = undefined
    return undefined
  }

  /** The next page for one who is behind; read for it alone. */
  older(follower: Follower, seat: Seat): Promise<Entry[]> {
    const turn = this.#turn.then(() => this.#older(follower, seat))
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #older(follower: Follower, seat: Seat): Promise<Entry[]> {
    const { cursor, events } = await this.#store.follow.page(seat.filter?.text)
    const now = parseCursor(cursor) as Cursor
    const entries = events.map((event, n) =>
      entryOf(event, n === events.length - 1 ? cursor : cursorAt(seat.filter, now, event)),
    )
    seat.filter = now
    if (this.#ring?.covers(now)) {
      seat.state = 'here'
      seat.next = this.#ring.start
    }
    return entries.filter((entry) => isFor(entry, follower))
  }

  /** Where somebody stands who has taken everything; undefined while it stands further on, or nobody knows. */
  positionOf(seat: Seat): string | undefined {
    if (seat.state !== 'here' || seat.next !== this.#ring?.end || seat.filter !== undefined) return undefined
    return this.#position?.text
  }

  /** How much is where, if it has not been told yet; as JSON. */
  countsFor({ tenant }: Follower, seat: Seat): string | undefined {
    const counts = this.#counts.since(tenant, seat.countsTold)
    if (counts === undefined) return undefined
    seat.countsTold = counts.version
    return counts.text
  }

  stop(): void {
    this.#stopped = true
    this.#wakeUp()
    for (const follower of [...this.#seats.keys()]) follower.wake()
  }

  async #run(): Promise<void> {
    while (
      !this.#stopped &&
      (this.#seats.size > 0 || performance.now() - this.#lastLeft < this.#limits.lingerMs)
    ) {
      const asked = performance.now()
      let full = false
      try {
        full = await this.#ask()
        this.#isFailing = false
      } catch (error) {
        // The cursor has not moved, so nothing is missed: the next question asks for the same.
        this.#tellOnce(error)
      }
      this.#cutTheLost()
      if (!full) await this.#pause(this.#limits.askEveryMs - (performance.now() - asked))
    }
    this.#running = false
    this.#ring = undefined
    this.#position = undefined
    this.#counts.clear()
  }

  /** Once until it works again, or a database that is away would fill the log. */
  #tellOnce(error: unknown): void {
    if (!this.#isFailing)
      this.#log?.error({ error: String((error as Error).message) }, 'events cannot be read; trying again')
    this.#isFailing = true
  }

  /** One question. Answers whether there is more to ask at once. */
  async #ask(): Promise<boolean> {
    const waiting = [...this.#seats].filter(([, seat]) => seat.state === 'waiting')
    const position = this.#position
    const mayLookBack = position !== undefined && position.to === undefined && waiting.length > 0
    // In turns, so that those who come back never keep the others from hearing news.
    this.#hasLookedBack = mayLookBack && !this.#hasLookedBack
    if (mayLookBack && this.#hasLookedBack) return this.#lookBack(position, waiting)
    const { cursor, events, counts, full } = await this.#store.follow.page(
      position?.text,
      this.#counts.toCount(new Set([...this.#seats.keys()].map(({ tenant }) => tenant))),
    )
    const now = parseCursor(cursor) as Cursor
    if (events.some(isRestart)) {
      this.#ring = undefined
      for (const seat of this.#seats.values()) seatAnew(seat, 0)
    }
    this.#ring ??= new Ring(now, this.#limits)
    if (events.length > 0) this.#ring.trim()
    for (const [n, event] of events.entries()) {
      const last = n === events.length - 1
      this.#ring.add(entryOf(event, last ? cursor : cursorAt(position, now, event)))
      if (event.tenant !== null) this.#counts.outdate(event.tenant)
      this.#doubtKeys(event)
    }
    this.#position = now
    this.#counts.learn(counts)
    const isNews = events.length > 0 || counts.length > 0
    for (const [follower, seat] of this.#seats) {
      if (seat.state === 'waiting') this.#settle(follower, seat)
      else if (!isNews) continue
      follower.wake()
    }
    return full
  }

  #doubtKeys(event: FollowedEvent): void {
    if (!event.type.startsWith('key_')) return
    for (const follower of this.#seats.keys()) {
      if (follower.pass === undefined || !concernsKey(event, follower.pass.keyId)) continue
      follower.pass.doubt()
      follower.wake()
    }
  }

  /** What those have missed who stand before the floor of the ring. */
  async #lookBack(position: Cursor, waiting: readonly (readonly [Follower, Seat])[]): Promise<boolean> {
    const ring = this.#ring as Ring
    const cursors = waiting.flatMap(([{ since }]) => (since === undefined ? [] : [since]))
    const from = meetOf([...cursors, ring.floor])
    const [to = ''] = partsOf(position)
    const known = ring.places()
    const older: Entry[] = []
    let cursor = placedAt(position, from, to)
    for (let full = true; full && older.length <= this.#limits.entriesMax; ) {
      const page = await this.#store.follow.page(cursor)
      // The next question is answered the same, and all start over.
      if (page.events.some(isRestart)) return false
      for (const event of page.events)
        if (!known.has(`${event.xid} ${event.id}`))
          older.push(entryOf(event, placedAt(position, from, to, event.xid, event.id)))
      full = page.full
      cursor = page.cursor
    }
    if (!ring.prepend(older, parseCursor(placedAt(position, from)) as Cursor)) giveUp(waiting)
    for (const [follower, seat] of waiting) {
      if (seat.state === 'waiting') this.#settle(follower, seat)
      follower.wake()
    }
    return false
  }

  #settle({ since }: Follower, seat: Seat): void {
    const ring = this.#ring
    if (ring === undefined) return
    if (since === undefined) seat.next = ring.end
    else if (isForeign(since, ring.floor))
      seatAnew(seat, ring.end, restartOf(since, this.#position ?? ring.floor))
    else if (ring.covers(since)) seat.next = ring.start
    else return
    seat.state = 'here'
  }

  #cutTheLost(): void {
    const now = performance.now()
    for (const [follower, seat] of this.#seats) {
      const isLost = seat.state === 'here' && seat.next < (this.#ring?.start ?? 0)
      if (!isLost) seat.lostAt = now
      else if (now - seat.lostAt > this.#limits.patienceMs) follower.cut()
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#stopped) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.#wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** The one that stands furthest back reads by itself, so that the others get their turn. */
function giveUp(waiting: readonly (readonly [Follower, Seat])[]): void {
  const [, seat] = waiting.reduce((a, b) =>
    (a[0].since?.from.xmax ?? 0) <= (b[0].since?.from.xmax ?? 0) ? a : b,
  )
  seat.state = 'behind'
}

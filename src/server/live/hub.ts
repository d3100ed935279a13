/**
 * Reads the event feed once for all subscribers: one query a second, none without subscribers, and the next at once only after a full page.
 * Events are kept in a ring (ring.ts), from which each subscriber reads at its own pace. A subscriber whose next event the ring has
 * dropped gets an end event and reconnects with its last id.
 *
 * A subscriber that resumes from a cursor is served from the ring. If the ring does not reach back far enough, one query reads further back
 * for all such subscribers, from a point that all of them have read. Only one that missed more than the ring can hold reads pages of
 * its own, one subscriber at a time, until it has caught up.
 *
 * The feed cannot continue from a cursor of another database server or timeline: its subscriber starts from now, with a notice as its
 * first event. If the database itself changes between two queries, all subscribers do.
 */
import type { Log } from '../../domain/log.js'
import type { FeedEntry } from '../../store/event-feed.js'
import type { Store } from '../../store/store.js'
import { LiveCounts } from './counts.js'
import {
  type Cursor,
  hasSeen,
  isForeign,
  isPast,
  meetOf,
  parseCursor,
  partsOf,
  withServer,
} from './cursor.js'
import { concernsKey, cursorAt, isRestart, type LiveEvent, liveEventOf, Ring, restartOf } from './ring.js'
import { isFor, restartAt, type Subscriber, type SubscriberPosition } from './subscriber.js'

const HUB_LIMITS = {
  /** Between two queries. */
  pollEveryMs: 1_000,
  /** Between two counts of a tenant's queues, which happen only after an event. */
  countEveryMs: 2_000,
  /** Polling continues this long after the last subscriber has left, for callers that long-poll. */
  lingerMs: 30_000,
  entriesMax: 10_000,
  charsMax: 8 * 1024 * 1024,
  /** A subscriber that reads nothing although the ring has dropped its next event is disconnected after this. */
  lostMs: 10_000,
} as const

export type HubLimits = { readonly [Name in keyof typeof HUB_LIMITS]: number }

export class Hub {
  readonly #store: Store
  readonly #limits: HubLimits
  readonly #log: Log | undefined
  #isFailing = false
  readonly #subscribers = new Map<Subscriber, SubscriberPosition>()
  #ring: Ring | undefined
  #cursor: Cursor | undefined
  #running = false
  #stopped = false
  #lastLeft = 0
  #wakeUp = () => {}
  #hasReadBack = false
  #olderPages: Promise<unknown> = Promise.resolve()
  readonly #counts: LiveCounts

  constructor(store: Store, limits: Partial<HubLimits> = {}, log?: Log) {
    this.#store = store
    this.#limits = { ...HUB_LIMITS, ...limits }
    this.#log = log
    this.#counts = new LiveCounts(this.#limits.countEveryMs)
  }

  join(subscriber: Subscriber): SubscriberPosition {
    const filter = subscriber.since
    const position: SubscriberPosition = {
      state: 'waiting',
      next: 0,
      filter,
      notice: undefined,
      lostAt: 0,
      countsVersion: -1,
    }
    this.#subscribers.set(subscriber, position)
    this.#settle(subscriber, position)
    this.#counts.follow(subscriber.tenant)
    if (!this.#running && !this.#stopped) {
      this.#running = true
      void this.#run()
    }
    return position
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber)
    this.#lastLeft = performance.now()
  }

  /** Its next event; undefined if there is none now. */
  take(subscriber: Subscriber, position: SubscriberPosition): LiveEvent | undefined {
    const ring = this.#ring
    if (position.state !== 'live' || ring === undefined) return undefined
    const { notice } = position
    position.notice = undefined
    if (notice !== undefined) return notice
    if (position.next < ring.start) {
      position.state = 'lost'
      return undefined
    }
    while (position.next < ring.end) {
      const event = ring.get(position.next++) as LiveEvent
      if (isFor(event, subscriber) && !(position.filter !== undefined && hasSeen(position.filter, event)))
        return event
    }
    if (position.filter !== undefined && this.#cursor !== undefined && isPast(this.#cursor, position.filter))
      position.filter = undefined
    return undefined
  }

  /** The next page for a subscriber that is `behind`; queried for it alone. */
  older(subscriber: Subscriber, position: SubscriberPosition): Promise<LiveEvent[]> {
    const page = this.#olderPages.then(() => this.#older(subscriber, position))
    this.#olderPages = page.catch(() => {})
    return page
  }

  async #older(subscriber: Subscriber, position: SubscriberPosition): Promise<LiveEvent[]> {
    const { cursor, events } = await this.#store.feed.page(position.filter?.text)
    const now = parseCursor(cursor) as Cursor
    const entries = events.map((event, n) =>
      liveEventOf(event, n === events.length - 1 ? cursor : cursorAt(position.filter, now, event)),
    )
    position.filter = now
    if (this.#ring?.covers(now)) {
      position.state = 'live'
      position.next = this.#ring.start
    }
    return entries.filter((event) => isFor(event, subscriber))
  }

  /** The current cursor, for a subscriber that has read everything; undefined otherwise. */
  cursorOf(position: SubscriberPosition): string | undefined {
    if (position.state !== 'live' || position.next !== this.#ring?.end || position.filter !== undefined)
      return undefined
    return this.#cursor?.text
  }

  /** Counts of jobs as JSON, if they changed since this subscriber got them. */
  countsFor({ tenant }: Subscriber, position: SubscriberPosition): string | undefined {
    const counts = this.#counts.since(tenant, position.countsVersion)
    if (counts === undefined) return undefined
    position.countsVersion = counts.version
    return counts.text
  }

  stop(): void {
    this.#stopped = true
    this.#wakeUp()
    for (const subscriber of [...this.#subscribers.keys()]) subscriber.wake()
  }

  async #run(): Promise<void> {
    while (
      !this.#stopped &&
      (this.#subscribers.size > 0 || performance.now() - this.#lastLeft < this.#limits.lingerMs)
    ) {
      const polledAt = performance.now()
      let full = false
      try {
        full = await this.#poll()
        this.#isFailing = false
      } catch (error) {
        // The cursor has not moved, so the next query reads the same events.
        this.#logOnce(error)
      }
      this.#disconnectLost()
      if (!full) await this.#pause(this.#limits.pollEveryMs - (performance.now() - polledAt))
    }
    this.#running = false
    this.#ring = undefined
    this.#cursor = undefined
    this.#counts.clear()
  }

  /** Once until it works again, or a database that is away would fill the log. */
  #logOnce(error: unknown): void {
    if (!this.#isFailing)
      this.#log?.error(
        { event: 'event_feed_failed', error: String((error as Error).message) },
        'event feed query failed; retrying',
      )
    this.#isFailing = true
  }

  /** One query. Returns whether the next should follow at once. */
  async #poll(): Promise<boolean> {
    const waiting = [...this.#subscribers].filter(([, position]) => position.state === 'waiting')
    const current = this.#cursor
    const mayReadBack = current !== undefined && current.to === undefined && waiting.length > 0
    // Alternating, so that resuming subscribers never delay new events for the others.
    this.#hasReadBack = mayReadBack && !this.#hasReadBack
    if (mayReadBack && this.#hasReadBack) return this.#readBack(current, waiting)
    const { cursor, events, counts, full } = await this.#store.feed.page(
      current?.text,
      this.#counts.toCount(new Set([...this.#subscribers.keys()].map(({ tenant }) => tenant))),
    )
    const now = parseCursor(cursor) as Cursor
    if (events.some(isRestart)) {
      this.#ring = undefined
      for (const position of this.#subscribers.values()) restartAt(position, 0)
    }
    this.#ring ??= new Ring(now, this.#limits)
    if (events.length > 0) this.#ring.trim()
    for (const [n, event] of events.entries()) {
      const last = n === events.length - 1
      this.#ring.add(liveEventOf(event, last ? cursor : cursorAt(current, now, event)))
      if (event.tenant !== null) this.#counts.markStale(event.tenant)
      this.#invalidateKeys(event)
    }
    this.#cursor = now
    this.#counts.update(counts)
    const hasNews = events.length > 0 || counts.length > 0
    for (const [subscriber, position] of this.#subscribers) {
      if (position.state === 'waiting') this.#settle(subscriber, position)
      else if (!hasNews) continue
      subscriber.wake()
    }
    return full
  }

  #invalidateKeys(event: FeedEntry): void {
    if (!event.type.startsWith('key_')) return
    for (const subscriber of this.#subscribers.keys()) {
      if (subscriber.keyCheck === undefined || !concernsKey(event, subscriber.keyCheck.keyId)) continue
      subscriber.keyCheck.invalidate()
      subscriber.wake()
    }
  }

  /** Reads the events that subscribers before the ring's floor have missed. */
  async #readBack(
    current: Cursor,
    waiting: readonly (readonly [Subscriber, SubscriberPosition])[],
  ): Promise<boolean> {
    const ring = this.#ring as Ring
    const cursors = waiting.flatMap(([{ since }]) => (since === undefined ? [] : [since]))
    const from = meetOf([...cursors, ring.floor])
    const [to = ''] = partsOf(current)
    const known = ring.keys()
    const older: LiveEvent[] = []
    let cursor = withServer(current, from, to)
    for (let full = true; full && older.length <= this.#limits.entriesMax; ) {
      const page = await this.#store.feed.page(cursor)
      // The next poll gets the same event and restarts all subscribers.
      if (page.events.some(isRestart)) return false
      for (const event of page.events)
        if (!known.has(`${event.xid} ${event.id}`))
          older.push(liveEventOf(event, withServer(current, from, to, event.xid, event.id)))
      full = page.full
      cursor = page.cursor
    }
    if (!ring.prepend(older, parseCursor(withServer(current, from)) as Cursor)) leaveBehind(waiting)
    for (const [subscriber, position] of waiting) {
      if (position.state === 'waiting') this.#settle(subscriber, position)
      subscriber.wake()
    }
    return false
  }

  #settle({ since }: Subscriber, position: SubscriberPosition): void {
    const ring = this.#ring
    if (ring === undefined) return
    if (since === undefined) position.next = ring.end
    else if (isForeign(since, ring.floor))
      restartAt(position, ring.end, restartOf(since, this.#cursor ?? ring.floor))
    else if (ring.covers(since)) position.next = ring.start
    else return
    position.state = 'live'
  }

  #disconnectLost(): void {
    const now = performance.now()
    for (const [subscriber, position] of this.#subscribers) {
      const isLost = position.state === 'live' && position.next < (this.#ring?.start ?? 0)
      if (!isLost) position.lostAt = now
      else if (now - position.lostAt > this.#limits.lostMs) subscriber.disconnect()
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

/** The subscriber furthest back reads pages by itself, so that the ring can serve the others. */
function leaveBehind(waiting: readonly (readonly [Subscriber, SubscriberPosition])[]): void {
  const [, position] = waiting.reduce((a, b) =>
    (a[0].since?.from.xmax ?? 0) <= (b[0].since?.from.xmax ?? 0) ? a : b,
  )
  position.state = 'behind'
}

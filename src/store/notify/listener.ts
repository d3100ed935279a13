/**
 * Listens for notifications of new work, on one connection for the whole process, and wakes the claimers concerned. It tests by itself
 * whether notifications arrive: after LISTEN it notifies itself from another connection, and again now and then. Through a pooler in
 * transaction mode LISTEN fails or nothing arrives; then `active` is false, and claimers poll at their usual interval. The same test
 * finds a connection that is dead without an error.
 *
 * After every interruption it wakes all claimers, because notifications sent meanwhile are lost.
 */
import { randomUUID } from 'node:crypto'
import type { Database, NotificationSubscription } from '../../database/database.js'
import type { Wakeups } from '../../domain/port.js'
import { Backoff } from '../../domain/retry.js'
import type { Queues } from '../queues.js'

const ECHO_EVERY_MS = 15_000
const ECHO_WITHIN_MS = 3_000
/** Jitter: after a server restart a fleet must not reconnect in step. */
const RECONNECTS = { firstMs: 100, maxMs: 15_000, jitter: 0.5 }
/** A pooler stays, so test rarely; but the server may only have been slow, so test again. */
const DEAF_MS = 60_000
const ECHO = 'echo '
/** A notification sent before other transactions of its batch have committed (wake_at_commit) wakes claimers a second time, this much later. */
const AGAIN_MS = [30, 150]

interface WaitingClaimer {
  readonly wake: () => void
  /** Undefined until the ids are known; until then every notification wakes it. */
  queueIds: ReadonlySet<number> | undefined
}

export class NotificationListener {
  readonly #database: Database
  readonly #queues: Queues
  readonly #channel: string
  readonly #claimers = new Set<WaitingClaimer>()
  #listening: NotificationSubscription | undefined
  #active = false
  #stopped = false
  readonly #backoff = new Backoff(RECONNECTS)
  #awaited: { echo: string; timer: NodeJS.Timeout } | undefined
  #next: NodeJS.Timeout | undefined
  #opening = false
  readonly #again = new Map<string, NodeJS.Timeout>()

  constructor(database: Database, queues: Queues, schema: string) {
    this.#database = database
    this.#queues = queues
    this.#channel = `${schema}_wake`
  }

  /** For claimers of one tenant. The connection opens with the first of them. */
  for(tenant = 'default'): Wakeups {
    const isActive = () => this.#active
    return {
      on: (queues, wake) => this.#on(queues, tenant, wake),
      get active() {
        return isActive()
      },
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#active = false
    clearTimeout(this.#next)
    clearTimeout(this.#awaited?.timer)
    for (const timer of this.#again.values()) clearTimeout(timer)
    this.#again.clear()
    const listening = this.#listening
    this.#listening = undefined
    await listening?.end()
  }

  #on(queues: readonly string[], tenant: string, wake: () => void): () => void {
    const claimer: WaitingClaimer = { wake, queueIds: undefined }
    this.#claimers.add(claimer)
    this.#queues.ids(queues, tenant).then(
      (ids) => {
        claimer.queueIds = new Set(ids)
      },
      // Then every queue wakes it, which is harmless.
      () => {},
    )
    if (this.#listening === undefined && !this.#opening && this.#next === undefined) this.#open()
    return () => this.#claimers.delete(claimer)
  }

  #open(): void {
    this.#opening = true
    void this.#listen().finally(() => {
      this.#opening = false
    })
  }

  async #listen(): Promise<void> {
    if (this.#database.listen === undefined || this.#stopped) return
    try {
      const listening = await this.#database.listen(this.#channel, {
        received: (payload) => this.#received(payload),
        ended: () => this.#lost(),
      })
      if (listening === undefined) return this.#lost(DEAF_MS)
      if (this.#stopped) return await listening.end()
      this.#listening = listening
      this.#call()
    } catch {
      this.#lost()
    }
  }

  /** Notifies itself: the notification arrives in time, or the connection is dead. */
  #call(): void {
    if (this.#stopped) return
    const echo = `${ECHO}${randomUUID()}`
    const timer = setTimeout(() => this.#hangUp(), ECHO_WITHIN_MS)
    timer.unref()
    clearTimeout(this.#awaited?.timer)
    this.#awaited = { echo, timer }
    this.#database.query('select pg_notify($1, $2)', [this.#channel, echo]).catch(() => {})
  }

  #received(payload: string): void {
    if (payload.startsWith(ECHO)) {
      if (payload === this.#awaited?.echo) this.#answered()
      return
    }
    const isForOthers = payload.endsWith('+')
    const queueIds = isForOthers ? payload.slice(0, -1) : payload
    this.#wake(queueIds)
    if (isForOthers) for (const ms of AGAIN_MS) this.#wakeAgain(queueIds, ms)
  }

  #wake(queueIds: string): void {
    const ids = queueIds === '' ? undefined : queueIds.split(',').map(Number)
    for (const { wake, queueIds } of this.#claimers) {
      if (ids === undefined || queueIds === undefined || ids.some((id) => queueIds.has(id))) wake()
    }
  }

  /** Counted from the last of them: while more arrive, each wakes claimers by itself. */
  #wakeAgain(queueIds: string, ms: number): void {
    const key = `${queueIds} ${ms}`
    clearTimeout(this.#again.get(key))
    const timer = setTimeout(() => {
      this.#again.delete(key)
      this.#wake(queueIds)
    }, ms)
    timer.unref()
    this.#again.set(key, timer)
  }

  #answered(): void {
    clearTimeout(this.#awaited?.timer)
    this.#awaited = undefined
    this.#backoff.reset()
    this.#later(() => this.#call(), ECHO_EVERY_MS)
    if (this.#active) return
    this.#active = true
    for (const { wake } of this.#claimers) wake()
  }

  #hangUp(): void {
    const listening = this.#listening
    this.#lost(DEAF_MS)
    listening?.end().catch(() => {})
  }

  #lost(waitMinMs = 0): void {
    if (this.#stopped) return
    this.#active = false
    this.#listening = undefined
    clearTimeout(this.#awaited?.timer)
    this.#awaited = undefined
    this.#later(() => this.#open(), waitMinMs + this.#backoff.nextMs())
  }

  #later(then: () => void, ms: number): void {
    clearTimeout(this.#next)
    this.#next = setTimeout(() => {
      this.#next = undefined
      then()
    }, ms)
    this.#next.unref()
  }
}

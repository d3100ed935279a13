/**
 * Hears that there is work, on one connection for the whole process. It finds out for itself whether it can: after listening it
 * calls itself from another connection, and again now and then. Through a pooler that hands connections from one transaction to the
 * next it does not listen, or nothing comes back; then it says it is not active, and claimers ask by themselves as often as ever. The
 * same call finds a connection that is dead without having said so.
 *
 * After every interruption all are woken, because what was said meanwhile is lost.
 */
import { randomUUID } from 'node:crypto'
import type { Wakeups } from '../domain/port.js'
import type { Database, Listening } from './database.js'
import type { Queues } from './queues.js'

const ECHO_EVERY_MS = 15_000
const ECHO_WITHIN_MS = 3_000
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 15_000
/** A pooler will not have gone by then, but the server may only have been slow. */
const DEAF_MS = 60_000
const ECHO = 'echo '
/** After a wake-up that speaks for others that may not have committed yet (wake_at_commit), claimers ask again so much later. */
const AGAIN_MS = [30, 150]

interface Claimer {
  readonly wake: () => void
  /** Undefined until they are known; meanwhile every word is taken to be meant for it. */
  queueIds: ReadonlySet<number> | undefined
}

export class Listener {
  readonly #database: Database
  readonly #queues: Queues
  readonly #channel: string
  readonly #claimers = new Set<Claimer>()
  #listening: Listening | undefined
  #active = false
  #stopped = false
  #failures = 0
  #awaited: { word: string; timer: NodeJS.Timeout } | undefined
  #next: NodeJS.Timeout | undefined
  #opening = false
  readonly #again = new Map<string, NodeJS.Timeout>()

  constructor(database: Database, queues: Queues, schema: string) {
    this.#database = database
    this.#queues = queues
    this.#channel = `${schema}_wake`
  }

  /** For claimers of one tenant. Nothing is opened before the first of them comes. */
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
    const claimer: Claimer = { wake, queueIds: undefined }
    this.#claimers.add(claimer)
    this.#queues.ids(queues, tenant).then(
      (ids) => {
        claimer.queueIds = new Set(ids)
      },
      // Then it is woken for every queue, which is harmless.
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
        heard: (payload) => this.#heard(payload),
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

  /** Calls itself; the answer is heard, or the line is dead. */
  #call(): void {
    if (this.#stopped) return
    const word = `${ECHO}${randomUUID()}`
    const timer = setTimeout(() => this.#hangUp(), ECHO_WITHIN_MS)
    timer.unref()
    clearTimeout(this.#awaited?.timer)
    this.#awaited = { word, timer }
    this.#database.query('select pg_notify($1, $2)', [this.#channel, word]).catch(() => {})
  }

  #heard(payload: string): void {
    if (payload.startsWith(ECHO)) {
      if (payload === this.#awaited?.word) this.#answered()
      return
    }
    const isForOthers = payload.endsWith('+')
    const named = isForOthers ? payload.slice(0, -1) : payload
    this.#wake(named)
    if (isForOthers) for (const ms of AGAIN_MS) this.#wakeAgain(named, ms)
  }

  #wake(named: string): void {
    const ids = named === '' ? undefined : named.split(',').map(Number)
    for (const { wake, queueIds } of this.#claimers) {
      if (ids === undefined || queueIds === undefined || ids.some((id) => queueIds.has(id))) wake()
    }
  }

  /** Counted from the last of them: while more come, each wakes by itself. */
  #wakeAgain(named: string, ms: number): void {
    const key = `${named} ${ms}`
    clearTimeout(this.#again.get(key))
    const timer = setTimeout(() => {
      this.#again.delete(key)
      this.#wake(named)
    }, ms)
    timer.unref()
    this.#again.set(key, timer)
  }

  #answered(): void {
    clearTimeout(this.#awaited?.timer)
    this.#awaited = undefined
    this.#failures = 0
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

  #lost(least = 0): void {
    if (this.#stopped) return
    this.#active = false
    this.#listening = undefined
    clearTimeout(this.#awaited?.timer)
    this.#awaited = undefined
    const most = Math.max(least, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures))
    this.#failures += 1
    // Jitter: after a restart of the server, a fleet must not come back in step.
    this.#later(() => this.#open(), most * (0.5 + Math.random() / 2))
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

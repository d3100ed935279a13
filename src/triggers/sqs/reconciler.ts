/**
 * Compares the dead letters with the jobs now and then, beside a relay. Of any number of relays one is at it: the database gives the turns, and
 * one that dies over it holds up the others for a while. What is done is bounded, and a relay whose role may only work leaves it to others.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { HoldfastError } from '../../domain/errors.js'
import type { TriggerLog } from '../../store/trigger.js'
import { type DeadLetterParts, PASS_MS, reconcile } from './dead-letters.js'

export interface ReconcilerParts extends DeadLetterParts {
  readonly everyMs: number
  readonly log: TriggerLog | undefined
}

/** Twice as long as looking through the queue may take; the rest is for telling of those that were missed. */
export const TURN_MS = 2 * PASS_MS
const MESSAGES = 1_000
/** Of 500 failed jobs each. */
const PAGES = 10
/** Long enough for every relay to have told of a job that failed. */
export const FAILED_FOR_MS = 600_000
/** A database that is away is asked again after this. */
const AFTER_FAILURE_MS = 30_000

export class Reconciler {
  readonly #parts: ReconcilerParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: ReconcilerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** A comparison under way ends early: what it has looked at is made visible again first. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const waitMs = await this.#turn()
      if (waitMs === undefined) return
      await wait(waitMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Answers when to ask again; undefined: never. */
  async #turn(): Promise<number | undefined> {
    const { store, of, everyMs, log } = this.#parts
    try {
      const waitMs = await store.triggers.takeTurn(of, TURN_MS)
      if (waitMs > 0) return waitMs
      const stopping = this.#stopping.signal
      try {
        const how = { limit: MESSAGES, pages: PAGES, failedForMs: FAILED_FOR_MS, stopping }
        const { retold, announced } = await reconcile(this.#parts, how)
        if (retold + announced > 0)
          log?.info({ retold, announced }, 'dead letters did not agree with the jobs; they do now')
      } finally {
        await store.triggers.setTurn(of, stopping.aborted ? 0 : everyMs)
      }
      return everyMs
    } catch (error) {
      const { code, message } = error as Partial<HoldfastError>
      if (code === 'forbidden') return undefined
      log?.warn(
        { error: message },
        'dead letters could not be compared with the jobs; it is tried again later',
      )
      return Math.min(everyMs, AFTER_FAILURE_MS)
    }
  }
}

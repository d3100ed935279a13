/**
 * Compares the dead letters with the jobs periodically, beside a relay. One relay does it at a time: the database assigns the turns, and a
 * relay that dies during its turn delays the others for a while. Each turn does a bounded amount of work. A relay whose role may only work
 * on jobs leaves it to others.
 */

import { setTimeout as wait } from 'node:timers/promises'
import type { HoldfastError } from '../../domain/errors/errors.js'
import type { Log } from '../../domain/log.js'
import { type DeadLetterParts, PASS_MS, reconcile } from './dead-letters.js'

export interface ReconcilerParts extends DeadLetterParts {
  readonly everyMs: number
  readonly log: Log | undefined
}

/** Twice as long as reading the queue may take, to leave time for announcing missing jobs. */
export const TURN_MS = 2 * PASS_MS
const MESSAGES = 1_000
/** Pages of 500 failed jobs each. */
const PAGES = 10
/** Long enough for every relay to have announced a job that failed. */
export const FAILED_FOR_MS = 600_000
/** The delay before the next try when the database is not available. */
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

  /** Stops a comparison early, after making the messages that it has read visible again. */
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

  /** Returns the delay before the next try; undefined: never. */
  async #turn(): Promise<number | undefined> {
    const { store, of, everyMs, log } = this.#parts
    try {
      const waitMs = await store.triggers.claimReconcileTurn(of, TURN_MS)
      if (waitMs > 0) return waitMs
      const stopping = this.#stopping.signal
      try {
        const how = { limit: MESSAGES, pages: PAGES, failedForMs: FAILED_FOR_MS, stopping }
        const { redriven, deadLettersAdded } = await reconcile(this.#parts, how)
        if (redriven + deadLettersAdded > 0)
          log?.info(
            { event: 'dead_letters_reconciled', redriven, deadLettersAdded },
            'dead-letter queue reconciled with the jobs',
          )
      } finally {
        await store.triggers.setReconcileTurn(of, stopping.aborted ? 0 : everyMs)
      }
      return everyMs
    } catch (error) {
      const { code, message } = error as Partial<HoldfastError>
      if (code === 'forbidden') return undefined
      log?.warn(
        { event: 'dead_letters_reconcile_failed', error: message },
        'could not reconcile the dead-letter queue; will retry',
      )
      return Math.min(everyMs, AFTER_FAILURE_MS)
    }
  }
}

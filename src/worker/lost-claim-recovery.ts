/** Periodic upkeep of a worker: releases jobs of claims whose response was lost, and unparks jobs of kinds that it handles. */
import type { Log } from '../domain/log.js'
import type { JobAttempt, LeasePort, PresencePort } from '../domain/port.js'

/** Runs without a failed claim too: a claim that timed out may take effect much later. */
const RELEASE_EVERY_MS = 60_000
/** A claim that timed out may still wait for a lock in the database, and take effect after the first check. */
const CHECKS_AFTER_LOSS = 3
/** A worker without a handler for a kind may park jobs of it at any time. */
const UNPARK_EVERY_MS = 30_000
const UNPARK_CALLS = 100

export interface LostClaimRecoveryParts {
  readonly port: Pick<LeasePort, 'releaseUnlisted'> & Pick<PresencePort, 'unpark'>
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly tenant: string
  readonly lostClaimMs: number
  readonly log: Log | undefined
  /** Every lease that covers jobs of this worker. */
  leases(): readonly number[]
  /** Every attempt this worker knows it holds. */
  held(): JobAttempt[]
  unparked(): void
}

export class LostClaimRecovery {
  readonly #parts: LostClaimRecoveryParts
  #releaseAt = performance.now() + RELEASE_EVERY_MS
  #checkOftenUntil = 0
  #unparkAt = performance.now() + UNPARK_EVERY_MS
  #busy = false

  constructor(parts: LostClaimRecoveryParts) {
    this.#parts = parts
  }

  /** Call it when the response of a claim was lost. Its jobs are released once no claim still in flight could have claimed them. */
  claimLost(): void {
    const { lostClaimMs } = this.#parts
    const now = performance.now()
    this.#releaseAt = Math.min(this.#releaseAt, now + lostClaimMs)
    this.#checkOftenUntil = now + CHECKS_AFTER_LOSS * lostClaimMs
  }

  async unparkAll(): Promise<void> {
    const { port, queues, kinds, tenant } = this.#parts
    for (let call = 0; call < UNPARK_CALLS; call++) {
      if ((await port.unpark(queues, kinds, tenant)) === 0) return
    }
  }

  /** Called often; runs what is due, one thing at a time. */
  runIfDue(): void {
    const now = performance.now()
    if (this.#busy) return
    if (now >= this.#releaseAt) {
      this.#releaseAt = now + (now < this.#checkOftenUntil ? this.#parts.lostClaimMs : RELEASE_EVERY_MS)
      this.#do(() => this.#releaseLost())
    } else if (now >= this.#unparkAt) {
      this.#unparkAt = now + UNPARK_EVERY_MS
      this.#do(() => this.#unpark())
    }
  }

  #do(work: () => Promise<void>): void {
    this.#busy = true
    work()
      .catch((error) =>
        this.#parts.log?.warn(
          { event: 'lost_claim_recovery_failed', error: (error as Error).message },
          'lost-claim recovery failed',
        ),
      )
      .finally(() => {
        this.#busy = false
      })
  }

  async #releaseLost(): Promise<void> {
    const { port, lostClaimMs, log } = this.#parts
    let released = 0
    for (const lease of this.#parts.leases())
      released += await port.releaseUnlisted(lease, this.#parts.held(), lostClaimMs)
    if (released > 0)
      log?.warn(
        { event: 'lost_claim_released', released },
        'released jobs of a claim whose response was lost',
      )
  }

  async #unpark(): Promise<void> {
    const { port, queues, kinds, tenant } = this.#parts
    if ((await port.unpark(queues, kinds, tenant)) > 0) this.#parts.unparked()
  }
}

/** What a worker does now and then: gives back what it holds without knowing, and fetches parked jobs of the kinds it knows. */
import type { JobAttempt, WorkPort } from '../domain/port.js'
import type { WorkerLog } from './worker-options.js'

/** Also without a failed claim: one may have taken effect long after we stopped waiting for it. */
const KEEP_EVERY_MS = 60_000
/** A claim we have stopped waiting for may still wait for a lock in the database, and take effect after the first look. */
const LOOKS_IN_DOUBT = 3
/** Another worker, which does not know a kind, may park jobs of it at any time. */
const UNPARK_EVERY_MS = 30_000
const UNPARK_CALLS = 100

export interface UpkeepingParts {
  readonly port: Pick<WorkPort, 'keep' | 'unpark'>
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly tenant: string
  readonly doubtMs: number
  readonly log: WorkerLog | undefined
  /** Every lease that jobs of this worker may be under. */
  leases(): readonly number[]
  /** Every attempt this worker knows it holds. */
  held(): JobAttempt[]
  unparked(): void
}

export class Upkeeping {
  readonly #parts: UpkeepingParts
  #keepAt = performance.now() + KEEP_EVERY_MS
  #doubtUntil = 0
  #unparkAt = performance.now() + UNPARK_EVERY_MS
  #busy = false

  constructor(parts: UpkeepingParts) {
    this.#parts = parts
  }

  /** A claim's answer was lost. What it took, if anything, is looked for when no claim under way can be meant. */
  doubt(): void {
    const { doubtMs } = this.#parts
    const now = performance.now()
    this.#keepAt = Math.min(this.#keepAt, now + doubtMs)
    this.#doubtUntil = now + LOOKS_IN_DOUBT * doubtMs
  }

  async unparkAll(): Promise<void> {
    const { port, queues, kinds, tenant } = this.#parts
    for (let call = 0; call < UNPARK_CALLS; call++) {
      if ((await port.unpark(queues, kinds, tenant)) === 0) return
    }
  }

  /** Called often; does something rarely, one thing at a time. */
  look(): void {
    const now = performance.now()
    if (this.#busy) return
    if (now >= this.#keepAt) {
      this.#keepAt = now + (now < this.#doubtUntil ? this.#parts.doubtMs : KEEP_EVERY_MS)
      this.#do(() => this.#keep())
    } else if (now >= this.#unparkAt) {
      this.#unparkAt = now + UNPARK_EVERY_MS
      this.#do(() => this.#unpark())
    }
  }

  #do(work: () => Promise<void>): void {
    this.#busy = true
    work()
      .catch((error) =>
        this.#parts.log?.warn({ error: (error as Error).message }, 'upkeep of a worker failed'),
      )
      .finally(() => {
        this.#busy = false
      })
  }

  async #keep(): Promise<void> {
    const { port, doubtMs, log } = this.#parts
    let released = 0
    for (const lease of this.#parts.leases()) released += await port.keep(lease, this.#parts.held(), doubtMs)
    if (released > 0) log?.warn({ released }, 'jobs of a claim whose answer was lost are given back')
  }

  async #unpark(): Promise<void> {
    const { port, queues, kinds, tenant } = this.#parts
    if ((await port.unpark(queues, kinds, tenant)) > 0) this.#parts.unparked()
  }
}

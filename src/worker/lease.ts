/**
 * Opens the worker's lease, one for the process, and another after it was lost or retired because a connection broke. Also estimates the
 * database's clock.
 */
import type { LeasePort } from '../domain/port.js'
import { sharedNow } from './heartbeat/shared-vitals.js'
import { RetryTimer } from './retry-timer.js'

export interface LeaseParts {
  readonly port: Pick<LeasePort, 'openLease'>
  readonly worker: string
  readonly leaseMs: number
  /** A lease was opened. `sentAt` is when the call was sent, before the lease began. `before` is its retired predecessor, if any. */
  opened(lease: number, sentAt: number, before: number | null): void
  failed(error: unknown): void
}

export class LeaseHolder {
  readonly #parts: LeaseParts
  readonly #retry = new RetryTimer(() => this.reopen())
  #stopped = false
  #opening = false
  #stale = false
  #offsetMs = 0
  current: number | null = null
  lost = 0

  constructor(parts: LeaseParts) {
    this.#parts = parts
  }

  async open(): Promise<void> {
    const { port, worker, leaseMs, opened } = this.#parts
    const sentAt = sharedNow()
    const { lease, expiresAt } = await port.openLease(worker, leaseMs)
    this.#offsetMs = expiresAt.getTime() - leaseMs - sentAt
    const before = this.current
    this.current = lease
    this.#stale = false
    opened(lease, sentAt, before)
  }

  /** The lease to claim under; null while there is none, or only a retired one. */
  get claimable(): number | null {
    return this.#stale ? null : this.current
  }

  /** No more claims under this lease; its jobs stay held. False: it was retired before, or is not the current lease. */
  retire(lease: number): boolean {
    if (this.current !== lease || this.#stale) return false
    this.#stale = true
    return true
  }

  /** False: it is not the current lease. */
  lose(lease: number): boolean {
    if (this.current !== lease) return false
    this.current = null
    this.#stale = false
    this.lost += 1
    return true
  }

  /** Opens a new lease, with retries. */
  reopen(): void {
    if (this.#stopped || this.claimable !== null || this.#opening || this.#retry.active) return
    this.#opening = true
    this.open().then(
      () => {
        this.#opening = false
        this.#retry.reset()
      },
      (error) => {
        this.#opening = false
        this.#parts.failed(error)
        if (!this.#stopped) this.#retry.start()
      },
    )
  }

  /** Converts a time of the database to the shared clock; rather early than late. */
  onSharedClock(time: Date): number {
    return time.getTime() - this.#offsetMs
  }

  /** Opens no new lease from now on. */
  stop(): void {
    this.#stopped = true
    this.current = null
    this.#retry.stop()
  }
}

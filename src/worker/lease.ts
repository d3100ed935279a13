/**
 * The worker's lease: one for the process, and a new one when it is lost, or when it serves for claims no more because a connection broke.
 * Also knows, well enough, what time it is in the database.
 */
import type { WorkPort } from '../domain/port.js'
import { Pause } from './pause.js'
import { sharedNow } from './pulse.js'

export interface LeaseParts {
  readonly port: Pick<WorkPort, 'openLease'>
  readonly worker: string
  readonly leaseMs: number
  /** There is a lease; `sentAt` is when it was asked for, which is before it began. `before` is the one it follows, if that still holds jobs. */
  opened(lease: number, sentAt: number, before: number | null): void
  failed(error: unknown): void
}

export class LeaseHolder {
  readonly #parts: LeaseParts
  readonly #pause = new Pause(() => this.reopen())
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

  /** The one to claim under; null while there is none, or only one that serves no more. */
  get claimable(): number | null {
    return this.#stale ? null : this.current
  }

  /** It serves for claims no more, but what it holds stays held. False: this was known, or the lease is not the present one. */
  retire(lease: number): boolean {
    if (this.current !== lease || this.#stale) return false
    this.#stale = true
    return true
  }

  /** False: this lease was not ours any more. */
  lose(lease: number): boolean {
    if (this.current !== lease) return false
    this.current = null
    this.#stale = false
    this.lost += 1
    return true
  }

  /** Tries until there is a new lease. */
  reopen(): void {
    if (this.#stopped || this.claimable !== null || this.#opening || this.#pause.active) return
    this.#opening = true
    this.open().then(
      () => {
        this.#opening = false
        this.#pause.reset()
      },
      (error) => {
        this.#opening = false
        this.#parts.failed(error)
        if (!this.#stopped) this.#pause.begin()
      },
    )
  }

  /** A time of the database on the clock that threads share; early rather than late. */
  here(time: Date): number {
    return time.getTime() - this.#offsetMs
  }

  /** No new lease any more. */
  stop(): void {
    this.#stopped = true
    this.current = null
    this.#pause.end()
  }
}

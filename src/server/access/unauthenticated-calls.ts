/**
 * Audit rows of calls without a valid key. The first calls of each minute have a row each; the others are counted and share one row.
 * Otherwise a caller without a key could fill the database.
 */
import type { AuditedCall, CallLog } from './call-log.js'

const MINUTE_MS = 60_000
/** Distinct addresses are counted up to this number. */
const ADDRESSES_MAX = 1_000

export class UnauthenticatedCallLog {
  readonly #calls: CallLog
  readonly #rowsPerMinute: number
  readonly #now: () => number
  readonly #addresses = new Set<string>()
  #minuteStart = Number.NEGATIVE_INFINITY
  #rows = 0
  #more = 0
  #last: AuditedCall | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(calls: CallLog, rowsPerMinute: number, now: () => number = () => performance.now()) {
    this.#calls = calls
    this.#rowsPerMinute = rowsPerMinute
    this.#now = now
  }

  /** Resolves when the row is written, or at once if the call is only counted. */
  add(call: AuditedCall): Promise<void> {
    if (this.#now() - this.#minuteStart >= MINUTE_MS) this.#beginMinute()
    if (this.#rows < this.#rowsPerMinute) {
      this.#rows += 1
      return this.#calls.add(call)
    }
    this.#more += 1
    this.#last = call
    if (this.#addresses.size < ADDRESSES_MAX) this.#addresses.add(call.address ?? '')
    this.#timer ??= setTimeout(() => this.writeSummary(), MINUTE_MS).unref()
    return Promise.resolve()
  }

  /** Writes the row for the calls that have none of their own. */
  writeSummary(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#last === undefined) return
    const from = `${this.#addresses.size}${this.#addresses.size === ADDRESSES_MAX ? ' or more' : ''}`
    void this.#calls.add({
      ...this.#last,
      reason: `one row for ${this.#more} unauthenticated calls from ${from} addresses; this row shows the last of them`,
    })
    this.#last = undefined
    this.#more = 0
    this.#addresses.clear()
  }

  #beginMinute(): void {
    this.writeSummary()
    this.#minuteStart = this.#now()
    this.#rows = 0
  }
}

/**
 * Calls that were refused before it was known whose they are. The first of each minute have a row each in the audit log; the others are
 * counted, and one row says how many they were. Otherwise whoever has no key could fill the database by knocking.
 */
import type { Call, CallLog } from './call-log.js'

const MINUTE_MS = 60_000
/** Told apart, so many at most. */
const ADDRESSES_MAX = 1_000

export class Strangers {
  readonly #calls: CallLog
  readonly #rowsPerMinute: number
  readonly #now: () => number
  readonly #addresses = new Set<string>()
  #began = Number.NEGATIVE_INFINITY
  #rows = 0
  #more = 0
  #last: Call | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(calls: CallLog, rowsPerMinute: number, now: () => number = () => performance.now()) {
    this.#calls = calls
    this.#rowsPerMinute = rowsPerMinute
    this.#now = now
  }

  /** Resolves when the row is kept, at once where there is none. */
  add(call: Call): Promise<void> {
    if (this.#now() - this.#began >= MINUTE_MS) this.#beginMinute()
    if (this.#rows < this.#rowsPerMinute) {
      this.#rows += 1
      return this.#calls.add(call)
    }
    this.#more += 1
    this.#last = call
    if (this.#addresses.size < ADDRESSES_MAX) this.#addresses.add(call.address ?? '')
    this.#timer ??= setTimeout(() => this.tell(), MINUTE_MS).unref()
    return Promise.resolve()
  }

  /** Writes down how many there were beyond those that have a row. */
  tell(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#last === undefined) return
    const from = `${this.#addresses.size}${this.#addresses.size === ADDRESSES_MAX ? ' or more' : ''}`
    void this.#calls.add({
      ...this.#last,
      reason: `one row for ${this.#more} calls of unknown callers, from ${from} addresses; the last of them is shown`,
    })
    this.#last = undefined
    this.#more = 0
    this.#addresses.clear()
  }

  #beginMinute(): void {
    this.tell()
    this.#began = this.#now()
    this.#rows = 0
  }
}

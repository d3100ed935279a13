/**
 * What the main thread and the heartbeat know of each other without a message, because a main thread that spins sends none: when
 * it last turned, what it runs, and when a lease was last renewed. Numbers in shared memory, each written by one side only; a reader
 * that catches a row half written sends a fence that matches nothing.
 */
const TICK = 0
const RENEWED = 1
const BUSY = 2
const SLOTS = 3
const DRAINING = 4
const HEADER = 8
const ROW = 4

/**
 * A clock that all threads of the process share and nobody can set. It is read, not reckoned from `performance.now()`, which begins
 * anew in each thread: a thread that is held up between two readings would keep a wrong difference for good, and fence itself late by it.
 */
export function sharedNow(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

export interface Underway {
  readonly place: number
  readonly jobId: number
  readonly attempt: number
  readonly lease: number
  readonly startedAt: number
}

/** How often the main thread says that it turns. */
export const TICK_MS = 200

export class Pulse {
  readonly buffer: SharedArrayBuffer
  readonly #cells: Float64Array
  readonly #free: number[] = []

  constructor(from: number | SharedArrayBuffer) {
    this.buffer =
      typeof from === 'number'
        ? new SharedArrayBuffer((HEADER + from * ROW) * Float64Array.BYTES_PER_ELEMENT)
        : from
    this.#cells = new Float64Array(this.buffer)
    if (typeof from === 'number') for (let place = from - 1; place >= 0; place--) this.#free.push(place)
  }

  tick(): void {
    this.#cells[TICK] = sharedNow()
  }

  /** How late the main thread is. */
  get lagMs(): number {
    const ticked = this.#cells[TICK] ?? 0
    return ticked === 0 ? 0 : Math.max(0, Math.round(sharedNow() - ticked - TICK_MS))
  }

  /** When the last successful renewal was sent. */
  get renewedAt(): number {
    return this.#cells[RENEWED] ?? 0
  }

  set renewedAt(at: number) {
    this.#cells[RENEWED] = at
  }

  get busy(): number {
    return this.#cells[BUSY] ?? 0
  }

  set busy(count: number) {
    this.#cells[BUSY] = count
  }

  get slots(): number {
    return this.#cells[SLOTS] ?? 0
  }

  set slots(count: number) {
    this.#cells[SLOTS] = count
  }

  get draining(): boolean {
    return this.#cells[DRAINING] === 1
  }

  set draining(is: boolean) {
    this.#cells[DRAINING] = is ? 1 : 0
  }

  /** A job begins; -1 when there is no room to say so, which only means that it shows as assigned until it ends. */
  enter(jobId: number, attempt: number, lease: number): number {
    const place = this.#free.pop()
    if (place === undefined) return -1
    const at = HEADER + place * ROW
    this.#cells[at + 1] = attempt
    this.#cells[at + 2] = lease
    this.#cells[at + 3] = sharedNow()
    this.#cells[at] = jobId
    return place
  }

  leave(place: number): void {
    if (place < 0) return
    this.#cells[HEADER + place * ROW] = 0
    this.#free.push(place)
  }

  underway(): Underway[] {
    const found: Underway[] = []
    for (let place = 0, at = HEADER; at < this.#cells.length; place += 1, at += ROW) {
      const [jobId = 0, attempt = 0, lease = 0, startedAt = 0] = this.#cells.subarray(at, at + ROW)
      if (jobId !== 0) found.push({ place, jobId, attempt, lease, startedAt })
    }
    return found
  }
}

/**
 * Memory shared by the main thread and the heartbeat thread, because a main thread in a busy loop sends no messages: when its loop last
 * turned, which jobs it runs, and when the lease was last renewed. Each number is written by one side only. A reader that catches a row
 * half written sends a fence that matches no job.
 */
const TICK = 0
const RENEWED = 1
const BUSY = 2
const SLOTS = 3
const DRAINING = 4
const HEADER = 8
const ROW = 4

/**
 * A monotonic clock that all threads of the process share. `performance.now()` will not do: it starts at zero in each thread, and a thread
 * suspended while it measures the difference would keep a wrong one for good, and give up its leases too late.
 */
export function sharedNow(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

export interface RunningJob {
  /** Its row in the shared memory. */
  readonly row: number
  readonly jobId: number
  readonly attempt: number
  readonly lease: number
  readonly startedAt: number
}

/** How often the main thread records a tick. */
export const TICK_MS = 200

export class SharedVitals {
  readonly buffer: SharedArrayBuffer
  readonly #cells: Float64Array
  readonly #free: number[] = []

  constructor(from: number | SharedArrayBuffer) {
    this.buffer =
      typeof from === 'number'
        ? new SharedArrayBuffer((HEADER + from * ROW) * Float64Array.BYTES_PER_ELEMENT)
        : from
    this.#cells = new Float64Array(this.buffer)
    if (typeof from === 'number') for (let row = from - 1; row >= 0; row--) this.#free.push(row)
  }

  recordTick(): void {
    this.#cells[TICK] = sharedNow()
  }

  /** How late the main thread's tick is. */
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

  /** Returns the job's row; -1 when all rows are taken. Then the job is shown as assigned until it ends. */
  addJob(jobId: number, attempt: number, lease: number): number {
    const row = this.#free.pop()
    if (row === undefined) return -1
    const at = HEADER + row * ROW
    this.#cells[at + 1] = attempt
    this.#cells[at + 2] = lease
    this.#cells[at + 3] = sharedNow()
    this.#cells[at] = jobId
    return row
  }

  removeJob(row: number): void {
    if (row < 0) return
    this.#cells[HEADER + row * ROW] = 0
    this.#free.push(row)
  }

  runningJobs(): RunningJob[] {
    const found: RunningJob[] = []
    for (let row = 0, at = HEADER; at < this.#cells.length; row += 1, at += ROW) {
      const [jobId = 0, attempt = 0, lease = 0, startedAt = 0] = this.#cells.subarray(at, at + ROW)
      if (jobId !== 0) found.push({ row, jobId, attempt, lease, startedAt })
    }
    return found
  }
}

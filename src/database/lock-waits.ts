/**
 * Calls that ran into the lock of an open transaction, and retry in turns: a few at a time and each for a moment, so that they leave
 * connections to other calls. A turn that ends without the lock was rolled back, so a call that gives up at its deadline has had no
 * effect.
 */
import { holdfastError } from '../domain/errors/errors.js'
import { DEADLINES } from './database.js'
import { isHeld } from './database-errors.js'

/** How long a call waits for locks before it retries in turns. */
export const FIRST_WAIT_MS = 50
const AT_ONCE = 2
const LONGEST_TURN_MS = 1_000
const SHORTEST_TURN_MS = 20

/** The answer of a turn whose lock is still held. */
export const HELD = Symbol('held')

/** How long one attempt may wait for locks, and may take in all. */
export interface Patience {
  readonly waitMs: number
  readonly deadlineMs: number
}

export class LockWaits {
  #atIt = 0
  readonly #line: (() => void)[] = []

  /** Calls `attempt`, and again in turns while it runs into a lock, until the deadline of the call. */
  async call<T>(attempt: (patience: Patience) => Promise<T>): Promise<T> {
    const until = deadline()
    const asHeld = (error: unknown) => {
      if (isHeld(error)) return HELD
      throw error
    }
    const first = await attempt({ waitMs: FIRST_WAIT_MS, deadlineMs: DEADLINES.call }).catch(asHeld)
    if (first !== HELD) return first as T
    for (;;) {
      const answer = await this.turn(until, (patience) => attempt(patience).catch(asHeld))
      if (answer !== HELD) return answer as T
    }
  }

  /** One turn of a call that must end by `until`. */
  async turn<T>(until: number, attempt: (patience: Patience) => Promise<T>): Promise<T> {
    if (this.#atIt >= AT_ONCE) await this.#inLine(until)
    this.#atIt += 1
    try {
      const leftMs = until - performance.now()
      if (leftMs <= 0) throw stillHeld()
      const fairMs = (LONGEST_TURN_MS * AT_ONCE) / (AT_ONCE + this.#line.length)
      const waitMs = Math.ceil(Math.min(leftMs, Math.max(SHORTEST_TURN_MS, fairMs)))
      return await attempt({ waitMs, deadlineMs: Math.max(leftMs, waitMs + LONGEST_TURN_MS) })
    } finally {
      this.#atIt -= 1
      this.#line.shift()?.()
    }
  }

  #inLine(until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(come), 1)
        reject(stillHeld())
      }, until - performance.now())
      const come = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#line.push(come)
    })
  }
}

export const deadline = () => performance.now() + DEADLINES.call

export function stillHeld() {
  return holdfastError('deadline_exceeded', {
    call: 'enqueue',
    ms: DEADLINES.call,
    effect: 'none',
    problem: 'another open transaction holds a lock that the job needs; no job was created',
  })
}

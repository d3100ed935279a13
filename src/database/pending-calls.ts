/**
 * Calls that wait for the database, so that `close` can end them: calls without a connection at once, calls that were sent a moment later.
 * Without it `close` would wait for the longest deadline among them.
 */
import { holdfastError } from '../domain/errors/errors.js'

type OnGivenUp = (error: Error) => void

export class PendingCalls {
  readonly #unsent = new Set<OnGivenUp>()
  readonly #sent = new Set<OnGivenUp>()
  #stopped = false

  get isStopped(): boolean {
    return this.#stopped
  }

  /** No new connections: calls that wait for one fail. */
  stop(): void {
    this.#stopped = true
    cut(this.#unsent)
  }

  cutAll(): void {
    cut(this.#sent)
  }

  /**
   * Settles with `work`, unless its time is over or `close` ends it first; ms null: the work has its own deadline. `givenUp` gets the
   * reason. No Promise.race, which costs a call more than its timer.
   */
  within<T>(ms: number | null, kind: 'unsent' | 'sent', work: Promise<T>, givenUp: OnGivenUp): Promise<T> {
    const all = kind === 'sent' ? this.#sent : this.#unsent
    return new Promise((resolve, reject) => {
      const giveUp = (error: Error) => {
        givenUp(error)
        reject(error)
      }
      const late = (after: number) => giveUp(holdfastError('deadline_exceeded', { ms: Math.round(after) }))
      const timer = ms === null ? undefined : setTimeout(() => late(ms), ms)
      all.add(giveUp)
      work.then(resolve, reject).finally(() => {
        clearTimeout(timer)
        all.delete(giveUp)
      })
      if (this.#stopped && kind === 'unsent') giveUp(closed())
    })
  }

  /** A pause between two attempts. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#unsent.delete(giveUp)
        resolve()
      }, ms)
      const giveUp = (error: Error) => {
        clearTimeout(timer)
        reject(error)
      }
      this.#unsent.add(giveUp)
    })
  }
}

function cut(calls: Set<OnGivenUp>): void {
  for (const giveUp of calls) giveUp(closed())
  calls.clear()
}

function closed(): Error {
  return holdfastError('unavailable', { problem: 'the store was closed' })
}

/** Resolves when the promise has settled, or after the time. */
export function settled(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const over = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(over, over)
  })
}

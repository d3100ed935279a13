/**
 * Calls that wait for the database, so that closing it ends them: at once those that have no connection yet, and a moment later those
 * that were sent. Without it a stop would wait for the longest deadline among them.
 */
import { holdfastError } from '../domain/errors.js'

type GiveUp = (error: Error) => void

export class UnderWay {
  readonly #unsent = new Set<GiveUp>()
  readonly #sent = new Set<GiveUp>()
  #stopped = false

  get isStopped(): boolean {
    return this.#stopped
  }

  /** No new connections: what waits for one fails. */
  stop(): void {
    this.#stopped = true
    cut(this.#unsent)
  }

  cutAll(): void {
    cut(this.#sent)
  }

  /**
   * The work, unless its time is over or closing ends it first; null: the work keeps its own time. `givenUp` gets the reason. Without a race
   * of promises, which costs a call more than its timer.
   */
  within<T>(ms: number | null, kind: 'unsent' | 'sent', work: Promise<T>, givenUp: GiveUp): Promise<T> {
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

  /** Between two tries. */
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

function cut(calls: Set<GiveUp>): void {
  for (const giveUp of calls) giveUp(closed())
  calls.clear()
}

function closed(): Error {
  return holdfastError('unavailable', { problem: 'the store was closed' })
}

/** Resolves when it has settled, or the time is over. */
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

/**
 * A database with observers, for metrics: the duration and outcome of each statement, enqueued jobs, refused writes. Without an observer it
 * costs a check of an empty list.
 */
import type { CallOptions, Database, Session } from './database.js'

/** Must not throw. */
export interface StoreObserver {
  /** The statement is the constant of this project, which names the schema `holdfast`; the error is null after a success. */
  queried(statement: string, seconds: number, error: unknown): void
  enqueued(tenant: string, queue: string, count: number): void
  /** Writes of workers that had lost their lease. */
  refused(count: number): void
}

export class StoreObservers {
  readonly #list = new Set<StoreObserver>()

  /** Returns the function that removes it. */
  add(observer: StoreObserver): () => void {
    this.#list.add(observer)
    return () => void this.#list.delete(observer)
  }

  get none(): boolean {
    return this.#list.size === 0
  }

  queried(statement: string, began: number, error: unknown): void {
    const seconds = (performance.now() - began) / 1000
    for (const observer of this.#list) observer.queried(statement, seconds, error)
  }

  enqueued(tenant: string, queues: ReadonlyMap<string, number>): void {
    for (const observer of this.#list)
      for (const [queue, count] of queues) observer.enqueued(tenant, queue, count)
  }

  refused(count: number): void {
    if (count > 0) for (const observer of this.#list) observer.refused(count)
  }

  /** Counts a refusal that came as an error, and throws it again. */
  async watching<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code === 'lease_lost') this.refused(1)
      throw error
    }
  }
}

export function instrumented(database: Database, observers: StoreObservers): Database {
  const watch = (session: Session): Session => ({
    query: <Row>(text: string, values?: readonly unknown[], options?: CallOptions) => {
      const answer = session.query<Row>(text, values, options)
      return observers.none ? answer : timed(answer, text)
    },
    script: (text, options) => session.script(text, options),
  })
  const timed = async <T>(answer: Promise<T>, text: string): Promise<T> => {
    const began = performance.now()
    try {
      const value = await answer
      observers.queried(text, began, null)
      return value
    } catch (error) {
      observers.queried(text, began, error)
      throw error
    }
  }
  return {
    ...database,
    ...watch(database),
    transaction: (work, options) => database.transaction((session) => work(watch(session)), options),
  }
}

/**
 * The audit log's way into the database: rows gather and are written in company, one statement at a time. A command of a person is
 * answered when its row is kept. Jobs made and work done leave their own rows behind, and come by the thousand: their answer does
 * not wait, and a server that dies takes at most the rows of its last moments with it.
 */
import type { RecordedCall } from '../store/audit.js'
import type { Store } from '../store/store.js'

export type Call = Omit<RecordedCall, 'agoMs'>

interface Waiting {
  readonly call: Call
  readonly at: number
  readonly kept: () => void
}

const BATCH_MAX = 500
/** While the database is away rows wait here, so many at most; past that they are lost, and the log says so. */
const WAITING_MAX = 10_000

export class CallLog {
  readonly #store: Store
  readonly #lost: (count: number, error: unknown) => void
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined

  constructor(store: Store, lost: (count: number, error: unknown) => void) {
    this.#store = store
    this.#lost = lost
  }

  /** Resolves when the row is kept, or when it cannot be: a call that happened is not undone for its log. */
  add(call: Call): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#lost(1, new Error('too many calls wait to be kept'))
      return Promise.resolve()
    }
    return new Promise((kept) => {
      this.#waiting.push({ call, at: performance.now(), kept })
      this.#writing ??= this.#write()
    })
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  async #write(): Promise<void> {
    // Those of the same moment go together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX)
      const now = performance.now()
      try {
        await this.#store.audit.record(
          batch.map(({ call, at }) => ({ ...call, agoMs: Math.round(now - at) })),
        )
      } catch (error) {
        this.#lost(batch.length, error)
      }
      for (const { kept } of batch) kept()
    }
    this.#writing = undefined
  }
}

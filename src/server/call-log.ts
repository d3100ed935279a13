/**
 * The audit log's way into the database: rows gather and are written in company, one statement at a time. A command of a person is
 * answered when its row is kept. Jobs made and work done leave their own rows behind, and come by the thousand: their answer does
 * not wait, nor does the database for each of them. A server that dies takes at most the rows of its last moments with it.
 */
import type { RecordedCall } from '../store/audit.js'
import type { Store } from '../store/store.js'

export type Call = Omit<RecordedCall, 'agoMs'>

interface Waiting {
  readonly call: Call
  readonly at: number
  /** Somebody waits for it. */
  readonly kept?: () => void
}

const BATCH_MAX = 500
/**
 * How long a row waits for company that nobody waits for. A statement for every few rows took Postgres as long as the jobs did
 * that they tell of, and a commit of the disk each.
 */
const GATHER_MS = 50
/** While the database is away rows wait here, so many at most; past that they are lost, and the log says so. */
const WAITING_MAX = 10_000

export class CallLog {
  readonly #store: Store
  readonly #lost: (count: number, error: unknown) => void
  #waiting: Waiting[] = []
  /** Rows among them that somebody waits for. */
  #awaited = 0
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, lost: (count: number, error: unknown) => void) {
    this.#store = store
    this.#lost = lost
  }

  /** Resolves when the row is kept, or when it cannot be: a call that happened is not undone for its log. */
  add(call: Call): Promise<void> {
    return new Promise((kept) => {
      if (!this.#push({ call, at: performance.now(), kept })) return kept()
      this.#awaited += 1
      this.#goOn()
    })
  }

  /** Keeps the row soon. */
  note(call: Call): void {
    if (this.#push({ call, at: performance.now() })) this.#goOn()
  }

  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing !== undefined) {
      this.#begin()
      await this.#writing
    }
  }

  #push(row: Waiting): boolean {
    const fits = this.#waiting.length < WAITING_MAX
    if (fits) this.#waiting.push(row)
    else this.#lost(1, new Error('too many calls wait to be kept'))
    return fits
  }

  #goOn(): void {
    if (this.#awaited > 0 || this.#waiting.length >= BATCH_MAX) this.#begin()
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#begin(), GATHER_MS)
  }

  #begin(): void {
    if (this.#writing !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
      this.#goOn()
    })
  }

  async #write(): Promise<void> {
    // Those of the same moment go together.
    await new Promise((resolve) => setImmediate(resolve))
    const batch = this.#waiting.splice(0, BATCH_MAX)
    this.#awaited -= batch.filter(({ kept }) => kept !== undefined).length
    const now = performance.now()
    try {
      await this.#store.audit.record(batch.map(({ call, at }) => ({ ...call, agoMs: Math.round(now - at) })))
    } catch (error) {
      this.#lost(batch.length, error)
    }
    for (const { kept } of batch) kept?.()
  }
}

/**
 * Writes the audit log in batches, one statement at a time. A command of an operator gets its response after its row is written. Calls
 * that enqueue or finish jobs come by the thousand and are recorded with the jobs as well, so their responses do not wait. A server that
 * dies loses at most the rows of its last moments.
 */
import type { RecordedCall } from '../../store/access/audit.js'
import type { Store } from '../../store/store.js'

export type AuditedCall = Omit<RecordedCall, 'agoMs'>

interface UnwrittenRow {
  readonly call: AuditedCall
  readonly at: number
  /** Called when the row is written, if a response waits for it. */
  readonly written?: () => void
}

const BATCH_MAX = 500
/**
 * How long a row waits for others if no response waits for it. With a statement for every few rows, Postgres spent as long on the audit
 * log as on the jobs themselves, and one disk flush each.
 */
const BATCH_WAIT_MS = 50
/** While the database cannot be reached, up to this many rows wait; further ones are lost, and the server logs how many. */
const UNWRITTEN_MAX = 10_000

export class CallLog {
  readonly #store: Store
  readonly #lost: (count: number, error: unknown) => void
  #unwritten: UnwrittenRow[] = []
  /** Rows among them that a response waits for. */
  #awaited = 0
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, lost: (count: number, error: unknown) => void) {
    this.#store = store
    this.#lost = lost
  }

  /** Resolves when the row is written or lost: a call that took effect does not fail because of its audit row. */
  add(call: AuditedCall): Promise<void> {
    return new Promise((written) => {
      if (!this.#push({ call, at: performance.now(), written })) return written()
      this.#awaited += 1
      this.#writeSoon()
    })
  }

  /** Writes the row with one of the next batches. */
  addLater(call: AuditedCall): void {
    if (this.#push({ call, at: performance.now() })) this.#writeSoon()
  }

  async flush(): Promise<void> {
    while (this.#unwritten.length > 0 || this.#writing !== undefined) {
      this.#begin()
      await this.#writing
    }
  }

  #push(row: UnwrittenRow): boolean {
    const fits = this.#unwritten.length < UNWRITTEN_MAX
    if (fits) this.#unwritten.push(row)
    else this.#lost(1, new Error('too many rows wait to be written'))
    return fits
  }

  #writeSoon(): void {
    if (this.#awaited > 0 || this.#unwritten.length >= BATCH_MAX) this.#begin()
    else if (this.#unwritten.length > 0) this.#timer ??= setTimeout(() => this.#begin(), BATCH_WAIT_MS)
  }

  #begin(): void {
    if (this.#writing !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
      this.#writeSoon()
    })
  }

  async #write(): Promise<void> {
    // Calls of the same turn of the event loop share a statement.
    await new Promise((resolve) => setImmediate(resolve))
    const batch = this.#unwritten.splice(0, BATCH_MAX)
    this.#awaited -= batch.filter(({ written }) => written !== undefined).length
    const now = performance.now()
    try {
      await this.#store.audit.record(batch.map(({ call, at }) => ({ ...call, agoMs: Math.round(now - at) })))
    } catch (error) {
      this.#lost(batch.length, error)
    }
    for (const { written } of batch) written?.()
  }
}

/** Collects entries into batches of ten, sends them in the background, and retries entries that SQS refused. */
import { Backoff } from '../../domain/retry.js'
import { BATCH_MAX, type Refusal } from './calls.js'

const LINGER_MS = 20
const TRIES = 4
const RETRIES = { firstMs: 200, maxMs: 800 }

export interface BatchParts<Entry> {
  call(entries: readonly Entry[]): Promise<Refusal[]>
  taken(count: number): void
  /** Called for an entry that is given up: SQS reports it as invalid, or refused it too often. */
  refused(entry: Entry, problem: string): void
}

export class Batches<Entry> {
  readonly #parts: BatchParts<Entry>
  #waiting: Entry[] = []
  #timer: NodeJS.Timeout | undefined
  readonly #flights = new Set<Promise<void>>()

  constructor(parts: BatchParts<Entry>) {
    this.#parts = parts
  }

  add(entry: Entry): void {
    this.#waiting.push(entry)
    if (this.#waiting.length >= BATCH_MAX) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), LINGER_MS)
  }

  /** Resolves when every entry added so far was accepted or given up. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) this.#send()
    await Promise.all(this.#flights)
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const entries = this.#waiting.splice(0, BATCH_MAX)
    if (entries.length === 0) return
    const flight = this.#untilTaken(entries).finally(() => this.#flights.delete(flight))
    this.#flights.add(flight)
  }

  async #untilTaken(entries: readonly Entry[]): Promise<void> {
    let left = entries
    let problem = ''
    const backoff = new Backoff(RETRIES)
    for (let tried = 0; tried < TRIES && left.length > 0; tried++) {
      if (tried > 0) await backoff.wait()
      try {
        const refused = await this.#parts.call(left)
        this.#parts.taken(left.length - refused.length)
        for (const { index, senderFault, problem: why } of refused) {
          problem = why
          if (senderFault) this.#parts.refused(left[index] as Entry, why)
        }
        const again = new Set(refused.filter((each) => !each.senderFault).map(({ index }) => index))
        left = left.filter((_entry, index) => again.has(index))
      } catch (error) {
        problem = (error as Error).message
      }
    }
    for (const entry of left) this.#parts.refused(entry, problem)
  }
}

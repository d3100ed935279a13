/**
 * Lets calls made at the same time travel together. While one batch is under way the next one gathers, so a lone call waits
 * for nobody and a hundred concurrent ones share a commit. When the database refuses a batch for its content, it is halved
 * until the culprit stands alone: nobody fails for another's input. When the batch met a lock of another transaction, it is parted by queue,
 * and the jobs of the queue concerned are answered as held, so that they wait for it elsewhere.
 */
import { isBadInput, isHeld } from './broken.js'
import { HELD } from './lock-waits.js'

const MOST_PER_BATCH = 1_000
const MOST_BYTES = 4 * 1024 * 1024
/** Who has said nothing for so long does not begin a flood, as a rule. */
const SILENCE_MS = 25

interface Waiting<Job, Answer> {
  readonly job: Job
  readonly resolve: (answer: Answer | Error | typeof HELD) => void
}

export class Gathering<Job extends { readonly json: string; readonly queue: string }, Answer> {
  readonly #send: (group: string, jobs: Job[]) => Promise<(Answer | Error | typeof HELD)[]>
  readonly #waiting = new Map<string, Waiting<Job, Answer>[]>()
  readonly #underWay = new Set<string>()
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(send: (group: string, jobs: Job[]) => Promise<(Answer | Error | typeof HELD)[]>) {
    this.#send = send
  }

  /** Resolves with the answer, with the error that is this job's own, or with HELD: another transaction holds what it needs. */
  add(group: string, job: Job): Promise<Answer | Error | typeof HELD> {
    return new Promise((resolve) => {
      const line = this.#waiting.get(group)
      if (line === undefined) this.#waiting.set(group, [{ job, resolve }])
      else line.push({ job, resolve })
      if (!this.#underWay.has(group)) {
        this.#underWay.add(group)
        this.#soon(() => void this.#run(group))
      }
    })
  }

  /**
   * After the current turn of the event loop, so that what comes from many sockets at once comes along. After a silence sooner, once the
   * promises of this moment have settled: calls made in one loop of the caller's code still come along.
   */
  #soon(run: () => void): void {
    const now = performance.now()
    if (now - this.#lastAt < SILENCE_MS) setImmediate(run)
    else process.nextTick(run)
    this.#lastAt = now
  }

  async #run(group: string): Promise<void> {
    for (let batch = this.#next(group); batch.length > 0; batch = this.#next(group))
      await this.#deliver(group, batch)
    this.#underWay.delete(group)
  }

  #next(group: string): Waiting<Job, Answer>[] {
    const line = this.#waiting.get(group) ?? []
    let bytes = 0
    let count = 0
    while (count < line.length && count < MOST_PER_BATCH) {
      bytes += line[count]?.job.json.length ?? 0
      if (bytes > MOST_BYTES && count > 0) break
      count += 1
    }
    const batch = line.splice(0, count)
    if (line.length === 0) this.#waiting.delete(group)
    return batch
  }

  async #deliver(group: string, batch: Waiting<Job, Answer>[]): Promise<void> {
    try {
      const answers = await this.#send(
        group,
        batch.map(({ job }) => job),
      )
      batch.forEach(({ resolve }, index) => {
        resolve(answers[index] ?? new Error('the database gave no answer for this job'))
      })
    } catch (error) {
      const parts = isHeld(error) ? byQueue(batch) : isBadInput(error) ? halves(batch) : [batch]
      if (parts.length > 1) {
        for (const part of parts) await this.#deliver(group, part)
        return
      }
      for (const { resolve } of batch) resolve(isHeld(error) ? HELD : (error as Error))
    }
  }
}

function halves<T>(batch: T[]): T[][] {
  if (batch.length === 1) return [batch]
  const middle = Math.ceil(batch.length / 2)
  return [batch.slice(0, middle), batch.slice(middle)]
}

function byQueue<T extends { readonly job: { readonly queue: string } }>(batch: T[]): T[][] {
  const parts = new Map<string, T[]>()
  for (const one of batch) parts.set(one.job.queue, [...(parts.get(one.job.queue) ?? []), one])
  return [...parts.values()]
}

/**
 * Batches concurrent enqueue calls. While one batch is being sent the next one fills, so a lone call waits for no other and a hundred
 * concurrent calls share a commit. When the database refuses a batch for its content, the batcher halves it until the invalid job is
 * alone: no job fails because of another's input. When a batch runs into another transaction's lock, the batcher splits it by queue and
 * answers HELD for the jobs of the locked queue, so that they wait for the lock elsewhere.
 */
import { isBadInput, isHeld } from '../../database/database-errors.js'
import { HELD } from '../../database/lock-waits.js'

const BATCH_JOBS_MAX = 1_000
const BATCH_BYTES_MAX = 4 * 1024 * 1024
/** After this much quiet a call is probably alone, so it is sent without waiting a full turn of the event loop. */
const QUIET_MS = 25

interface BatchedCall<Job, Answer> {
  readonly job: Job
  readonly resolve: (answer: Answer | Error | typeof HELD) => void
}

export class EnqueueBatcher<Job extends { readonly json: string; readonly queue: string }, Answer> {
  readonly #send: (group: string, jobs: Job[]) => Promise<(Answer | Error | typeof HELD)[]>
  readonly #waiting = new Map<string, BatchedCall<Job, Answer>[]>()
  readonly #underWay = new Set<string>()
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(send: (group: string, jobs: Job[]) => Promise<(Answer | Error | typeof HELD)[]>) {
    this.#send = send
  }

  /** Resolves with the answer, with this job's own error, or with HELD: another transaction holds a lock that the job needs. */
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
   * Runs after the current turn of the event loop, so that calls from many sockets join the batch. After a quiet time it runs sooner, once
   * the pending promises have settled, so that calls from one loop of the caller's code still join.
   */
  #soon(run: () => void): void {
    const now = performance.now()
    if (now - this.#lastAt < QUIET_MS) setImmediate(run)
    else process.nextTick(run)
    this.#lastAt = now
  }

  async #run(group: string): Promise<void> {
    for (let batch = this.#next(group); batch.length > 0; batch = this.#next(group))
      await this.#deliver(group, batch)
    this.#underWay.delete(group)
  }

  #next(group: string): BatchedCall<Job, Answer>[] {
    const line = this.#waiting.get(group) ?? []
    let bytes = 0
    let count = 0
    while (count < line.length && count < BATCH_JOBS_MAX) {
      bytes += line[count]?.job.json.length ?? 0
      if (bytes > BATCH_BYTES_MAX && count > 0) break
      count += 1
    }
    const batch = line.splice(0, count)
    if (line.length === 0) this.#waiting.delete(group)
    return batch
  }

  async #deliver(group: string, batch: BatchedCall<Job, Answer>[]): Promise<void> {
    try {
      const answers = await this.#send(
        group,
        batch.map(({ job }) => job),
      )
      batch.forEach(({ resolve }, index) => {
        resolve(answers[index] ?? new Error('the database returned no answer for this job'))
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
  for (const call of batch) parts.set(call.job.queue, [...(parts.get(call.job.queue) ?? []), call])
  return [...parts.values()]
}

/**
 * The messages that a worker has received and still holds: those whose job waits to be claimed, and those whose job runs. None of them
 * may become visible to other workers meanwhile, so each is hidden for the length of a lease, and again before that ends. When the worker
 * dies, its lease and its messages expire at about the same time.
 */
import { attemptName, type JobAttempt } from '../../domain/port.js'
import { Batches } from './batches.js'
import { HIDDEN_SECONDS_MAX, type Received, type SqsCalls } from './calls.js'
import type { Counts } from './counts.js'

export interface JobMessage {
  readonly jobId: number
  readonly message: Received
  /** When it becomes visible again, unless it is hidden again; by this process's clock. */
  hiddenUntil: number
  /** How long each hiding lasts. */
  hideMs: number
}

/** A message whose job was claimed here. */
interface Held extends JobMessage {
  readonly attempt: number
  readonly since: number
}

export interface InHandParts {
  readonly sqs: SqsCalls
  readonly queueUrl: string
  readonly hideMs: number
  readonly counts: Counts
}

const TICK_MS = 500

export class InHand {
  readonly #parts: InHandParts
  readonly #waiting: JobMessage[] = []
  readonly #held = new Map<number, Held>()
  readonly #removals: Batches<string>
  readonly #hidings: Batches<{ receipt: string; seconds: number }>
  readonly #ticking: NodeJS.Timeout
  /** Taken out of `waiting`, and not yet claimed or released. */
  #underWay = new Set<JobMessage>()

  constructor(parts: InHandParts) {
    this.#parts = parts
    const { sqs, queueUrl, counts } = parts
    this.#removals = new Batches({
      call: (receipts) => sqs.remove(queueUrl, receipts),
      taken: (count) => counts.add('deleted', count),
      refused: () => counts.add('deleteFailures'),
    })
    this.#hidings = new Batches({
      call: (messages) => sqs.hide(queueUrl, messages),
      taken: (count) => counts.add('extended', count),
      refused: () => counts.add('extendFailures'),
    })
    this.#ticking = setInterval(() => this.#tick(), TICK_MS)
    this.#ticking.unref()
  }

  get size(): number {
    return this.#waiting.length + this.#underWay.size + this.#held.size
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** `receivedAt` is the time of the request, which is before SQS hid the message. */
  add(jobId: number, message: Received, receivedAt: number): void {
    const { hideMs } = this.#parts
    this.#waiting.push({ jobId, message, hideMs, hiddenUntil: receivedAt + hideMs })
  }

  take(max: number): JobMessage[] {
    const taken = this.#waiting.splice(0, max)
    for (const job of taken) this.#underWay.add(job)
    return taken
  }

  /** Returns messages that could not be handled to `waiting`. */
  putBack(messages: readonly JobMessage[]): void {
    for (const each of messages) if (this.#underWay.delete(each)) this.#waiting.push(each)
  }

  holds(jobId: number): boolean {
    return this.#held.has(jobId)
  }

  /** Its job was claimed, under a lease of this length; the message is deleted when the attempt has ended. */
  hold(job: JobMessage, attempt: number, leaseMs: number): void {
    this.#underWay.delete(job)
    const before = this.#held.get(job.jobId)
    if (before !== undefined) this.#delete(before)
    const held = { ...job, attempt, hideMs: leaseMs, since: performance.now() }
    this.#held.set(job.jobId, held)
    if (leaseMs > job.hideMs) this.#hide(held)
  }

  /** Deletes it: the message has no further use. */
  remove(job: JobMessage): void {
    this.#underWay.delete(job)
    this.#delete(job)
  }

  /** Forgets it: it becomes visible again when its time is up. */
  leave(job: JobMessage): void {
    this.#underWay.delete(job)
  }

  /** Makes it visible to others at once. */
  giveBack(job: JobMessage): void {
    this.#underWay.delete(job)
    this.#hidings.add({ receipt: job.message.receipt, seconds: 0 })
  }

  giveBackWaiting(): number {
    const given = this.#waiting.splice(0)
    for (const job of given) this.giveBack(job)
    return given.length
  }

  /** Undefined: no message announced this attempt. */
  ended(jobId: number, attempt: number, accepted: boolean): 'deleted' | 'left' | undefined {
    const held = this.#held.get(jobId)
    if (held === undefined || held.attempt !== attempt) return undefined
    this.#held.delete(jobId)
    if (!accepted) return 'left'
    this.#delete(held)
    return 'deleted'
  }

  /** Releases what was claimed longer ago than this and is not one of these attempts; returns how many. */
  keep(known: readonly JobAttempt[], olderThanMs: number): number {
    const before = performance.now() - olderThanMs
    const names = new Set(known.map(attemptName))
    const gone = [...this.#held.values()].filter(
      (held) => held.since < before && !names.has(attemptName(held)),
    )
    for (const { jobId } of gone) this.#held.delete(jobId)
    return gone.length
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking)
    await Promise.all([this.#removals.flush(), this.#hidings.flush()])
  }

  #delete({ message }: JobMessage): void {
    this.#removals.add(message.receipt)
  }

  #tick(): void {
    const now = performance.now()
    for (const job of [...this.#waiting, ...this.#underWay, ...this.#held.values()])
      if (job.hiddenUntil - now < job.hideMs / 2) this.#hide(job)
  }

  #hide(job: JobMessage): void {
    job.hiddenUntil = performance.now() + job.hideMs
    this.#hidings.add({ receipt: job.message.receipt, seconds: secondsOf(job.hideMs) })
  }
}

/** SQS takes whole seconds, up to twelve hours. */
export function secondsOf(ms: number): number {
  return Math.min(Math.max(1, Math.ceil(ms / 1000)), HIDDEN_SECONDS_MAX)
}

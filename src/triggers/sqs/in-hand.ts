/**
 * The messages a worker has received and not yet let go of: those whose job waits to be claimed, and those whose job runs. None of them
 * may become visible to others meanwhile, so each is hidden for as long as a lease lasts and hidden again in good time. When the
 * worker dies, lease and message come back at about the same time.
 */
import { attemptName, type JobAttempt } from '../../domain/port.js'
import { Batches } from './batches.js'
import { HIDDEN_SECONDS_MOST, type Received, type SqsCalls } from './calls.js'
import type { Counts } from './counts.js'

export interface Told {
  readonly jobId: number
  readonly message: Received
  /** When it becomes visible again, unless it is hidden once more; on this process's clock. */
  hiddenUntil: number
  /** For how long it is hidden at a time. */
  hideMs: number
}

/** A message whose job was claimed here. */
interface Held extends Told {
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
  readonly #waiting: Told[] = []
  readonly #held = new Map<number, Held>()
  readonly #removals: Batches<string>
  readonly #hidings: Batches<{ receipt: string; seconds: number }>
  readonly #ticking: NodeJS.Timeout
  /** Out of `waiting`, and not yet claimed or let go of. */
  #underWay = new Set<Told>()

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

  /** `receivedAt` is when it was asked for, which is before it was hidden. */
  add(jobId: number, message: Received, receivedAt: number): void {
    const { hideMs } = this.#parts
    this.#waiting.push({ jobId, message, hideMs, hiddenUntil: receivedAt + hideMs })
  }

  take(most: number): Told[] {
    const taken = this.#waiting.splice(0, most)
    for (const told of taken) this.#underWay.add(told)
    return taken
  }

  /** Not dealt with after all. */
  putBack(told: readonly Told[]): void {
    for (const each of told) if (this.#underWay.delete(each)) this.#waiting.push(each)
  }

  holds(jobId: number): boolean {
    return this.#held.has(jobId)
  }

  /** Its job is ours, under a lease of this length; the message is deleted when the attempt has ended. */
  hold(told: Told, attempt: number, leaseMs: number): void {
    this.#underWay.delete(told)
    const before = this.#held.get(told.jobId)
    if (before !== undefined) this.#delete(before)
    const held = { ...told, attempt, hideMs: leaseMs, since: performance.now() }
    this.#held.set(told.jobId, held)
    if (leaseMs > told.hideMs) this.#hide(held)
  }

  /** Nothing comes of this message any more. */
  remove(told: Told): void {
    this.#underWay.delete(told)
    this.#delete(told)
  }

  /** It becomes visible again by itself. */
  leave(told: Told): void {
    this.#underWay.delete(told)
  }

  /** Visible to others at once. */
  giveBack(told: Told): void {
    this.#underWay.delete(told)
    this.#hidings.add({ receipt: told.message.receipt, seconds: 0 })
  }

  giveBackWaiting(): number {
    const given = this.#waiting.splice(0)
    for (const told of given) this.giveBack(told)
    return given.length
  }

  /** Undefined: no message told of this attempt. */
  ended(jobId: number, attempt: number, accepted: boolean): 'deleted' | 'left' | undefined {
    const held = this.#held.get(jobId)
    if (held === undefined || held.attempt !== attempt) return undefined
    this.#held.delete(jobId)
    if (!accepted) return 'left'
    this.#delete(held)
    return 'deleted'
  }

  /** Lets go of what was claimed longer ago than this and is none of these attempts; answers how many. */
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

  #delete({ message }: Told): void {
    this.#removals.add(message.receipt)
  }

  #tick(): void {
    const now = performance.now()
    for (const told of [...this.#waiting, ...this.#underWay, ...this.#held.values()])
      if (told.hiddenUntil - now < told.hideMs / 2) this.#hide(told)
  }

  #hide(told: Told): void {
    told.hiddenUntil = performance.now() + told.hideMs
    this.#hidings.add({ receipt: told.message.receipt, seconds: secondsOf(told.hideMs) })
  }
}

/** SQS counts whole seconds, up to half a day. */
export function secondsOf(ms: number): number {
  return Math.min(Math.max(1, Math.ceil(ms / 1000)), HIDDEN_SECONDS_MOST)
}

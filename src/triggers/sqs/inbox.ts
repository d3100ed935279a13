/**
 * SQS → claims. Receives messages while there are free slots, claims each job by its id, and deletes the message once the end of the attempt
 * is committed. If a job cannot be claimed, its state is read from the database and the message is deleted: whatever makes the job claimable
 * again writes another message. Two kinds of messages stay in SQS: those that are not ours, and those of queues that other workers serve.
 * Queues without this trigger are claimed as usual.
 */

import type { ClaimAsk, ClaimedJob, JobAttempt, Wakeups } from '../../domain/port.js'
import { Backoff } from '../../domain/retry.js'
import type { TriggeredWorker, Triggering } from '../../store/triggers/trigger.js'
import type { JobWhereabouts } from '../../store/triggers/triggers.js'
import { BATCH_MAX, HIDDEN_SECONDS_MAX, type Received, type SqsCalls } from './calls.js'
import type { Counts, MessageOutcome } from './counts.js'
import { readBody } from './message.js'
import { InHand, type JobMessage, secondsOf } from './received-messages.js'

export interface InboxParts {
  readonly worker: TriggeredWorker
  readonly sqs: SqsCalls
  readonly queueUrl: string
  /** Whether SQS moves messages that are received too often to a dead-letter queue. */
  readonly hasDeadLetters: boolean
  readonly waitSeconds: number
  /** How often to claim as usual, without messages. */
  readonly fallbackPollMs: number
  /** The delay before a job that could not be started is announced again. */
  readonly deferMs: number
  /** The lease of queues whose jobs have their own leases. */
  readonly ownLeaseMs: number
  readonly counts: Counts
  /** Queues of the worker without the trigger. */
  readonly untriggered: readonly string[]
  closed(): Promise<void>
}

const RECEIVERS_MAX = 10
const RETRIES = { firstMs: 200, maxMs: 10_000 }
const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled'])
const AT_WORK: ReadonlySet<string> = new Set(['assigned', 'running'])
const NOT_DUE: ReadonlySet<string> = new Set(['scheduled', 'retrying'])

export class Inbox implements Triggering {
  readonly #parts: InboxParts
  readonly #inHand: InHand
  readonly #stopping = new AbortController()
  /** Aborts receives in flight: SQS may then hide a message until its visibility timeout, though no worker got it. */
  readonly #aborting = new AbortController()
  readonly #receivers: Promise<void>[]
  readonly #rooms: (() => void)[] = []
  #asked = 0
  #untriggeredFirst = false
  #wake: () => void = () => {}
  #fallbackPollAt: number

  constructor(parts: InboxParts) {
    this.#parts = parts
    const { worker, sqs, queueUrl, counts } = parts
    this.#inHand = new InHand({ sqs, queueUrl, counts, hideMs: worker.leaseMs })
    this.#fallbackPollAt = performance.now() + parts.fallbackPollMs
    const receivers = Math.min(RECEIVERS_MAX, Math.ceil(worker.slots / BATCH_MAX))
    this.#receivers = Array.from({ length: receivers }, () => this.#receive())
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  get wakeups(): Wakeups {
    const { untriggered, worker } = this.#parts
    return {
      get active() {
        return untriggered.length === 0 || worker.wakeups?.active === true
      },
      on: (_queues, wake) => {
        this.#wake = wake
        const off = untriggered.length === 0 ? undefined : worker.wakeups?.on(untriggered, wake)
        return () => {
          this.#wake = () => {}
          off?.()
        }
      },
    }
  }

  async claim(ask: ClaimAsk, otherwise: (ask: ClaimAsk) => Promise<ClaimedJob[]>): Promise<ClaimedJob[]> {
    const { untriggered } = this.#parts
    if (untriggered.length === 0) return this.#claimHere(ask, otherwise)
    // They alternate, so that neither starves the other.
    this.#untriggeredFirst = !this.#untriggeredFirst
    const there = () => otherwise({ ...ask, queues: untriggered })
    const triggered = ask.queues.filter((queue) => !untriggered.includes(queue))
    const here = () => this.#claimHere({ ...ask, queues: triggered }, otherwise)
    const [first, second] = this.#untriggeredFirst ? [there, here] : [here, there]
    const claimed = await first()
    return claimed.length > 0 ? claimed : second()
  }

  async #claimHere(
    ask: ClaimAsk,
    otherwise: (ask: ClaimAsk) => Promise<ClaimedJob[]>,
  ): Promise<ClaimedJob[]> {
    while (this.#inHand.waiting > 0) {
      const claimed = await this.#claimAnnounced(this.#inHand.take(Math.min(ask.limit, BATCH_MAX)), ask)
      if (claimed.length > 0) return claimed
    }
    if (performance.now() < this.#fallbackPollAt || ask.queues.length === 0) return []
    const found = await otherwise(ask)
    // After one missed job, claim as usual until none is left.
    if (found.length < ask.limit) this.#fallbackPollAt = performance.now() + this.#parts.fallbackPollMs
    this.#parts.counts.add('polled', found.length)
    return found
  }

  ended({ jobId, attempt, accepted }: { jobId: number; attempt: number; accepted: boolean }): void {
    if (this.#inHand.ended(jobId, attempt, accepted) === 'left') this.#parts.counts.add('lost')
    this.#roomAppeared()
  }

  keep(known: readonly JobAttempt[], olderThanMs: number): void {
    this.#parts.counts.add('lost', this.#inHand.keep(known, olderThanMs))
    this.#roomAppeared()
  }

  /** The first call lets pending receives end; the second aborts them. */
  async stop(): Promise<void> {
    if (this.#isStopping) this.#aborting.abort()
    this.#stopping.abort()
    this.#roomAppeared()
    this.#parts.counts.add('returned', this.#inHand.giveBackWaiting())
  }

  async close(): Promise<void> {
    await Promise.all(this.#receivers)
    this.#parts.counts.add('returned', this.#inHand.giveBackWaiting())
    await this.#inHand.close()
    await this.#parts.closed()
  }

  async #receive(): Promise<void> {
    const { sqs, queueUrl, waitSeconds, worker, counts } = this.#parts
    const { signal } = this.#aborting
    const backoff = new Backoff(RETRIES)
    let failed = false
    while (!this.#isStopping) {
      const max = Math.min(BATCH_MAX, worker.slots - this.#inHand.size - this.#asked)
      if (max < 1) {
        await new Promise<void>((resolve) => this.#rooms.push(resolve))
        continue
      }
      this.#asked += max
      const askedAt = performance.now()
      try {
        const how = { max, waitSeconds, hiddenSeconds: secondsOf(worker.leaseMs) }
        this.#received(await sqs.receive(queueUrl, how, signal), askedAt)
        backoff.reset()
        failed = false
      } catch (error) {
        if (this.#isStopping) return
        failed = true
        counts.add('receiveFailures')
        // The worker continues without it.
        this.#fallbackPollAt = performance.now()
        this.#wake()
        worker.log?.warn(
          { event: 'sqs_receive_failed', error: (error as Error).message },
          'SQS receive failed; claiming without it',
        )
      } finally {
        this.#asked -= max
      }
      if (failed) await backoff.wait(this.#stopping.signal)
    }
  }

  #received(messages: readonly Received[], askedAt: number): void {
    const { counts } = this.#parts
    counts.add('received', messages.length)
    for (const message of messages) {
      const parsed = readBody(message.body)
      if (parsed === undefined) this.#setAside(message)
      else this.#inHand.add(parsed.jobId, message, askedAt)
    }
    if (this.#isStopping) counts.add('returned', this.#inHand.giveBackWaiting())
    else if (messages.length > 0) this.#wake()
  }

  /** Leaves a message that is not ours. SQS moves it to the dead-letter queue in time; without one, it is hidden, so that it does not return at once. */
  #setAside(message: Received): void {
    const { sqs, queueUrl, hasDeadLetters, counts, worker } = this.#parts
    counts.add('unrecognized')
    worker.log?.warn(
      { event: 'sqs_message_unrecognized', message: message.messageId },
      'SQS message has another format; left in the queue',
    )
    if (!hasDeadLetters)
      sqs.hide(queueUrl, [{ receipt: message.receipt, seconds: HIDDEN_SECONDS_MAX }]).catch(() => {})
  }

  async #claimAnnounced(messages: readonly JobMessage[], ask: ClaimAsk): Promise<ClaimedJob[]> {
    try {
      const where = await this.#parts.worker.store.triggers.statesOf(messages.map(({ jobId }) => jobId))
      const asked = new Set<number>()
      const worthIt = messages.filter((each) => {
        const verdict = this.#verdictBefore(each, where.get(each.jobId), asked)
        if (verdict !== undefined) this.#judge(each, verdict)
        return verdict === undefined
      })
      const claims = await Promise.allSettled(worthIt.map((each) => this.#claimOne(each, ask)))
      const claimed = claims.flatMap((each) =>
        each.status === 'fulfilled' && each.value ? [each.value] : [],
      )
      const refused = worthIt.filter((_each, n) => {
        const claim = claims[n]
        return claim?.status === 'fulfilled' && claim.value === undefined
      })
      const broken = claims.find((each) => each.status === 'rejected')
      if (broken !== undefined && claimed.length === 0) throw broken.reason
      await this.#explain(refused).catch((error) => {
        if (claimed.length === 0) throw error
      })
      return claimed
    } finally {
      // Messages that could not be handled are tried again.
      this.#inHand.putBack(messages)
      this.#roomAppeared()
    }
  }

  async #claimOne(message: JobMessage, { worker, lease }: ClaimAsk): Promise<ClaimedJob | undefined> {
    const { store, leaseMs } = this.#parts.worker
    const job = await store.work.claimById(message.jobId, { worker, lease })
    if (job === undefined) return undefined
    this.#inHand.hold(message, job.attempt, job.expiresAt === null ? leaseMs : this.#parts.ownLeaseMs)
    this.#parts.counts.add('claimed')
    return job
  }

  /** The verdict on a message that needs no claim; undefined: claim its job. */
  #verdictBefore(
    { jobId }: JobMessage,
    where: JobWhereabouts | undefined,
    asked: Set<number>,
  ): MessageOutcome | undefined {
    const { tenant, queues } = this.#parts.worker
    if (where === undefined) return 'unknown'
    if (where.tenant !== tenant || !queues.includes(where.queue))
      return where.trigger === null ? 'unknown' : 'otherQueue'
    if (ENDED.has(where.state)) return 'late'
    if (this.#inHand.holds(jobId) || asked.has(jobId)) return 'duplicate'
    asked.add(jobId)
    return undefined
  }

  /** Reads the state of jobs that could not be claimed. */
  async #explain(refused: readonly JobMessage[]): Promise<void> {
    if (refused.length === 0) return
    const { triggers } = this.#parts.worker.store
    const ids = refused.map(({ jobId }) => jobId)
    const again = new Set(await triggers.requeue(ids, this.#parts.deferMs))
    const where = await triggers.statesOf(ids.filter((id) => !again.has(id)))
    for (const message of refused) {
      const state = where.get(message.jobId)?.state
      this.#judge(message, again.has(message.jobId) ? 'deferred' : verdictOn(state))
    }
  }

  #judge(message: JobMessage, verdict: MessageOutcome): void {
    this.#parts.counts.add(verdict)
    if (verdict === 'otherQueue') this.#inHand.leave(message)
    else this.#inHand.remove(message)
  }

  #roomAppeared(): void {
    for (const resolve of this.#rooms.splice(0)) resolve()
  }
}

function verdictOn(state: string | undefined): MessageOutcome {
  if (state === undefined) return 'unknown'
  if (ENDED.has(state)) return 'late'
  if (AT_WORK.has(state)) return 'duplicate'
  if (NOT_DUE.has(state)) return 'early'
  // A job that has just become claimable again has another row in the outbox.
  return state === 'queued' ? 'deferred' : 'blocked'
}

/**
 * SQS → claims. Messages are received as there is room for jobs, each job is claimed by its id, and its message deleted once the end of the
 * attempt is committed. What cannot be claimed is looked at where it really is, and the message goes: whatever makes the job
 * claimable again writes another. Only two kinds of messages stay in SQS: those that are not ours, and those of queues others serve.
 * From queues that have no such trigger the worker claims as it would without one.
 */
import type { ClaimAsk, ClaimedJob, JobAttempt, Wakeups } from '../../domain/port.js'
import type { TriggeredWorker, Triggering } from '../../store/trigger.js'
import type { WhereItIs } from '../../store/triggers.js'
import { BATCH_MOST, HIDDEN_SECONDS_MOST, type Received, type SqsCalls } from './calls.js'
import type { Counts, Verdict } from './counts.js'
import { InHand, secondsOf, type Told } from './in-hand.js'
import { readBody } from './message.js'

export interface InboxParts {
  readonly worker: TriggeredWorker
  readonly sqs: SqsCalls
  readonly queueUrl: string
  /** Whether SQS itself sets aside what is received too often. */
  readonly hasDeadLetters: boolean
  readonly waitSeconds: number
  /** How often to claim as usual, whatever messages say. */
  readonly netMs: number
  /** When to tell again of a job that could not be started. */
  readonly putOffMs: number
  /** Of queues whose jobs have leases of their own. */
  readonly ownLeaseMs: number
  readonly counts: Counts
  /** Queues of the worker that SQS does not tell of. */
  readonly untold: readonly string[]
  closed(): Promise<void>
}

const RECEIVERS_MOST = 10
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled'])
const AT_WORK: ReadonlySet<string> = new Set(['assigned', 'running'])
const NOT_DUE: ReadonlySet<string> = new Set(['scheduled', 'retrying'])

export class Inbox implements Triggering {
  readonly #parts: InboxParts
  readonly #inHand: InHand
  #isStopping = false
  /** Breaks off receives under way: SQS may hide a message from others for nobody then, until its time is over. */
  readonly #aborting = new AbortController()
  readonly #receivers: Promise<void>[]
  readonly #rooms: (() => void)[] = []
  #asked = 0
  #untoldFirst = false
  #wake: () => void = () => {}
  #netAt: number

  constructor(parts: InboxParts) {
    this.#parts = parts
    const { worker, sqs, queueUrl, counts } = parts
    this.#inHand = new InHand({ sqs, queueUrl, counts, hideMs: worker.leaseMs })
    this.#netAt = performance.now() + parts.netMs
    const receivers = Math.min(RECEIVERS_MOST, Math.ceil(worker.slots / BATCH_MOST))
    this.#receivers = Array.from({ length: receivers }, () => this.#receive())
  }

  get wakeups(): Wakeups {
    const { untold, worker } = this.#parts
    return {
      get active() {
        return untold.length === 0 || worker.wakeups?.active === true
      },
      on: (_queues, wake) => {
        this.#wake = wake
        const off = untold.length === 0 ? undefined : worker.wakeups?.on(untold, wake)
        return () => {
          this.#wake = () => {}
          off?.()
        }
      },
    }
  }

  async claim(ask: ClaimAsk, otherwise: (ask: ClaimAsk) => Promise<ClaimedJob[]>): Promise<ClaimedJob[]> {
    const { untold } = this.#parts
    if (untold.length === 0) return this.#claimHere(ask, otherwise)
    // In turn, so that neither keeps the other waiting for good.
    this.#untoldFirst = !this.#untoldFirst
    const there = () => otherwise({ ...ask, queues: untold })
    const told = ask.queues.filter((queue) => !untold.includes(queue))
    const here = () => this.#claimHere({ ...ask, queues: told }, otherwise)
    const [first, second] = this.#untoldFirst ? [there, here] : [here, there]
    const claimed = await first()
    return claimed.length > 0 ? claimed : second()
  }

  async #claimHere(
    ask: ClaimAsk,
    otherwise: (ask: ClaimAsk) => Promise<ClaimedJob[]>,
  ): Promise<ClaimedJob[]> {
    while (this.#inHand.waiting > 0) {
      const claimed = await this.#claimTold(this.#inHand.take(Math.min(ask.limit, BATCH_MOST)), ask)
      if (claimed.length > 0) return claimed
    }
    if (performance.now() < this.#netAt || ask.queues.length === 0) return []
    const found = await otherwise(ask)
    // What was missed once is looked for until nothing is left of it.
    if (found.length < ask.limit) this.#netAt = performance.now() + this.#parts.netMs
    this.#parts.counts.add('found', found.length)
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

  /** Receives under way may end; asked again, they are broken off. */
  async stop(): Promise<void> {
    if (this.#isStopping) this.#aborting.abort()
    this.#isStopping = true
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
    let failures = 0
    while (!this.#isStopping) {
      const most = Math.min(BATCH_MOST, worker.slots - this.#inHand.size - this.#asked)
      if (most < 1) {
        await new Promise<void>((resolve) => this.#rooms.push(resolve))
        continue
      }
      this.#asked += most
      const askedAt = performance.now()
      try {
        const how = { most, waitSeconds, hiddenSeconds: secondsOf(worker.leaseMs) }
        this.#heard(await sqs.receive(queueUrl, how, signal), askedAt)
        failures = 0
      } catch (error) {
        if (this.#isStopping) return
        failures += 1
        counts.add('receiveFailures')
        // Work goes on without it.
        this.#netAt = performance.now()
        this.#wake()
        worker.log?.warn(
          { error: (error as Error).message },
          'SQS does not answer; jobs are claimed as usual',
        )
      } finally {
        this.#asked -= most
      }
      if (failures > 0) await this.#pause(failures)
    }
  }

  #heard(messages: readonly Received[], askedAt: number): void {
    const { counts } = this.#parts
    counts.add('received', messages.length)
    for (const message of messages) {
      const word = readBody(message.body)
      if (word === undefined) this.#setAside(message)
      else this.#inHand.add(word.jobId, message, askedAt)
    }
    if (this.#isStopping) counts.add('returned', this.#inHand.giveBackWaiting())
    else if (messages.length > 0) this.#wake()
  }

  /** Not ours to delete. With a dead-letter queue SQS sets it aside in time; without, it should not come back all the time. */
  #setAside(message: Received): void {
    const { sqs, queueUrl, hasDeadLetters, counts, worker } = this.#parts
    counts.add('foreign')
    worker.log?.warn({ message: message.messageId }, 'a message in SQS is none of ours; it is left there')
    if (!hasDeadLetters)
      sqs.hide(queueUrl, [{ receipt: message.receipt, seconds: HIDDEN_SECONDS_MOST }]).catch(() => {})
  }

  async #claimTold(told: readonly Told[], ask: ClaimAsk): Promise<ClaimedJob[]> {
    try {
      const where = await this.#parts.worker.store.triggers.statesOf(told.map(({ jobId }) => jobId))
      const asked = new Set<number>()
      const worthIt = told.filter((each) => {
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
      // Whatever could not be dealt with is tried again.
      this.#inHand.putBack(told)
      this.#roomAppeared()
    }
  }

  async #claimOne(told: Told, { worker, lease }: ClaimAsk): Promise<ClaimedJob | undefined> {
    const { store, leaseMs } = this.#parts.worker
    const job = await store.work.claimById(told.jobId, { worker, lease })
    if (job === undefined) return undefined
    this.#inHand.hold(told, job.attempt, job.expiresAt === null ? leaseMs : this.#parts.ownLeaseMs)
    this.#parts.counts.add('claimed')
    return job
  }

  /** What needs no claim to be known. */
  #verdictBefore({ jobId }: Told, where: WhereItIs | undefined, asked: Set<number>): Verdict | undefined {
    const { tenant, queues } = this.#parts.worker
    if (where === undefined) return 'unknown'
    if (where.tenant !== tenant || !queues.includes(where.queue))
      return where.trigger === null ? 'unknown' : 'elsewhere'
    if (ENDED.has(where.state)) return 'late'
    if (this.#inHand.holds(jobId) || asked.has(jobId)) return 'duplicate'
    asked.add(jobId)
    return undefined
  }

  /** Not claimable: where are they, then? */
  async #explain(refused: readonly Told[]): Promise<void> {
    if (refused.length === 0) return
    const { triggers } = this.#parts.worker.store
    const ids = refused.map(({ jobId }) => jobId)
    const again = new Set(await triggers.tellAgain(ids, this.#parts.putOffMs))
    const where = await triggers.statesOf(ids.filter((id) => !again.has(id)))
    for (const told of refused) {
      const state = where.get(told.jobId)?.state
      this.#judge(told, again.has(told.jobId) ? 'putOff' : verdictOn(state))
    }
  }

  #judge(told: Told, verdict: Verdict): void {
    this.#parts.counts.add(verdict)
    if (verdict === 'elsewhere') this.#inHand.leave(told)
    else this.#inHand.remove(told)
  }

  #roomAppeared(): void {
    for (const resolve of this.#rooms.splice(0)) resolve()
  }

  async #pause(failures: number): Promise<void> {
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    const until = performance.now() + ms
    // In short steps, so that a shutdown need not wait for the end of it.
    while (!this.#isStopping && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, Math.min(FIRST_PAUSE_MS, ms)))
  }
}

function verdictOn(state: string | undefined): Verdict {
  if (state === undefined) return 'unknown'
  if (ENDED.has(state)) return 'late'
  if (AT_WORK.has(state)) return 'duplicate'
  if (NOT_DUE.has(state)) return 'early'
  // A job that came back among the claimable ones this very moment has a word of its own in the outbox.
  return state === 'queued' ? 'putOff' : 'blocked'
}

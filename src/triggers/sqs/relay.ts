/**
 * Outbox → SQS. Rows are taken, sent ten at a time, and kept: after `resendMs` the row is looked at once more, and if the job still
 * waits the message was lost or is stuck, and another is sent; each time the wait is doubled. So a lost message costs time and never a
 * job. Any number of relays may be at it; a row is taken by one.
 */
import type { Wakeups } from '../../domain/port.js'
import type { Store } from '../../store/store.js'
import type { TriggerLog } from '../../store/trigger.js'
import type { OutboxRow, TriggerName } from '../../store/triggers.js'
import { BATCH_MOST, type Refusal, type SqsCalls } from './calls.js'
import type { Counts } from './counts.js'
import { bodyOf } from './message.js'

export interface RelayParts {
  readonly sqs: SqsCalls
  readonly store: Store
  readonly of: TriggerName
  readonly queueUrl: string
  readonly deadLetterUrl: string | undefined
  readonly resendMs: number
  readonly pollMs: number
  /** Queues whose new jobs are worth a look at once. */
  readonly queues: readonly string[]
  readonly wakeups: Wakeups | undefined
  readonly counts: Counts
  readonly log: TriggerLog | undefined
}

const TAKE = 200
/** What was taken and not sent by then is anybody's again: longer than the calls of one pass can take. */
const HOLD_MS = 60_000
const RESEND_MOST_MS = 3_600_000
/** Woken by the database, a relay looks by itself only to be safe. */
const LONGEST_POLL_MS = 5_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A single message that was not taken is tried again after this. */
const REFUSED_MS = 2_000
/** How often to look for claimable jobs that nobody wrote down. */
const SWEEP_MS = 300_000

export class Relay {
  readonly #parts: RelayParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #wake: () => void = () => {}
  #woken = false
  #failures = 0
  #sweepAt = 0

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#running
  }

  /** One pass: everything that is due now. Answers how many messages SQS took. */
  async pass(): Promise<number> {
    const { store, of, counts } = this.#parts
    if (performance.now() >= this.#sweepAt) {
      this.#sweepAt = performance.now() + SWEEP_MS
      counts.add('adopted', await store.triggers.tellUntold(of))
    }
    let sent = 0
    for (;;) {
      const rows = await store.triggers.take(of, { limit: TAKE, holdMs: HOLD_MS })
      counts.add('obsolete', rows.filter(({ news }) => news === null).length)
      sent += await this.#sendAll(rows)
      if (rows.length < TAKE || this.#stopping.signal.aborted) return sent
    }
  }

  async #run(): Promise<void> {
    const { wakeups, queues, log, pollMs } = this.#parts
    const off = wakeups?.on(queues, () => {
      this.#woken = true
      this.#wake()
    })
    while (!this.#stopping.signal.aborted) {
      this.#woken = false
      try {
        await this.pass()
        this.#failures = 0
      } catch (error) {
        this.#failures += 1
        log?.warn({ error: (error as Error).message }, 'jobs could not be told to SQS; they are told later')
      }
      const longest = wakeups?.active === true ? Math.max(pollMs, LONGEST_POLL_MS) : pollMs
      await this.#rest(this.#failures === 0 ? longest : pauseMs(this.#failures))
    }
    off?.()
  }

  /** Until the time is over or somebody has something to tell; after a failure only the former. */
  #rest(ms: number): Promise<void> {
    if (this.#stopping.signal.aborted || (this.#woken && this.#failures === 0)) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        if (this.#failures > 0 && !this.#stopping.signal.aborted) return
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #sendAll(rows: readonly OutboxRow[]): Promise<number> {
    const { queueUrl, deadLetterUrl } = this.#parts
    const failed = rows.filter(({ news }) => news === 'failed')
    if (deadLetterUrl === undefined) await this.#forget(failed)
    const batches = [
      ...inBatches(rows.filter(({ news }) => news === 'claimable')).map((batch) => ({
        url: queueUrl,
        batch,
      })),
      ...(deadLetterUrl === undefined
        ? []
        : inBatches(failed).map((batch) => ({ url: deadLetterUrl, batch }))),
    ]
    const sent = await Promise.allSettled(batches.map(({ url, batch }) => this.#send(url, batch)))
    const broken = sent.find((each) => each.status === 'rejected')
    if (broken !== undefined) throw broken.reason
    return sent.reduce((sum, each) => sum + (each.status === 'fulfilled' ? each.value : 0), 0)
  }

  async #send(url: string, batch: readonly OutboxRow[]): Promise<number> {
    const { sqs, store, counts, log, resendMs } = this.#parts
    const bodies = batch.map((row) => ({
      body: bodyOf(row, row.news === 'failed'),
      group: String(row.jobId),
      once: `${row.id}-${row.sends}`,
    }))
    let refused: Refusal[]
    try {
      refused = await sqs.send(url, bodies)
    } catch (error) {
      counts.add('sendFailures', batch.length)
      await store.triggers.noteUnsent(batch.map(({ id }) => ({ id, againMs: pauseMs(this.#failures + 1) })))
      throw error
    }
    const not = new Set(refused.map(({ index }) => index))
    for (const problem of new Set(refused.map((each) => each.problem)))
      log?.warn({ problem }, 'SQS did not take a message; it is sent again')
    const taken = batch.filter((_row, index) => !not.has(index))
    await store.triggers.noteUnsent(
      batch.filter((_row, index) => not.has(index)).map(({ id }) => ({ id, againMs: REFUSED_MS })),
    )
    await store.triggers.noteSent(
      taken.map((row) => ({ id: row.id, againMs: row.news === 'failed' ? null : again(row, resendMs) })),
    )
    const claimable = taken.filter(({ news }) => news === 'claimable')
    counts.add('sendFailures', not.size)
    counts.add('sent', claimable.length)
    counts.add('resent', claimable.filter(({ sends }) => sends !== 0).length)
    counts.add('deadLettered', taken.length - claimable.length)
    return taken.length
  }

  async #forget(failed: readonly OutboxRow[]): Promise<void> {
    await this.#parts.store.triggers.noteSent(failed.map(({ id }) => ({ id, againMs: null })))
  }
}

function inBatches(rows: readonly OutboxRow[]): OutboxRow[][] {
  return Array.from({ length: Math.ceil(rows.length / BATCH_MOST) }, (_, n) =>
    rows.slice(n * BATCH_MOST, (n + 1) * BATCH_MOST),
  )
}

function again({ sends }: OutboxRow, resendMs: number): number {
  return Math.min(resendMs * 2 ** Math.min(sends ?? 0, 20), Math.max(RESEND_MOST_MS, resendMs))
}

function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE_MS)
}

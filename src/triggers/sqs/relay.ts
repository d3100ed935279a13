/**
 * Outbox → SQS. Takes rows, sends them ten at a time, and keeps them: after `resendMs` a row is checked again, and if its job still waits,
 * the message was lost or is stuck, so another is sent; each time the interval doubles. So a lost message costs time and never a job.
 * Any number of relays may run; each row is taken by one.
 */

import type { Log } from '../../domain/log.js'
import type { Wakeups } from '../../domain/port.js'
import { Backoff } from '../../domain/retry.js'
import type { Store } from '../../store/store.js'
import type { OutboxRow, TriggerName } from '../../store/triggers/triggers.js'
import { BATCH_MAX, type Refusal, type SqsCalls } from './calls.js'
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
  /** Queues whose new jobs wake the relay. */
  readonly queues: readonly string[]
  readonly wakeups: Wakeups | undefined
  readonly counts: Counts
  readonly log: Log | undefined
}

const TAKE = 200
/** Rows that were taken but not sent by then can be taken again. Longer than the calls of one pass can take. */
const HOLD_MS = 60_000
const RESEND_MAX_MS = 3_600_000
/** How often a relay polls although the database wakes it, in case a notification is lost. */
const LONGEST_POLL_MS = 5_000
const AFTER_FAILURE = new Backoff({ firstMs: 500, maxMs: 30_000 })
/** The delay before a message that SQS refused is sent again. */
const REFUSED_MS = 2_000
/** How often to search for claimable jobs that are missing in the outbox. */
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

  /** One pass: sends everything that is due now. Returns how many messages SQS accepted. */
  async pass(): Promise<number> {
    const { store, of, counts } = this.#parts
    if (performance.now() >= this.#sweepAt) {
      this.#sweepAt = performance.now() + SWEEP_MS
      counts.add('backfilled', await store.triggers.backfill(of))
    }
    let sent = 0
    for (;;) {
      const rows = await store.triggers.takeOutbox(of, { limit: TAKE, holdMs: HOLD_MS })
      counts.add('obsolete', rows.filter(({ message }) => message === null).length)
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
        log?.warn(
          { event: 'sqs_send_failed', error: (error as Error).message },
          'SQS send failed; will retry',
        )
      }
      const longest = wakeups?.active === true ? Math.max(pollMs, LONGEST_POLL_MS) : pollMs
      await this.#rest(this.#failures === 0 ? longest : AFTER_FAILURE.delayMs(this.#failures - 1))
    }
    off?.()
  }

  /** Waits until the time elapses or a notification arrives; after a failure, only until the time elapses. */
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
    const failed = rows.filter(({ message }) => message === 'failed')
    if (deadLetterUrl === undefined) await this.#forget(failed)
    const batches = [
      ...inBatches(rows.filter(({ message }) => message === 'claimable')).map((batch) => ({
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
      body: bodyOf(row, row.message === 'failed'),
      group: String(row.jobId),
      once: `${row.id}-${row.sends}`,
    }))
    let refused: Refusal[]
    try {
      refused = await sqs.send(url, bodies)
    } catch (error) {
      counts.add('sendFailures', batch.length)
      await store.triggers.settleUnsent(
        batch.map(({ id }) => ({ id, dueInMs: AFTER_FAILURE.delayMs(this.#failures) })),
      )
      throw error
    }
    const not = new Set(refused.map(({ index }) => index))
    for (const problem of new Set(refused.map((each) => each.problem)))
      log?.warn({ event: 'sqs_message_refused', problem }, 'SQS refused a message; will send it again')
    const taken = batch.filter((_row, index) => !not.has(index))
    await store.triggers.settleUnsent(
      batch.filter((_row, index) => not.has(index)).map(({ id }) => ({ id, dueInMs: REFUSED_MS })),
    )
    await store.triggers.settleSent(
      taken.map((row) => ({ id: row.id, dueInMs: row.message === 'failed' ? null : again(row, resendMs) })),
    )
    const claimable = taken.filter(({ message }) => message === 'claimable')
    counts.add('sendFailures', not.size)
    counts.add('sent', claimable.length)
    counts.add('resent', claimable.filter(({ sends }) => sends !== 0).length)
    counts.add('deadLettered', taken.length - claimable.length)
    return taken.length
  }

  async #forget(failed: readonly OutboxRow[]): Promise<void> {
    await this.#parts.store.triggers.settleSent(failed.map(({ id }) => ({ id, dueInMs: null })))
  }
}

function inBatches(rows: readonly OutboxRow[]): OutboxRow[][] {
  return Array.from({ length: Math.ceil(rows.length / BATCH_MAX) }, (_, n) =>
    rows.slice(n * BATCH_MAX, (n + 1) * BATCH_MAX),
  )
}

function again({ sends }: OutboxRow, resendMs: number): number {
  const resends = new Backoff({ firstMs: resendMs, maxMs: Math.max(RESEND_MAX_MS, resendMs) })
  return resends.delayMs(sends ?? 0)
}

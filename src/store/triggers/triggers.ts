/**
 * What an external trigger (SQS) needs from the database: rows of the outbox to send, and the current state of the jobs that its messages
 * name.
 */

import type { Database } from '../../database/database.js'
import type { State } from '../../domain/states/states.js'
import { checkName } from '../../domain/validate.js'
import { fromRow } from '../rows.js'

/** A trigger and the tenant of its queues. */
export interface TriggerName {
  readonly trigger: string
  readonly tenant?: string
}

/** A message to send. `message` is null when the message is obsolete; such a row is already deleted. */
export interface OutboxRow {
  readonly id: number
  readonly jobId: number
  readonly queue: string
  /** How often it was sent before. */
  readonly sends: number | null
  readonly message: 'claimable' | 'failed' | null
}

interface OutboxResult {
  readonly id: number
  readonly dueInMs: number | null
}

export interface JobWhereabouts {
  readonly jobId: number
  readonly tenant: string
  readonly queue: string
  readonly trigger: string | null
  readonly state: State
}

export interface OutboxDepth {
  /** Not sent yet, and since when the oldest waits. */
  readonly unsent: number
  readonly oldestAt: Date | null
  /** Sent and not checked since: the job may have run long ago. */
  readonly sent: number
}

export class Triggers {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes up to `limit` rows for `holdMs`; any process may take rows again that are not settled by then. */
  async takeOutbox(trigger: TriggerName, { limit = 200, holdMs = 30_000 } = {}): Promise<OutboxRow[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select id, job_id, queue, sends, message from holdfast.take_outbox($1, $2, $3, $4)',
      [...nameValues(trigger), limit, holdMs],
    )
    return rows.map((row) => fromRow<OutboxRow>(row))
  }

  /** Marks rows as sent, and sets when to check each of them again; null: never. */
  async settleSent(rows: readonly OutboxResult[]): Promise<void> {
    await this.#note(rows, true)
  }

  /** Marks rows as not sent, and sets when to try again. */
  async settleUnsent(rows: readonly OutboxResult[]): Promise<void> {
    await this.#note(rows, false)
  }

  async #note(rows: readonly OutboxResult[], sent: boolean): Promise<void> {
    if (rows.length === 0) return
    await this.#database.query('select holdfast.outbox_settle($1::bigint[], $2::bigint[], $3)', [
      rows.map(({ id }) => id),
      rows.map(({ dueInMs }) => dueInMs),
      sent,
    ])
  }

  /** The state of those of these jobs that exist. */
  async statesOf(jobIds: readonly number[]): Promise<Map<number, JobWhereabouts>> {
    if (jobIds.length === 0) return new Map()
    const rows = await this.#database.query<Record<string, unknown>>(
      'select job_id, tenant, queue, trigger, state from holdfast.states_of($1::bigint[])',
      [jobIds],
      { repeatable: true },
    )
    return new Map(rows.map((row) => [row.job_id as number, fromRow<JobWhereabouts>(row)]))
  }

  /** Those of these jobs that were retried as a new job, each with the newest of those. */
  async retriesOf(jobIds: readonly number[]): Promise<Map<number, number>> {
    if (jobIds.length === 0) return new Map()
    const rows = await this.#database.query<{ job_id: number; retried_as: number }>(
      'select job_id, retried_as from holdfast.retries_of($1::bigint[])',
      [jobIds],
      { repeatable: true },
    )
    return new Map(rows.map((row) => [row.job_id, row.retried_as]))
  }

  /** Those of these jobs that failed for good that long ago, were not retried, and have no pending message. */
  async failedWithoutDeadLetter(jobIds: readonly number[], failedForMs = 0): Promise<number[]> {
    if (jobIds.length === 0) return []
    const [row] = await this.#database.query<{ jobs: number[] }>(
      'select holdfast.failed_without_dead_letter($1::bigint[], $2) as jobs',
      [jobIds, failedForMs],
      { repeatable: true },
    )
    return row?.jobs ?? []
  }

  /** Returns 0 when this process may compare dead letters with jobs, alone for `holdMs`; else in how many milliseconds to ask again. */
  claimReconcileTurn(trigger: TriggerName, holdMs: number): Promise<number> {
    return this.#turn(trigger, holdMs, false)
  }

  /** Sets when the next comparison may begin, also when another process has the turn. */
  async setReconcileTurn(trigger: TriggerName, nextMs: number): Promise<void> {
    await this.#turn(trigger, nextMs, true)
  }

  async #turn(trigger: TriggerName, nextMs: number, mine: boolean): Promise<number> {
    const [row] = await this.#database.query<{ ms: number }>(
      'select holdfast.claim_reconcile_turn($1, $2, $3, $4) as ms',
      [...nameValues(trigger), Math.round(nextMs), mine],
    )
    return row?.ms ?? 0
  }

  /** Queues messages again for those of these jobs that are claimable, in `afterMs`; returns their ids. */
  async requeue(jobIds: readonly number[], afterMs = 0): Promise<number[]> {
    if (jobIds.length === 0) return []
    const [row] = await this.#database.query<{ requeued: number[] }>(
      'select holdfast.outbox_requeue($1::bigint[], $2) as requeued',
      [jobIds, afterMs],
      { repeatable: true },
    )
    return row?.requeued ?? []
  }

  /** Adds claimable jobs that have no outbox row; returns how many. */
  async backfill(trigger: TriggerName, limit = 1_000): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(
      'select holdfast.outbox_backfill($1, $2, $3) as n',
      [...nameValues(trigger), limit],
    )
    return row?.n ?? 0
  }

  /** Those of these queues that use the trigger. */
  async queuesOf(trigger: TriggerName, queues: readonly string[]): Promise<string[]> {
    const [row] = await this.#database.query<{ queues: string[] }>(
      'select holdfast.triggered_queues($1, $2, $3::text[]) as queues',
      [...nameValues(trigger), queues],
      { repeatable: true },
    )
    return row?.queues ?? []
  }

  /** Each count stops at `countMax`. */
  async depth(trigger: TriggerName, countMax = 10_000): Promise<OutboxDepth> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select coalesce(sum(unsent), 0)::int as unsent, coalesce(sum(sent), 0)::int as sent, min(oldest_at) as oldest_at
       from holdfast.outbox_counts($1, $2, $3)`,
      [...nameValues(trigger), countMax],
      { repeatable: true },
    )
    return fromRow<OutboxDepth>(row ?? {})
  }
}

function nameValues({ trigger, tenant = 'default' }: TriggerName): string[] {
  return [checkName(tenant, '/tenant'), checkName(trigger, '/trigger')]
}

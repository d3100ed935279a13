/**
 * What a trigger from outside (SQS) needs of the engine. Its messages only say where to look: here they are taken from the outbox, and what
 * they say is compared with where the jobs really are.
 */
import type { State } from '../domain/states.js'
import { checkName } from '../domain/validate.js'
import type { Database } from './database.js'
import { fromRow } from './rows.js'

/** Which trigger, and of whose queues. */
export interface TriggerName {
  readonly trigger: string
  readonly tenant?: string
}

/** A word to pass on. `news` is null when there is nothing to say any more; such a row is gone already. */
export interface OutboxRow {
  readonly id: number
  readonly jobId: number
  readonly queue: string
  /** How often it was sent before. */
  readonly sends: number | null
  readonly news: 'claimable' | 'failed' | null
}

interface Noted {
  readonly id: number
  readonly againMs: number | null
}

export interface WhereItIs {
  readonly jobId: number
  readonly tenant: string
  readonly queue: string
  readonly trigger: string | null
  readonly state: State
}

export interface OutboxDepth {
  /** Not told yet, and since when the oldest of them waits. */
  readonly unsent: number
  readonly oldestAt: Date | null
  /** Told, and not looked at since: the job may have run long ago. */
  readonly sent: number
}

export class Triggers {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes up to `limit` rows for `holdMs`; what is not noted as sent by then is taken again, by anybody. */
  async take(of: TriggerName, { limit = 200, holdMs = 30_000 } = {}): Promise<OutboxRow[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select id, job_id, queue, sends, news from holdfast.take_outbox($1, $2, $3, $4)',
      [...nameValues(of), limit, holdMs],
    )
    return rows.map((row) => fromRow<OutboxRow>(row))
  }

  /** They were sent; when to look at each of them again, or null: never. */
  async noteSent(rows: readonly Noted[]): Promise<void> {
    await this.#note(rows, true)
  }

  /** They could not be sent; when to try again. */
  async noteUnsent(rows: readonly Noted[]): Promise<void> {
    await this.#note(rows, false)
  }

  async #note(rows: readonly Noted[], sent: boolean): Promise<void> {
    if (rows.length === 0) return
    await this.#database.query('select holdfast.note_sent($1::bigint[], $2::bigint[], $3)', [
      rows.map(({ id }) => id),
      rows.map(({ againMs }) => againMs),
      sent,
    ])
  }

  /** Those of these jobs that there are. */
  async statesOf(jobIds: readonly number[]): Promise<Map<number, WhereItIs>> {
    if (jobIds.length === 0) return new Map()
    const rows = await this.#database.query<Record<string, unknown>>(
      'select job_id, tenant, queue, trigger, state from holdfast.states_of($1::bigint[])',
      [jobIds],
      { repeatable: true },
    )
    return new Map(rows.map((row) => [row.job_id as number, fromRow<WhereItIs>(row)]))
  }

  /** Those of these jobs that were made again as a new one, with the newest of those. */
  async retriesOf(jobIds: readonly number[]): Promise<Map<number, number>> {
    if (jobIds.length === 0) return new Map()
    const rows = await this.#database.query<{ job_id: number; retried_as: number }>(
      'select job_id, retried_as from holdfast.retries_of($1::bigint[])',
      [jobIds],
      { repeatable: true },
    )
    return new Map(rows.map((row) => [row.job_id, row.retried_as]))
  }

  /** Those of these jobs that failed for good that long ago, were not made again, and of which nobody is about to tell. */
  async unannounced(jobIds: readonly number[], failedForMs = 0): Promise<number[]> {
    if (jobIds.length === 0) return []
    const [row] = await this.#database.query<{ jobs: number[] }>(
      'select holdfast.unannounced($1::bigint[], $2) as jobs',
      [jobIds, failedForMs],
      { repeatable: true },
    )
    return row?.jobs ?? []
  }

  /** 0: it is ours to compare dead letters with jobs, and nobody else's for `holdMs`; else in how many milliseconds to ask again. */
  takeTurn(of: TriggerName, holdMs: number): Promise<number> {
    return this.#turn(of, holdMs, false)
  }

  /** Whoever has the turn, or takes it whoever has it, says when the next one may begin. */
  async setTurn(of: TriggerName, nextMs: number): Promise<void> {
    await this.#turn(of, nextMs, true)
  }

  async #turn(of: TriggerName, nextMs: number, mine: boolean): Promise<number> {
    const [row] = await this.#database.query<{ ms: number }>(
      'select holdfast.turn_to_reconcile($1, $2, $3, $4) as ms',
      [...nameValues(of), Math.round(nextMs), mine],
    )
    return row?.ms ?? 0
  }

  /** Has those of these jobs that are claimable told again, in `afterMs`; answers which. */
  async tellAgain(jobIds: readonly number[], afterMs = 0): Promise<number[]> {
    if (jobIds.length === 0) return []
    const [row] = await this.#database.query<{ told: number[] }>(
      'select holdfast.tell_again($1::bigint[], $2) as told',
      [jobIds, afterMs],
      { repeatable: true },
    )
    return row?.told ?? []
  }

  /** Writes down claimable jobs that were never to be told of; answers how many. */
  async tellUntold(of: TriggerName, limit = 1_000): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>('select holdfast.tell_untold($1, $2, $3) as n', [
      ...nameValues(of),
      limit,
    ])
    return row?.n ?? 0
  }

  /** Those of these queues that the trigger tells of. */
  async queuesOf(of: TriggerName, queues: readonly string[]): Promise<string[]> {
    const [row] = await this.#database.query<{ queues: string[] }>(
      'select holdfast.told_queues($1, $2, $3::text[]) as queues',
      [...nameValues(of), queues],
      { repeatable: true },
    )
    return row?.queues ?? []
  }

  /** Each counted up to `most`. */
  async depth(of: TriggerName, most = 10_000): Promise<OutboxDepth> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select unsent, sent, oldest_at from holdfast.outbox_depth($1, $2, $3)',
      [...nameValues(of), most],
      { repeatable: true },
    )
    return fromRow<OutboxDepth>(row ?? {})
  }
}

function nameValues({ trigger, tenant = 'default' }: TriggerName): string[] {
  return [checkName(tenant, '/tenant'), checkName(trigger, '/trigger')]
}

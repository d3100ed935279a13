/** The workers, as they say they are. For people to look at and to send home; who holds what is decided by leases alone. */

import type { Policy } from '../domain/policy.js'
import type { Presence, ScaleDecision } from '../domain/port.js'
import { checkName } from '../domain/validate.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { selectRows } from './rows.js'
import { wholeMs } from './said.js'

/** A worker: the columns of the view `holdfast.workers`, in camelCase. */
export interface WorkerSeen extends Presence {
  readonly drainAskedAt: Date | null
  readonly drainAskedBy: string | null
  readonly drainReason: string | null
  readonly cameAt: Date
  readonly heardAt: Date
  /** Heard of within the last three signs of life. */
  readonly alive: boolean
  /** The lease its process renews, if any. */
  readonly lease: number | null
  readonly leaseExpiresAt: Date | null
  /** How many leases it holds, those of single jobs included. */
  readonly leases: number
}

/** What a queue wants of its workers. */
export interface WorkTerms extends Pick<Policy, 'renewedBy' | 'leaseMs' | 'heartbeatMs'> {
  readonly name: string
}

export class Fleet {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** A sign of life; the answer says whether somebody asked this worker to drain. Call it as often as you like: it writes rarely. */
  async beat(presence: Presence, { overHttp = false } = {}): Promise<{ drain: boolean }> {
    const { worker, host, pid, version, kinds, queues, tenant, slots, busy, lagMs, draining } = presence
    const [row] = await this.#database.query<{ drain: boolean }>(
      'select holdfast.beat($1, $2, $3, $4, $5::text[], $6::text[], $7, $8, $9, $10, $11, $12) as drain',
      [
        checkName(worker, '/worker'),
        host,
        pid,
        version,
        [...kinds].sort(),
        [...queues].sort(),
        checkName(tenant, '/tenant'),
        slots,
        busy,
        wholeMs(lagMs) ?? 0,
        draining,
        overHttp,
      ],
      { repeatable: true },
    )
    return { drain: row?.drain === true }
  }

  /** Good-bye: the worker is no longer shown; with a tenant, as one of its workers. */
  async leave(worker: string, tenant?: string): Promise<void> {
    const repeatable = { repeatable: true }
    if (tenant === undefined) await this.#database.query('select holdfast.leave($1)', [worker], repeatable)
    else await this.#database.query('select holdfast.leave_as($1, $2)', [tenant, worker], repeatable)
  }

  /**
   * Asks a worker to take no more jobs, finish what it has and end; with a tenant only the one that works for it. False: it was asked already.
   */
  async drain(worker: string, { tenant, ...act }: Act & { tenant?: string } = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ asked: boolean }>(
      'select holdfast.drain_worker($1, $2, $3, $4) as asked',
      [checkName(worker, '/worker'), ...actValues(act), tenant ?? null],
    )
    return row?.asked === true
  }

  /** Keeps that a group of workers has changed its size, as an event of the feed: `workers_scaled`. */
  async noteScale(worker: string, { group, tenant, from, to, depth, reason }: ScaleDecision): Promise<void> {
    await this.#database.query('select holdfast.note_scale($1, $2, $3, $4, $5, $6, $7)', [
      checkName(tenant, '/tenant'),
      checkName(group, '/group'),
      checkName(worker, '/worker'),
      from,
      to,
      reason,
      depth,
    ])
  }

  /** How long leases last and how often to beat, by queue; what nobody has made yet is not among them. */
  async terms(queues: readonly string[], tenant = 'default'): Promise<WorkTerms[]> {
    return selectRows<WorkTerms>(
      this.#database,
      'select name, renewed_by, lease_ms, heartbeat_ms from holdfast.work_terms($1, $2::text[])',
      [checkName(tenant, '/tenant'), queues],
    )
  }

  /** Of one tenant, or of all that the connection may see; one that works for several stands there once for each. */
  async list({
    tenant,
    worker,
    limit = 1_000,
  }: {
    tenant?: string
    worker?: string
    limit?: number
  } = {}): Promise<WorkerSeen[]> {
    return selectRows<WorkerSeen>(
      this.#database,
      `select worker, tenant, host, pid, version, kinds, queues, slots, busy, lag_ms, draining, drain_asked_at, drain_asked_by, drain_reason,
         came_at, heard_at, alive, lease, lease_expires_at, leases
       from holdfast.workers where tenant = coalesce($1, tenant) and worker = coalesce($3, worker) order by worker, tenant limit $2`,
      [tenant ?? null, limit, worker ?? null],
    )
  }
}

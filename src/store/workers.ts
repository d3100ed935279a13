/** Workers as operators see them: list them and drain them. A worker's row is information only; leases decide which jobs it holds. */

import type { Database } from '../database/database.js'
import { holdfastError } from '../domain/errors/errors.js'
import { LIMITS } from '../domain/limits.js'
import type { Policy } from '../domain/policy.js'
import type { Presence } from '../domain/port.js'
import { checkName } from '../domain/validate.js'
import { type Attribution, attributionValues } from './job-commands.js'
import { selectRows } from './rows.js'

/** A worker: the columns of the view `holdfast.workers`, in camelCase. */
export interface WorkerRow extends Presence {
  readonly appVersion: string | null
  readonly drainRequestedAt: Date | null
  readonly drainRequestedBy: string | null
  readonly drainReason: string | null
  readonly startedAt: Date
  readonly heartbeatAt: Date
  /** Its last heartbeat is at most three heartbeat intervals old. */
  readonly alive: boolean
  /** The lease its process renews, if any. */
  readonly lease: number | null
  readonly leaseExpiresAt: Date | null
  /** How many leases it holds, those of single jobs included. */
  readonly leases: number
}

/** How a queue wants its jobs leased. */
export interface WorkTerms extends Pick<Policy, 'renewedBy' | 'leaseMs' | 'heartbeatMs'> {
  readonly name: string
}

export interface HeldJob {
  readonly id: number
  readonly queue: string
  readonly kind: string
  readonly attempt: number
  readonly claimedAt: Date
  readonly startedAt: Date | null
  readonly cancelRequested: boolean
}

export interface WorkerDetails extends WorkerRow {
  readonly heartbeatAgeMs: number
  readonly jobs: readonly HeldJob[]
  /** It may hold more. */
  readonly jobsCapped: boolean
}

/** Running jobs have no index by worker, and nothing else needs one. */
const RUNNING_EXAMINED_MAX = 10_000

export class Workers {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Asks a worker to claim no more jobs, finish those it holds and exit; with a tenant, only a worker of that tenant. Returns false when a
   * drain was requested before.
   */
  async drain(worker: string, { tenant, ...act }: Attribution & { tenant?: string } = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ requested: boolean }>(
      'select holdfast.drain_worker($1, $2, $3, $4) as requested',
      [checkName(worker, '/worker'), ...attributionValues(act), tenant ?? null],
    )
    return row?.requested === true
  }

  /**
   * A worker with the jobs it holds, the oldest first. It is the one of that tenant; without a tenant, the first of those that have the
   * name.
   */
  async details(worker: string, { tenant }: { tenant?: string } = {}): Promise<WorkerDetails> {
    const [row] = await this.list({ worker, limit: 1, ...(tenant === undefined ? {} : { tenant }) })
    if (row === undefined) throw holdfastError('unknown_worker', { worker })
    const max = LIMITS.workerJobsMax.default
    const jobs = await selectRows<HeldJob>(
      this.#database,
      `select id, queue, kind, attempt, claimed_at, started_at, cancel_requested
       from holdfast.worker_jobs($1, $2, ${max + 1}, ${RUNNING_EXAMINED_MAX})`,
      [row.tenant, worker],
    )
    const [clock] = await this.#database.query<{ now: Date }>('select holdfast.now() as now', [], {
      repeatable: true,
    })
    return {
      ...row,
      heartbeatAgeMs: Math.max(
        0,
        Math.round((clock?.now ?? new Date()).getTime() - row.heartbeatAt.getTime()),
      ),
      jobs: jobs.slice(0, max),
      jobsCapped: jobs.length > max,
    }
  }

  /** Lease length and heartbeat interval of each queue that exists. */
  async terms(queues: readonly string[], tenant = 'default'): Promise<WorkTerms[]> {
    return selectRows<WorkTerms>(
      this.#database,
      'select name, renewed_by, lease_ms, heartbeat_ms from holdfast.work_terms($1, $2::text[])',
      [checkName(tenant, '/tenant'), queues],
    )
  }

  /** Workers of one tenant, or of all that the connection may see; a worker that serves several tenants has one row for each. */
  async list({
    tenant,
    worker,
    limit = 1_000,
  }: {
    tenant?: string
    worker?: string
    limit?: number
  } = {}): Promise<WorkerRow[]> {
    return selectRows<WorkerRow>(
      this.#database,
      `select worker, tenant, host, pid, version, app_version, kinds, queues, slots, busy, lag_ms, draining, drain_requested_at, drain_requested_by, drain_reason,
         started_at, heartbeat_at, alive, lease, lease_expires_at, leases
       from holdfast.workers where tenant = coalesce($1, tenant) and worker = coalesce($3, worker) order by worker, tenant limit $2`,
      [tenant ?? null, limit, worker ?? null],
    )
  }
}

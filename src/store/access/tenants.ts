/** Tenants and their limits. Every claim enforces `max_running`; servers enforce the others when jobs are enqueued. */

import type { Database } from '../../database/database.js'
import { LIVE_STATES } from '../../domain/states/states.js'
import { checkName } from '../../domain/validate.js'
import { type Attribution, attributionValues } from '../job-commands.js'
import { selectRows } from '../rows.js'

/** Null: unlimited. */
export interface TenantLimits {
  readonly maxRunning: number | null
  readonly maxLiveJobs: number | null
  readonly enqueuesPerSecond: number | null
  readonly payloadBytesMax: number | null
}

export interface Tenant extends TenantLimits {
  readonly name: string
  readonly updatedAt: Date | null
}

const COLUMNS = 'name, max_running, max_live_jobs, enqueues_per_second, payload_bytes_max, updated_at'

const LIVE = LIVE_STATES.map((state) => `'${state}'`).join(', ')

export class Tenants {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** An unknown tenant has no limits. */
  async get(name: string): Promise<Tenant> {
    const [row] = await selectRows<Tenant>(
      this.#database,
      `select ${COLUMNS} from holdfast.tenants where name = $1`,
      [name],
    )
    return row ?? { ...UNLIMITED, name }
  }

  /** Ordered by name; `after` continues after a name. */
  async list({ after = '', limit = 50 }: { after?: string; limit?: number } = {}): Promise<Tenant[]> {
    return selectRows<Tenant>(
      this.#database,
      `select ${COLUMNS} from holdfast.tenants where name > $1 order by name limit $2`,
      [after, limit],
    )
  }

  /** Omitted limits stay unchanged. */
  async setLimits(name: string, limits: Partial<TenantLimits>, act: Attribution = {}): Promise<void> {
    const json = JSON.stringify({
      max_running: limits.maxRunning,
      max_live_jobs: limits.maxLiveJobs,
      enqueues_per_second: limits.enqueuesPerSecond,
      payload_bytes_max: limits.payloadBytesMax,
    })
    await this.#database.query('select holdfast.set_tenant_limits($1, $2::text::jsonb, $3, $4)', [
      checkName(name, '/tenant'),
      json,
      ...attributionValues(act),
    ])
  }

  /** Jobs that have not ended, counted up to `countMax`. */
  async liveJobs(name: string, countMax: number): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(
      `select count(*) as n from (select from holdfast.jobs where tenant = $1 and state in (${LIVE}) limit $2) x`,
      [name, countMax],
      { repeatable: true },
    )
    return row?.n ?? 0
  }
}

const UNLIMITED = {
  maxRunning: null,
  maxLiveJobs: null,
  enqueuesPerSecond: null,
  payloadBytesMax: null,
  updatedAt: null,
}

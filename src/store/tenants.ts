/** Tenants and their limits. `max_running` is kept by every claim; the others by the servers, where jobs come in. */
import { LIVE_STATES } from '../domain/states.js'
import { checkName } from '../domain/validate.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { selectRows } from './rows.js'

/** Null: as much as it likes. */
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

  /** One that nobody has heard of has no limits. */
  async get(name: string): Promise<Tenant> {
    const [row] = await selectRows<Tenant>(
      this.#database,
      `select ${COLUMNS} from holdfast.tenants where name = $1`,
      [name],
    )
    return row ?? { ...UNLIMITED, name }
  }

  /** By name; pass the last one to go on. */
  async list({ after = '', limit = 50 }: { after?: string; limit?: number } = {}): Promise<Tenant[]> {
    return selectRows<Tenant>(
      this.#database,
      `select ${COLUMNS} from holdfast.tenants where name > $1 order by name limit $2`,
      [after, limit],
    )
  }

  /** What is not named stays. */
  async setLimits(name: string, limits: Partial<TenantLimits>, act: Act = {}): Promise<void> {
    const json = JSON.stringify({
      max_running: limits.maxRunning,
      max_live_jobs: limits.maxLiveJobs,
      enqueues_per_second: limits.enqueuesPerSecond,
      payload_bytes_max: limits.payloadBytesMax,
    })
    await this.#database.query('select holdfast.set_tenant_limits($1, $2::text::jsonb, $3, $4)', [
      checkName(name, '/tenant'),
      json,
      ...actValues(act),
    ])
  }

  /** Jobs that have not ended, counted up to `most`. */
  async liveJobs(name: string, most: number): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(
      `select count(*) as n from (select from holdfast.jobs where tenant = $1 and state in (${LIVE}) limit $2) x`,
      [name, most],
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

/**
 * Who is told of alerts, and what is on its way to them. Nothing is checked of an address here: whoever calls it checks it each time, because
 * a name can lead elsewhere tomorrow.
 */
import type { AlertFacts, DELIVERY_STATES, TOLD_EVENTS } from '../domain/alerts.js'
import { holdfastError } from '../domain/errors.js'
import { checkName } from '../domain/validate.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { fromRow, selectRows } from './rows.js'

export interface Webhook {
  readonly id: number
  /** '*' hears of every tenant and of the installation. */
  readonly tenant: string
  readonly name: string
  readonly url: string
  /** Null: all of them. */
  readonly rules: string[] | null
  readonly enabled: boolean
  readonly createdAt: Date
  readonly createdBy: string | null
}

export interface Delivery {
  readonly id: number
  readonly webhookId: number
  readonly alertId: number
  readonly eventId: number
  readonly type: (typeof TOLD_EVENTS)[number]
  readonly state: (typeof DELIVERY_STATES)[number]
  readonly attempts: number
  readonly createdAt: Date
  readonly nextAt: Date
  readonly endedAt: Date | null
  readonly status: number | null
  readonly error: string | null
}

/** One delivery, for whoever is about to send it. */
export interface TakenDelivery extends AlertFacts {
  readonly id: number
  readonly attempt: number
  readonly webhookId: number
  /** Whose webhook it is; '*' is also sent what happens to others. */
  readonly webhookTenant: string
  readonly url: string
  readonly secret: string
  readonly type: (typeof TOLD_EVENTS)[number]
  readonly eventId: number
  readonly at: Date
  readonly alertId: number
  readonly tenant: string
}

export interface DeliveryEnd {
  readonly arrived: boolean
  readonly status: number | null
  readonly error: string | null
  /** When to try again; without it a failure is for good. */
  readonly retryMs?: number | undefined
}

/** Of one answer, whatever was asked for. */
const ROWS_MAX = 1000

const COLUMNS = 'id, tenant, name, url, rules, enabled, created_at, created_by'

export class Webhooks {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(
    webhook: Act & { tenant?: string; name: string; url: string; secret: string; rules?: readonly string[] },
  ): Promise<number> {
    const { tenant = 'default', name, url, secret, rules } = webhook
    const [row] = await this.#database.query<{ id: number }>(
      'select holdfast.add_webhook($1, $2, $3, $4, $5::text[], $6, $7) as id',
      [
        tenant === '*' ? tenant : checkName(tenant, '/tenant'),
        checkName(name),
        url,
        secret,
        rules ?? null,
        ...actValues(webhook),
      ],
    )
    return row?.id as number
  }

  /** Of one tenant, or of all; after an id. */
  async list(where: { tenant?: string; after?: number; limit?: number } = {}): Promise<Webhook[]> {
    return selectRows<Webhook>(
      this.#database,
      `select ${COLUMNS} from holdfast.webhooks where ($1::text is null or tenant = $1) and id > $2 order by id limit $3`,
      [where.tenant ?? null, where.after ?? 0, Math.min(where.limit ?? 100, ROWS_MAX)],
    )
  }

  async get(id: number): Promise<Webhook> {
    const [found] = await selectRows<Webhook>(
      this.#database,
      `select ${COLUMNS} from holdfast.webhooks where id = $1`,
      [id],
    )
    if (found === undefined) throw holdfastError('unknown_webhook', { webhook: id })
    return found
  }

  /** What is switched off is told nothing, not even later. False: it was so already. */
  async enable(id: number, enabled: boolean, act: Act = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.enable_webhook($1, $2, $3, $4) as done',
      [id, enabled, ...actValues(act)],
    )
    return row?.done === true
  }

  async remove(id: number, act: Act = {}): Promise<void> {
    await this.#database.query('select holdfast.remove_webhook($1, $2, $3)', [id, ...actValues(act)])
  }

  /** The newest first. */
  async deliveries(id: number, where: { before?: number; limit?: number } = {}): Promise<Delivery[]> {
    return selectRows<Delivery>(
      this.#database,
      `select id, webhook_id, alert_id, event_id, type, state, attempts, created_at, next_at, ended_at, status, error
       from holdfast.webhook_deliveries where webhook_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
      [id, where.before ?? null, Math.min(where.limit ?? 50, ROWS_MAX)],
    )
  }

  async target(id: number): Promise<{ url: string; secret: string }> {
    const [target] = await selectRows<{ url: string; secret: string }>(
      this.#database,
      'select url, secret from holdfast.webhook_target($1)',
      [id],
    )
    return target as { url: string; secret: string }
  }

  /** What is due, for this process to send within `leaseMs`; nobody else sends it meanwhile. `busy`: calls under way, by tenant. */
  async take(
    limit: number,
    leaseMs: number,
    { perTenant = limit, busy = {} }: { perTenant?: number; busy?: Readonly<Record<string, number>> } = {},
  ): Promise<TakenDelivery[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      `select id, attempt, webhook_id, webhook_tenant, url, secret, type, event_id, at, alert_id, tenant, rule, subject, value, threshold, data
       from holdfast.take_deliveries($1, $2, $3, $4::text::jsonb)`,
      [limit, leaseMs, perTenant, JSON.stringify(busy)],
    )
    return rows.map((row) => fromRow<TakenDelivery>(row))
  }

  /** False: it was not for us to say any more. */
  async settle(id: number, attempt: number, end: DeliveryEnd): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.settle_delivery($1, $2, $3, $4, $5, $6) as done',
      [id, attempt, end.arrived, end.status, end.error, end.retryMs ?? null],
      { repeatable: true },
    )
    return row?.done === true
  }

  /** We broke the call off: it is due again, and this attempt does not count. False: somebody else has it by now. */
  async giveBack(id: number, attempt: number): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.settle_delivery($1, $2, null) as done',
      [id, attempt],
    )
    return row?.done === true
  }
}

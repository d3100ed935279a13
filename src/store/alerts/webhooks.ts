/**
 * Webhooks: the subscribers of alerts, and their deliveries. Addresses are not checked here: the sender checks each one before every call,
 * because a host name may resolve to another address tomorrow.
 */

import type { Database } from '../../database/database.js'
import type { AlertFacts, DELIVERY_STATES, NOTIFIED_EVENTS } from '../../domain/alerts.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { checkName } from '../../domain/validate.js'
import { type Attribution, attributionValues } from '../job-commands.js'
import { fromRow, selectRows } from '../rows.js'

export interface Webhook {
  readonly id: number
  /** '*' receives alerts of every tenant and of the installation. */
  readonly tenant: string
  readonly name: string
  readonly url: string
  /** Null: all rules. */
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
  readonly type: (typeof NOTIFIED_EVENTS)[number]
  readonly state: (typeof DELIVERY_STATES)[number]
  readonly attempts: number
  readonly createdAt: Date
  readonly nextAt: Date
  readonly endedAt: Date | null
  readonly status: number | null
  readonly error: string | null
}

/** A delivery taken by a process that is about to send it. */
export interface TakenDelivery extends AlertFacts {
  readonly id: number
  readonly attempt: number
  readonly webhookId: number
  /** The tenant of the webhook; '*' also receives alerts of other tenants. */
  readonly webhookTenant: string
  readonly url: string
  readonly secret: string
  readonly type: (typeof NOTIFIED_EVENTS)[number]
  readonly eventId: number
  readonly at: Date
  readonly alertId: number
  readonly tenant: string
}

export interface DeliveryEnd {
  readonly arrived: boolean
  readonly status: number | null
  readonly error: string | null
  /** When to retry; without it the failure is final. */
  readonly retryMs?: number | undefined
}

/** The limit of one page. */
const ROWS_MAX = 1000

const COLUMNS = 'id, tenant, name, url, rules, enabled, created_at, created_by'

export class StoredWebhooks {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(
    webhook: Attribution & {
      tenant?: string
      name: string
      url: string
      secret: string
      rules?: readonly string[]
    },
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
        ...attributionValues(webhook),
      ],
    )
    return row?.id as number
  }

  /** Webhooks of one tenant or of all, after an id. */
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

  /** A disabled webhook receives nothing, not even later. Returns false when it had that state before. */
  async enable(id: number, enabled: boolean, act: Attribution = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.enable_webhook($1, $2, $3, $4) as done',
      [id, enabled, ...attributionValues(act)],
    )
    return row?.done === true
  }

  async remove(id: number, act: Attribution = {}): Promise<void> {
    await this.#database.query('select holdfast.remove_webhook($1, $2, $3)', [id, ...attributionValues(act)])
  }

  /** Newest first. */
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

  /** Takes due deliveries for this process to send within `leaseMs`; no other process sends them meanwhile. `busy`: running calls by tenant. */
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

  /** Returns false when another process has taken the delivery over. */
  async settle(id: number, attempt: number, end: DeliveryEnd): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.settle_delivery($1, $2, $3, $4, $5, $6) as done',
      [id, attempt, end.arrived, end.status, end.error, end.retryMs ?? null],
      { repeatable: true },
    )
    return row?.done === true
  }

  /** Returns a delivery whose call was aborted: it is due again, and the attempt does not count. Returns false when another process has it. */
  async giveBack(id: number, attempt: number): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.settle_delivery($1, $2, null) as done',
      [id, attempt],
    )
    return row?.done === true
  }
}

/** The feed of events for a server: one query returns the events of all tenants since a cursor and, on request, the queue counts. */

import type { Database } from '../database/database.js'
import { LIMITS } from '../domain/limits.js'
import { COUNT_MAX, type QueueCounts } from './list/listing.js'
import { type FeedEvent, feedEventFromRow, fromRow } from './rows.js'

export interface FeedEntry extends FeedEvent {
  /** null: the event belongs to every tenant. */
  readonly tenant: string | null
  readonly xid: number
}

export interface TenantCounts extends Omit<QueueCounts, 'queueId'> {
  readonly tenant: string
  readonly queue: string
}

export interface FeedPage {
  readonly cursor: string
  readonly events: FeedEntry[]
  readonly counts: TenantCounts[]
  /** The page is full; there may be more events. */
  readonly full: boolean
}

const PAGE = LIMITS.pageMax.default
const QUEUES_MAX = 1_000

const FOLLOW = `select f.cursor, f.events, (select jsonb_agg(c) from (
    select tenant, queue, queued, running, delayed, waiting, blocked, capped
    from holdfast.queue_counts($2::text[], ${QUEUES_MAX}, ${COUNT_MAX})) c) as counts
  from holdfast.feed($1, ${PAGE}) f`

export class EventFeed {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Without a cursor, starts now. `countsOf`: the tenants whose queues are counted. */
  async page(cursor: string | undefined, countsOf: readonly string[] = []): Promise<FeedPage> {
    const [row] = await this.#database.query<Record<string, unknown>>(FOLLOW, [cursor ?? null, countsOf], {
      repeatable: true,
    })
    const events = (row?.events ?? []) as Record<string, unknown>[]
    return {
      cursor: row?.cursor as string,
      events: events.map((event) => ({
        ...feedEventFromRow(event),
        tenant: event.tenant as string | null,
        xid: Number(event.xid),
      })),
      counts: ((row?.counts ?? []) as Record<string, unknown>[]).map((each) => fromRow<TenantCounts>(each)),
      full: events.length === PAGE,
    }
  }
}

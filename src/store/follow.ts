/** Following along for many at once: one question brings what happened since a cursor and, where asked, how much is where. */
import { LIMITS } from '../domain/limits.js'
import type { Database } from './database.js'
import { COUNT_COLUMNS } from './listing.js'
import { type FeedEvent, feedEventFromRow, fromRow } from './rows.js'

export interface FollowedEvent extends FeedEvent {
  /** null: of every tenant. */
  readonly tenant: string | null
  readonly xid: number
}

export interface FollowedCounts {
  readonly tenant: string
  readonly queue: string
  readonly queued: number
  readonly running: number
  readonly delayed: number
  readonly waiting: number
  readonly blocked: number
}

export interface Followed {
  readonly cursor: string
  readonly events: FollowedEvent[]
  readonly counts: FollowedCounts[]
  /** There may be more already. */
  readonly full: boolean
}

const PAGE = LIMITS.pageMax.default
const QUEUES_MAX = 1_000

const FOLLOW = `select f.cursor, f.events, (select jsonb_agg(c) from (
    select q.tenant, q.name as queue, ${COUNT_COLUMNS} from holdfast.queues q where q.tenant = any ($2::text[])
    order by q.tenant, q.name limit ${QUEUES_MAX}) c) as counts
  from holdfast.feed($1, ${PAGE}) f`

export class Follow {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** From now on without a cursor. `countsOf`: the tenants whose queues are to be counted. */
  async page(cursor: string | undefined, countsOf: readonly string[] = []): Promise<Followed> {
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
      counts: ((row?.counts ?? []) as Record<string, unknown>[]).map((each) => fromRow<FollowedCounts>(each)),
      full: events.length === PAGE,
    }
  }
}

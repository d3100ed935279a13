/**
 * Reads the database's numbers for metrics: bounded queries, cached for a few seconds, and each separate, so that a slow or failing one
 * does not take the others with it.
 */
import { askOnce } from '../domain/ask-once.js'
import type { LostAttempts } from '../store/gauges.js'
import type { Store } from '../store/store.js'
import type { DatabaseFacts } from '../telemetry/database-facts.js'

/** How long the numbers are cached. */
const CACHED_MS = 5_000
/** Queued jobs per queue that are counted by kind. */
const JOBS_BY_KIND_MAX = 100
const WORKERS_MAX = 1_000
const SCHEDULES_MAX = 1_000

export function databaseFacts(
  store: Store,
  onError: (part: string, error: unknown) => void,
): () => Promise<DatabaseFacts> {
  const part = <T>(name: string, query: Promise<T>): Promise<T | undefined> =>
    query.catch((error: unknown) => {
      onError(name, error)
      return undefined
    })
  const expired = new ExpiredLeases(() => store.gauges.lostAttempts())
  const read = askOnce(CACHED_MS, async () => {
    const [queues, workers, xmin, windows, leasesExpired, alerts, outbox, schedules] = await Promise.all([
      part('queues', store.gauges.queues()),
      part('workers', store.workers.list({ limit: WORKERS_MAX })),
      part('the oldest transaction', store.gauges.xminHolder()),
      part('windows', store.stats.queues()),
      part('expired leases', expired.read()),
      part('alerts', store.alerts.gauges()),
      part('the outbox', store.gauges.outbox()),
      part('schedules', store.gauges.schedules(SCHEDULES_MAX)),
    ])
    const waiting = (queues ?? [])
      .filter(({ counts }) => (counts.queued ?? 0) > 0)
      .map(({ queueId }) => queueId)
    const kinds = await part('kinds', store.gauges.depthByKind(waiting, JOBS_BY_KIND_MAX))
    return { queues, workers, xmin, kinds, windows, leasesExpired, alerts, outbox, schedules }
  })
  return async () => ({ ...(await read()), connections: store.gauges.connections() })
}

/**
 * Counts attempts whose lease expired since this server started. The database counts them by minute and adds to a minute as long as
 * transactions of it commit. So the last count of each minute is kept and only the difference is added: the counter never falls, also
 * when the database prunes minutes.
 */
export class ExpiredLeases {
  readonly #query: () => Promise<LostAttempts[]>
  #seen: Map<string, number> | undefined
  readonly #totals = new Map<number, number>()

  /** `query` returns the minutes of about the last hour. */
  constructor(query: () => Promise<LostAttempts[]>) {
    this.#query = query
  }

  /** Totals by queue id. */
  async read(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#query()
    const before = this.#seen
    // Minutes that the query no longer returns cannot grow any more.
    this.#seen = new Map(rows.map((row) => [keyOf(row), row.lost]))
    for (const row of rows) {
      // Attempts before the first read are not counted; the queue is listed with 0.
      const more = before === undefined ? 0 : row.lost - (before.get(keyOf(row)) ?? 0)
      this.#totals.set(row.queueId, (this.#totals.get(row.queueId) ?? 0) + Math.max(0, more))
    }
    return this.#totals
  }
}

function keyOf({ queueId, minute }: LostAttempts): string {
  return `${queueId} ${minute.getTime()}`
}

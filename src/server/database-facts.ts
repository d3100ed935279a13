/**
 * What a server asks its database for metrics: bounded, once for all who look within a few seconds, and each part by itself, so that one that
 * takes too long takes nothing else with it.
 */
import type { Store } from '../store/store.js'
import type { DatabaseFacts } from '../telemetry/database-facts.js'
import { remembered } from '../telemetry/remembered.js'
import { ExpiredLeases } from './expired-leases.js'

/** How long an answer is good for. */
const FACTS_FOR_MS = 5_000
/** Jobs of each queue whose kinds are looked at. */
const KINDS_OF = 100
const WORKERS_MAX = 1_000
const SCHEDULES_MAX = 1_000

export function databaseFacts(
  store: Store,
  failed: (what: string, error: unknown) => void,
): () => Promise<DatabaseFacts> {
  const part = <T>(what: string, ask: Promise<T>): Promise<T | undefined> =>
    ask.catch((error: unknown) => {
      failed(what, error)
      return undefined
    })
  const expired = new ExpiredLeases(() => store.gauges.lostAttempts())
  const ask = remembered(FACTS_FOR_MS, async () => {
    const [queues, workers, xmin, windows, leasesExpired, alerts, outbox, schedules] = await Promise.all([
      part('queues', store.gauges.queues()),
      part('workers', store.workers.list({ limit: WORKERS_MAX })),
      part('the oldest transaction', store.gauges.xminHolder()),
      part('windows', store.stats.queues()),
      part('leases that ran out', expired.read()),
      part('alerts', store.alerts.gauges()),
      part('the outbox', store.gauges.outbox()),
      part('schedules', store.gauges.schedules(SCHEDULES_MAX)),
    ])
    const waiting = (queues ?? [])
      .filter(({ counts }) => (counts.queued ?? 0) > 0)
      .map(({ queueId }) => queueId)
    const kinds = await part('kinds', store.gauges.depthByKind(waiting, KINDS_OF))
    return { queues, workers, xmin, kinds, windows, leasesExpired, alerts, outbox, schedules }
  })
  return async () => ({ ...(await ask()), connections: store.gauges.connections() })
}

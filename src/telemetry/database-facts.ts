/** Facts that a server reads from the database, as gauges. A part that could not be read is left out, with its families. */
import { isSystemKind } from '../domain/system-kinds.js'
import { type AlertGauges, alertSeries } from './alert-facts.js'
import { LABEL_VALUES_MAX, OTHER } from './label-values.js'
import type { Metrics } from './registry.js'
import type { ServerMetricsName } from './server-metrics.js'

export interface QueueFacts {
  readonly queueId: number
  readonly tenant: string
  readonly queue: string
  readonly paused: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly countedMax: number
  readonly oldestReady: Date | null
  readonly blockedSince: Date | null
}

export interface WorkerFacts {
  readonly tenant: string
  readonly kinds: readonly string[]
  readonly queues: readonly string[]
  readonly alive: boolean
  readonly draining: boolean
}

export interface WindowFacts {
  readonly queueId: number
  readonly windowSec: number
  readonly depth: number
  readonly priorities: Readonly<Record<string, number>>
  readonly failedRate: number | null
  readonly retrySuccessRate: number | null
  readonly averageWaitMs: number | null
}

export interface OutboxFacts {
  readonly queueId: number
  readonly unsent: number
  readonly sent: number
  readonly oldestAt: Date | null
}

export interface ScheduleRunFacts {
  readonly tenant: string
  readonly name: string
  /** When it last created a job, or its subject already had one; null: never yet. */
  readonly lastRunAt: Date | null
}

export interface DatabaseFacts {
  readonly queues?: readonly QueueFacts[] | undefined
  readonly workers?: readonly WorkerFacts[] | undefined
  /** Claimable jobs by queue and kind, among the first of each queue. */
  readonly kinds?:
    | readonly { readonly queueId: number; readonly kind: string; readonly jobs: number }[]
    | undefined
  /** Metrics of queues over time windows, one entry for each queue and window. */
  readonly windows?: readonly WindowFacts[] | undefined
  /** Attempts whose lease ran out since the server started, by queue. */
  readonly leasesExpired?: ReadonlyMap<number, number> | undefined
  /** For queues that have an external trigger. */
  readonly outbox?: readonly OutboxFacts[] | undefined
  readonly schedules?: readonly ScheduleRunFacts[] | undefined
  readonly xmin?: { readonly holder: string; readonly ageSeconds: number } | undefined
  readonly alerts?: AlertGauges | undefined
  readonly connections?:
    | { readonly busy: number; readonly idle: number; readonly waiting: number }
    | undefined
}

type ServerGauges = Metrics<ServerMetricsName>
type Labels = { readonly tenant: string; readonly queue: string }

export function setFacts(metrics: ServerGauges, facts: DatabaseFacts): void {
  const { queues = [], workers, kinds, xmin, alerts, connections } = facts
  const labels = queueLabels(queues)
  setQueues(metrics, queues, labels)
  setWindows(metrics, labels, facts.windows ?? [])
  for (const [queueId, lost] of facts.leasesExpired ?? []) {
    const { tenant, queue } = labels.get(queueId) ?? { tenant: OTHER, queue: OTHER }
    metrics.counter('holdfast_leases_expired_total', tenant, queue).value = lost
  }
  setOutbox(metrics, labels, facts.outbox ?? [])
  setWorkers(metrics, workers ?? [])
  metrics.setGauge(
    'holdfast_unserved_jobs',
    // Without knowing which workers exist, it is unknown which queues have none.
    workers === undefined ? [] : unserved(queues, labels, workers, kinds ?? []),
  )
  metrics.setGauge('holdfast_schedule_last_run_timestamp_seconds', scheduleRuns(facts.schedules ?? []))
  metrics.setGauge(
    'holdfast_xmin_holder_age_seconds',
    xmin === undefined ? [] : [[{ holder: xmin.holder }, xmin.ageSeconds]],
  )
  const series = alertSeries(alerts ?? { alerts: [], values: [] })
  metrics.setGauge('holdfast_alerts', series.alerts)
  metrics.setGauge('holdfast_alert_value', series.values)
  metrics.setGauge(
    'holdfast_db_pool_connections',
    Object.entries(connections ?? {}).map(([state, count]) => [{ state }, count]),
  )
}

/** The first queues have their own name as a label; the others share one. */
function queueLabels(queues: readonly QueueFacts[]): Map<number, Labels> {
  return new Map(
    queues.map(({ queueId, tenant, queue }, index) => [
      queueId,
      index < LABEL_VALUES_MAX ? { tenant, queue } : { tenant: OTHER, queue: OTHER },
    ]),
  )
}

function setQueues(
  metrics: ServerGauges,
  queues: readonly QueueFacts[],
  labels: ReadonlyMap<number, Labels>,
): void {
  const jobs = new Sums()
  const paused = new Sums(Math.max)
  const oldest = new Sums(Math.min)
  const blocked = new Sums(Math.min)
  for (const queue of queues) {
    const own = labels.get(queue.queueId) as Labels
    for (const [state, count] of Object.entries({ queued: 0, ...queue.counts }))
      jobs.add({ ...own, state }, count)
    paused.add(own, queue.paused ? 1 : 0)
    if (queue.oldestReady !== null) oldest.add(own, seconds(queue.oldestReady))
    if (queue.blockedSince !== null) blocked.add(own, seconds(queue.blockedSince))
  }
  metrics.setGauge('holdfast_jobs', jobs.list())
  metrics.setGauge('holdfast_queue_paused', paused.list())
  metrics.setGauge('holdfast_queue_oldest_ready_timestamp_seconds', oldest.list())
  metrics.setGauge('holdfast_queue_blocked_since_timestamp_seconds', blocked.list())
  const [first] = queues
  metrics.setGauge('holdfast_jobs_counted_max', first === undefined ? [] : [[{}, first.countedMax]])
}

function setOutbox(
  metrics: ServerGauges,
  labels: ReadonlyMap<number, Labels>,
  outbox: readonly OutboxFacts[],
): void {
  const jobs = new Sums()
  const oldest = new Sums(Math.min)
  for (const { queueId, unsent, sent, oldestAt } of outbox) {
    const own = labels.get(queueId) ?? { tenant: OTHER, queue: OTHER }
    jobs.add({ ...own, state: 'unsent' }, unsent)
    jobs.add({ ...own, state: 'sent' }, sent)
    if (oldestAt !== null) oldest.add(own, seconds(oldestAt))
  }
  metrics.setGauge('holdfast_outbox_jobs', jobs.list())
  metrics.setGauge('holdfast_outbox_oldest_timestamp_seconds', oldest.list())
}

/** Names of time windows for people. */
const WINDOW_NAMES = new Map([
  [15 * 60, '15m'],
  [60 * 60, '1h'],
  [24 * 60 * 60, '24h'],
])

/** Averages and ratios cannot be added up, so only queues with their own label have them. */
function setWindows(
  metrics: ServerGauges,
  labels: ReadonlyMap<number, Labels>,
  windows: readonly WindowFacts[],
): void {
  const depth = new Sums(Math.max)
  const bands = new Map<number, Sums>()
  const failed = new Sums()
  const retried = new Sums()
  const waited = new Sums()
  for (const one of windows) {
    const own = labels.get(one.queueId)
    if (own === undefined || own.queue === OTHER) continue
    const inWindow = { ...own, window: WINDOW_NAMES.get(one.windowSec) ?? `${one.windowSec}s` }
    if (one.failedRate !== null) failed.add(inWindow, one.failedRate)
    if (one.retrySuccessRate !== null) retried.add(inWindow, one.retrySuccessRate)
    if (one.averageWaitMs !== null) waited.add(inWindow, one.averageWaitMs / 1000)
    depth.add(own, one.depth)
    if (!bands.has(one.queueId)) bands.set(one.queueId, bandsOf(own, one.priorities))
  }
  metrics.setGauge('holdfast_queue_depth', depth.list())
  metrics.setGauge(
    'holdfast_queue_priority_jobs',
    [...bands.values()].flatMap((sums) => sums.list()),
  )
  metrics.setGauge('holdfast_queue_failed_ratio', failed.list())
  metrics.setGauge('holdfast_queue_retry_success_ratio', retried.list())
  metrics.setGauge('holdfast_queue_wait_average_seconds', waited.list())
}

function bandsOf(own: Labels, priorities: Readonly<Record<string, number>>): Sums {
  const sums = new Sums()
  for (const [priority, jobs] of Object.entries(priorities)) {
    const low = Math.min(90, Math.floor(Number(priority) / 10) * 10)
    sums.add({ ...own, priority: `${low}-${low === 90 ? 100 : low + 9}` }, jobs)
  }
  return sums
}

function setWorkers(metrics: ServerGauges, workers: readonly WorkerFacts[]): void {
  const sums = new Sums()
  const tenants = new Set<string>()
  for (const { tenant, alive, draining } of workers) {
    const known = tenants.has(tenant) || tenants.size < LABEL_VALUES_MAX
    if (known) tenants.add(tenant)
    const state = alive ? (draining ? 'draining' : 'working') : 'silent'
    sums.add({ tenant: known ? tenant : OTHER, state }, 1)
  }
  metrics.setGauge('holdfast_workers', sums.list())
}

function unserved(
  queues: readonly QueueFacts[],
  labels: ReadonlyMap<number, Labels>,
  workers: readonly WorkerFacts[],
  kinds: NonNullable<DatabaseFacts['kinds']>,
) {
  const byId = new Map(queues.map((queue) => [queue.queueId, queue]))
  const live = workers.filter(({ alive, draining }) => alive && !draining)
  const sums = new Sums()
  for (const { queueId, kind, jobs } of kinds) {
    const { tenant, queue } = byId.get(queueId) ?? {}
    if (tenant === undefined || queue === undefined || isSystemKind(kind)) continue
    const served = live.some(
      (one) => one.tenant === tenant && one.queues.includes(queue) && one.kinds.includes(kind),
    )
    if (served) continue
    const label = sums.size < LABEL_VALUES_MAX ? kind : OTHER
    sums.add({ ...(labels.get(queueId) as Labels), kind: label }, jobs)
  }
  return sums.list()
}

/** After the first hundred, the one that ran last represents the others. Which are the first does not depend on which have run yet. */
function scheduleRuns(schedules: readonly ScheduleRunFacts[]) {
  const runs = new Sums(Math.max)
  for (const [index, { tenant, name, lastRunAt }] of schedules.entries()) {
    if (lastRunAt === null) continue
    const own = index < LABEL_VALUES_MAX
    runs.add({ tenant: own ? tenant : OTHER, schedule: own ? name : OTHER }, seconds(lastRunAt))
  }
  return runs.list()
}

const seconds = (time: Date) => time.getTime() / 1000

/** Values by their labels; values with the same labels are combined. */
class Sums {
  readonly #together: (one: number, other: number) => number
  readonly #values = new Map<string, [Record<string, string>, number]>()

  constructor(together: (one: number, other: number) => number = (one, other) => one + other) {
    this.#together = together
  }

  get size(): number {
    return this.#values.size
  }

  add(labels: Record<string, string>, value: number): void {
    const key = Object.values(labels).join('\0')
    const known = this.#values.get(key)
    if (known === undefined) this.#values.set(key, [labels, value])
    else known[1] = this.#together(known[1], value)
  }

  list(): [Record<string, string>, number][] {
    return [...this.#values.values()]
  }
}

/**
 * The metrics of a process that works on jobs. Each job costs two lookups and a few additions, because the cells of a kind are looked up once
 * and kept. Values that can be read at the time of a scrape (running jobs, depths, connections) are read then.
 */

import { askOnce } from '../domain/ask-once.js'
import { errorCode, type Measurement } from '../domain/measure.js'
import type { State } from '../domain/states/states.js'
import { stateWord } from '../presets/state-words.js'
import type { CounterCell, HistogramCell } from './cells.js'
import { LABEL_VALUES_MAX, OTHER } from './label-values.js'
import { Metrics } from './registry.js'
import { queryType, statementOf } from './statement.js'
import { WORKER_FAMILIES } from './worker-families.js'

/** What the metrics need of an ended attempt; the worker's EndedAttempt has it. */
export interface AttemptFacts {
  readonly kind: string
  readonly queueId: number
  readonly queue: string
  readonly outcome: string
  readonly accepted: boolean
  readonly state: State | null
  readonly ranMs: number
  readonly waitedMs: number | null
}

/** What the metrics read from a worker of this process. */
export interface WatchedWorker {
  readonly tenant: string
  readonly kinds: readonly string[]
  stats(): {
    readonly slots: number
    readonly busy: number
    readonly leasesLost: number
    readonly running: Readonly<Record<string, number>>
  }
  /** Claimable jobs of its queues by kind; each queue is counted up to `max`. */
  depths(max: number): Promise<readonly { readonly kind: string; readonly jobs: number }[]>
}

/** What the metrics need of an external trigger; the store's Trigger has it. */
export interface CountedTrigger {
  readonly name: string
  counts(): Readonly<Record<string, number>>
}

interface Connections {
  readonly busy: number
  readonly idle: number
  readonly waiting: number
}

/** job_queue_depth counts up to this many jobs of one queue; then it means "at least". */
const DEPTH_COUNTED_MAX = 10_000
/** How long a measured depth is reused. */
const DEPTH_FOR_MS = 5_000

export type WorkerMetricsName = keyof typeof WORKER_FAMILIES

export class WorkerMetrics {
  readonly #metrics = new Metrics<WorkerMetricsName>(WORKER_FAMILIES)
  readonly #workers = new Set<Joined>()
  readonly #pools = new Set<() => Connections | undefined>()
  readonly #triggers = new Set<CountedTrigger>()
  readonly #measured = measurementFeeder(this.#metrics)
  #leasesLost = 0

  constructor({ version }: { readonly version: string }) {
    this.#metrics.setGauge('holdfast_build_info', [[{ version, node: process.version }, 1]])
  }

  get contentType(): string {
    return this.#metrics.contentType
  }

  /** Adds a worker; returns the callback for its ended attempts, and how to remove it. */
  join(worker: WatchedWorker): { ended(attempt: AttemptFacts): void; leave(): void } {
    const joined = { worker, depths: askOnce(DEPTH_FOR_MS, () => worker.depths(DEPTH_COUNTED_MAX)) }
    this.#workers.add(joined)
    const cells = new AttemptCells(this.#metrics, worker)
    return {
      ended: (attempt) => cells.ended(attempt),
      leave: () => {
        if (!this.#workers.delete(joined)) return
        // Its lost leases stay counted.
        this.#leasesLost += worker.stats().leasesLost
      },
    }
  }

  /** Adds a pool of connections; returns how to remove it. */
  joinPool(connections: () => Connections | undefined): () => void {
    this.#pools.add(connections)
    return () => void this.#pools.delete(connections)
  }

  /** Adds an external trigger, once. It is never removed, because its counters must not go back. */
  joinTrigger(trigger: CountedTrigger): void {
    this.#triggers.add(trigger)
  }

  measured(measured: Measurement): void {
    this.#measured(measured)
  }

  queried(statement: string, seconds: number, error: unknown): void {
    const type = queryType(statementOf(statement))
    this.#metrics.histogram('db_query_duration_seconds', type).observe(seconds)
    if (error !== null) this.#metrics.counter('db_query_errors_total', type, errorCode(error)).add()
  }

  enqueued(tenant: string, queue: string, count: number): void {
    this.#metrics.counter('holdfast_jobs_enqueued_total', tenant, queue).add(count)
  }

  refused(count: number): void {
    this.#metrics.counter('holdfast_stale_writes_refused_total').add(count)
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    this.#setSlots()
    this.#setConnections()
    this.#setTriggers()
    await this.#setDepths()
    return this.#metrics.text()
  }

  #setSlots(): void {
    const running = new Map<string, number>()
    let busy = 0
    let slots = 0
    let lost = this.#leasesLost
    for (const { worker } of this.#workers) {
      const stats = worker.stats()
      busy += stats.busy
      slots += stats.slots
      lost += stats.leasesLost
      for (const kind of worker.kinds) addTo(running, kind, 0)
      for (const [kind, jobs] of Object.entries(stats.running)) addTo(running, kind, jobs)
    }
    // Reducing the slots does not end running jobs, so there may be more busy slots than slots.
    this.#metrics.setGauge('holdfast_worker_slots', [
      [{ state: 'busy' }, busy],
      [{ state: 'free' }, Math.max(0, slots - busy)],
    ])
    this.#metrics.counter('holdfast_worker_leases_lost_total').value = lost
    this.#metrics.setGauge('job_active_count', byKind(running))
  }

  #setConnections(): void {
    const sum = { busy: 0, idle: 0, waiting: 0 }
    for (const connections of this.#pools) {
      const now = connections()
      for (const state of CONNECTION_STATES) sum[state] += now?.[state] ?? 0
    }
    const states = CONNECTION_STATES.map((state) => [{ state }, sum[state]] as const)
    this.#metrics.setGauge('holdfast_db_pool_connections', states)
  }

  #setTriggers(): void {
    const counts = [...this.#triggers].flatMap((trigger) =>
      Object.entries(trigger.counts()).map(([reason, count]) => ({
        cell: this.#metrics.counter('holdfast_sqs_messages_total', trigger.name, reason),
        count,
      })),
    )
    // Values with the same labels are added up.
    for (const { cell } of counts) cell.value = 0
    for (const { cell, count } of counts) cell.add(count)
  }

  /** If the database does not answer, depths are left out and everything else is exported. */
  async #setDepths(): Promise<void> {
    const all = await Promise.all(
      [...this.#workers].map(async ({ worker, depths }) => ({
        worker,
        found: await depths().catch(() => undefined),
      })),
    )
    const depth = new Map<string, number>()
    for (const { worker, found } of all) {
      if (found === undefined) continue
      for (const kind of worker.kinds) addTo(depth, kind, 0)
      for (const { kind, jobs } of found) addTo(depth, worker.kinds.includes(kind) ? kind : OTHER, jobs)
    }
    this.#metrics.setGauge('job_queue_depth', byKind(depth))
  }
}

interface Joined {
  readonly worker: WatchedWorker
  readonly depths: () => Promise<readonly { readonly kind: string; readonly jobs: number }[]>
}

const CONNECTION_STATES = ['busy', 'idle', 'waiting'] as const

function addTo(sums: Map<string, number>, name: string, count: number): void {
  sums.set(name, (sums.get(name) ?? 0) + count)
}

function byKind(sums: ReadonlyMap<string, number>): [{ job_type: string }, number][] {
  const kept = new Map<string, number>()
  for (const [kind, jobs] of sums)
    addTo(kept, kept.size < LABEL_VALUES_MAX || kept.has(kind) ? kind : OTHER, jobs)
  return [...kept].map(([kind, jobs]) => [{ job_type: kind }, jobs])
}

/** The cells of one kind in one queue. */
interface KindCells {
  readonly run: HistogramCell
  readonly wait: HistogramCell
  readonly latency: HistogramCell
  readonly outcomes: Map<string, CounterCell>
  readonly states: Map<State, { readonly took: HistogramCell; readonly processed: CounterCell }>
}

class AttemptCells {
  readonly #metrics: Metrics<WorkerMetricsName>
  readonly #tenant: string
  readonly #kinds: ReadonlySet<string>
  readonly #known = new Map<number, Map<string, KindCells>>()

  constructor(metrics: Metrics<WorkerMetricsName>, { tenant, kinds }: WatchedWorker) {
    this.#metrics = metrics
    this.#tenant = tenant
    this.#kinds = new Set(kinds)
  }

  ended(attempt: AttemptFacts): void {
    const cells = this.#known.get(attempt.queueId)?.get(this.#label(attempt.kind)) ?? this.#make(attempt)
    const { outcome, accepted, state, ranMs, waitedMs } = attempt
    const seconds = ranMs / 1000
    cells.run.observe(seconds)
    if (waitedMs !== null) {
      cells.wait.observe(waitedMs / 1000)
      cells.latency.observe(waitedMs)
    }
    const how = accepted ? outcome : 'lost'
    const counted = cells.outcomes.get(how) ?? this.#outcome(cells, attempt, how)
    counted.add()
    if (!accepted || state === null) return
    const status = cells.states.get(state) ?? this.#state(cells, attempt.kind, state)
    status.took.observe(seconds)
    status.processed.add()
  }

  #label(kind: string): string {
    return this.#kinds.has(kind) ? kind : OTHER
  }

  #make({ queueId, queue, kind }: AttemptFacts): KindCells {
    const label = this.#label(kind)
    const ours = [this.#tenant, queue, label]
    const cells: KindCells = {
      run: this.#metrics.histogram('holdfast_job_run_duration_seconds', ...ours),
      wait: this.#metrics.histogram('holdfast_job_wait_duration_seconds', ...ours),
      latency: this.#metrics.histogram('job_queue_latency_milliseconds', label),
      outcomes: new Map(),
      states: new Map(),
    }
    const ofQueue = this.#known.get(queueId) ?? new Map<string, KindCells>()
    this.#known.set(queueId, ofQueue.set(label, cells))
    return cells
  }

  #outcome(cells: KindCells, { queue, kind }: AttemptFacts, outcome: string): CounterCell {
    const labels = [this.#tenant, queue, this.#label(kind), outcome]
    const cell = this.#metrics.counter('holdfast_job_attempts_total', ...labels)
    cells.outcomes.set(outcome, cell)
    return cell
  }

  /** The states of the pipeline preset: completed, failed_retryable, failed. */
  #state(cells: KindCells, kind: string, state: State) {
    const labels = [this.#label(kind), stateWord('pipeline', state, { attempted: true })]
    const status = {
      took: this.#metrics.histogram('job_processing_duration_seconds', ...labels),
      processed: this.#metrics.counter('job_processed_total', ...labels),
    }
    cells.states.set(state, status)
    return status
  }
}

/** Adds what handlers measure to the families of its kind. */
function measurementFeeder(metrics: Metrics<WorkerMetricsName>): (measured: Measurement) => void {
  const families = {
    external: ['external_duration_seconds', 'external_error_total'],
    s3: ['s3_operation_duration_seconds', 's3_operation_errors_total'],
    cloudfront: ['cloudfront_operation_duration_seconds', 'cloudfront_operation_errors_total'],
    db: ['db_query_duration_seconds', 'db_query_errors_total'],
    image: [null, 'image_processing_errors_total'],
  } as const
  return ({ of, labels, seconds, error }) => {
    const [durations, errors] = families[of]
    if (durations !== null) metrics.histogram(durations, ...labels).observe(seconds)
    if (error !== null) metrics.counter(errors, ...labels, error).add()
  }
}

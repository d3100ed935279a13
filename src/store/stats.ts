/** Queue statistics from the counts per minute. */
import type { Database } from '../database/database.js'
import { COUNT_MAX } from './list/listing.js'
import { selectRows } from './rows.js'

/** The default windows. */
export const WINDOWS = { '15m': 15 * 60, '1h': 60 * 60, '24h': 24 * 60 * 60 } as const

/** The bound of jobs of a priority in one queue; COUNT_MAX where all queues are counted. */
export const PRIORITY_COUNT_MAX = 10_000

export interface QueueMetrics {
  readonly tenant: string
  readonly queue: string
  readonly queueId: number
  readonly windowSec: number
  /** Claimable jobs; each priority is counted up to a bound. */
  readonly depth: number
  /** The same by priority. */
  readonly priorities: Readonly<Record<string, number>>
  readonly enqueued: number
  readonly started: number
  readonly succeeded: number
  readonly failed: number
  readonly canceled: number
  readonly endedAfterFailures: number
  readonly succeededAfterFailures: number
  readonly attemptsFailed: number
  readonly attemptsLost: number
  /** First starts, the base of the average wait. */
  readonly waits: number
  /** The share of failed jobs among those that succeeded or failed; null when there were none. */
  readonly failedRate: number | null
  /** The share of succeeded jobs among those that ended after a failure. */
  readonly retrySuccessRate: number | null
  /** From when a job became claimable to its first start. */
  readonly averageWaitMs: number | null
  readonly averageRunMs: number | null
  /** Since when the job that has waited longest could have been claimed; null: none is ready. */
  readonly oldestReadyAt: Date | null
}

export class Stats {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** One row for each queue and window; without a tenant, for all tenants that the connection sees. */
  async queues({
    tenant,
    queue,
    windowsSec = Object.values(WINDOWS),
    countMax = PRIORITY_COUNT_MAX,
  }: {
    tenant?: string
    queue?: string
    windowsSec?: readonly number[]
    countMax?: number
  } = {}): Promise<QueueMetrics[]> {
    return selectRows<QueueMetrics>(
      this.#database,
      `select tenant, queue, queue_id, window_sec, depth, priorities, enqueued, started, succeeded, failed, canceled, ended_after_failures,
         succeeded_after_failures, attempts_failed, attempts_lost, waits, failed_rate, retry_success_rate, average_wait_ms, average_run_ms,
         oldest_ready_at
       from holdfast.queue_metrics($1, array(select interval '1 s' * s from unnest($2::int[]) s), $3, $4)`,
      [tenant ?? null, windowsSec, countMax, queue ?? null],
    )
  }

  /** The same, grouped by queue, with the windows by name. Priorities are counted up to PRIORITY_COUNT_MAX in one queue, to COUNT_MAX in all. */
  async byQueue(options: { tenant?: string; queue?: string } = {}): Promise<QueueStats[]> {
    const countMax = options.queue === undefined ? COUNT_MAX : PRIORITY_COUNT_MAX
    return together(await this.queues({ ...options, countMax }))
  }
}

/** A queue with its figures for each window. */
export interface QueueStats
  extends Pick<QueueMetrics, 'queue' | 'tenant' | 'depth' | 'priorities' | 'oldestReadyAt'> {
  readonly windows: Readonly<Record<string, WindowStats>>
}

type WindowStats = Omit<
  QueueMetrics,
  'queue' | 'tenant' | 'queueId' | 'windowSec' | 'depth' | 'priorities' | 'oldestReadyAt' | 'waits'
>

function together(metrics: readonly QueueMetrics[]): QueueStats[] {
  const queues = new Map<number, QueueStats>()
  for (const metric of metrics) {
    const {
      queue,
      tenant,
      queueId,
      windowSec,
      depth,
      priorities,
      oldestReadyAt,
      waits: _,
      ...counts
    } = metric
    const name = Object.entries(WINDOWS).find(([, sec]) => sec === windowSec)?.[0] ?? `${windowSec}s`
    const windows = { ...queues.get(queueId)?.windows, [name]: counts }
    queues.set(queueId, { queue, tenant, depth, priorities, oldestReadyAt, windows })
  }
  return [...queues.values()]
}

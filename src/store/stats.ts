/** Queue statistics from the counts per minute. */
import type { Database } from '../database/database.js'
import { selectRows } from './rows.js'

/** The default windows. */
export const WINDOWS = { '15m': 15 * 60, '1h': 60 * 60, '24h': 24 * 60 * 60 } as const

export interface QueueMetrics {
  readonly tenant: string
  readonly queue: string
  readonly queueId: number
  readonly windowSec: number
  /** Claimable jobs; each priority is counted up to 10,000. */
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
}

export class Stats {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** One row for each queue and window; without a tenant, for all tenants that the connection sees. */
  async queues({
    tenant,
    windowsSec = Object.values(WINDOWS),
  }: {
    tenant?: string
    windowsSec?: readonly number[]
  } = {}): Promise<QueueMetrics[]> {
    return selectRows<QueueMetrics>(
      this.#database,
      `select tenant, queue, queue_id, window_sec, depth, priorities, enqueued, started, succeeded, failed, canceled, ended_after_failures,
         succeeded_after_failures, attempts_failed, attempts_lost, waits, failed_rate, retry_success_rate, average_wait_ms, average_run_ms
       from holdfast.queue_metrics($1, array(select interval '1 s' * s from unnest($2::int[]) s))`,
      [tenant ?? null, windowsSec],
    )
  }

  /** The same, grouped by queue, with the windows by name. */
  async byQueue(options: { tenant?: string } = {}): Promise<QueueStats[]> {
    return together(await this.queues(options))
  }
}

/** A queue with its figures for each window. */
export interface QueueStats extends Pick<QueueMetrics, 'queue' | 'tenant' | 'depth' | 'priorities'> {
  readonly windows: Readonly<Record<string, WindowStats>>
}

type WindowStats = Omit<
  QueueMetrics,
  'queue' | 'tenant' | 'queueId' | 'windowSec' | 'depth' | 'priorities' | 'waits'
>

function together(metrics: readonly QueueMetrics[]): QueueStats[] {
  const queues = new Map<number, QueueStats>()
  for (const { queue, tenant, queueId, windowSec, depth, priorities, waits: _waits, ...counts } of metrics) {
    const name = Object.entries(WINDOWS).find(([, sec]) => sec === windowSec)?.[0] ?? `${windowSec}s`
    const windows = { ...queues.get(queueId)?.windows, [name]: counts }
    queues.set(queueId, { queue, tenant, depth, priorities, windows })
  }
  return [...queues.values()]
}

/** The health of a queue, computed from its row, its metrics and the workers that serve it. */

import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'

export type Queue = AnswerOf<'GET /api/v1/queues'>['queues'][number]
export type QueueMetrics = AnswerOf<'GET /api/v1/metrics/queues'>['queues'][number]
export type Worker = AnswerOf<'GET /api/v1/workers'>['workers'][number]

export interface Standing {
  readonly queue: Queue
  readonly metrics: QueueMetrics | undefined
  /** Live workers that claim from it. */
  readonly workers: readonly Worker[]
  readonly slots: number
  /** Ready jobs and no worker that serves the queue. */
  readonly unserved: boolean
  readonly failing: boolean
  readonly full: boolean
  /** Jobs that ended, per minute, over the last quarter of an hour. */
  readonly perMinute: number | null
  /** Failed and lost attempts among those that ended, in the same time. */
  readonly failedRate: number | null
}

export async function loadStandings(signal: AbortSignal) {
  const [{ queues }, metrics, { workers }] = await Promise.all([
    call('GET /api/v1/queues', { signal }),
    call('GET /api/v1/metrics/queues', { signal }),
    call('GET /api/v1/workers', { signal }),
  ])
  const byName = new Map(metrics.queues.map((each) => [each.queue, each]))
  return queues.map((queue) => standingOf(queue, byName.get(queue.name), workers))
}

/** So many attempts in the window that a share of failures means something. */
const ATTEMPTS_MIN = 5
const FAILING_SHARE = 0.2

export function standingOf(
  queue: Queue,
  metrics: QueueMetrics | undefined,
  all: readonly Worker[],
): Standing {
  const workers = all.filter(
    ({ alive, queues }) => alive && (queues.length === 0 || queues.includes(queue.name)),
  )
  const recent = metrics?.windows['15m']
  const ended = recent === undefined ? 0 : recent.succeeded + recent.failed + recent.canceled
  const failed = recent === undefined ? 0 : recent.attempts_failed + recent.attempts_lost
  const attempts = failed + (recent?.succeeded ?? 0)
  const failedRate = attempts === 0 ? null : failed / attempts
  const { max_running: most } = queue.policy
  return {
    queue,
    metrics,
    workers,
    slots: workers.reduce((sum, { slots }) => sum + slots, 0),
    unserved: queue.paused_at === null && queue.counts.queued > 0 && workers.length === 0,
    failing: attempts >= ATTEMPTS_MIN && (failedRate ?? 0) >= FAILING_SHARE,
    full: most !== null && queue.counts.running >= most,
    perMinute: recent === undefined ? null : round(ended / 15),
    failedRate,
  }
}

/** What needs attention first: unserved, failing, blocked, paused, then by depth. */
export function byAttention(a: Standing, b: Standing): number {
  const rank = ({ unserved, failing, queue }: Standing) =>
    unserved ? 0 : failing ? 1 : queue.counts.blocked > 0 ? 2 : queue.paused_at !== null ? 3 : 4
  return (
    rank(a) - rank(b) ||
    b.queue.counts.queued - a.queue.counts.queued ||
    a.queue.name.localeCompare(b.queue.name)
  )
}

const round = (rate: number) => (rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10)

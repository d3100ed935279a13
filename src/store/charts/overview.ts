/**
 * The overview of a tenant: problems that need an operator, jobs by place, and counts for navigation. Two
 * statements, each bounded.
 */

import type { Database } from '../../database/database.js'
import { LIMITS } from '../../domain/limits.js'
import {
  type OverviewProblem,
  type ProblemFacts,
  type ProblemType,
  problemsOf,
} from '../../domain/stats/problems.js'
import { COUNT_MAX } from '../list/listing.js'
import { fromRow } from '../rows.js'

export interface Count {
  readonly count: number
  /** Counting stopped; there may be more. */
  readonly capped: boolean
}

const PLACES = ['delayed', 'ready', 'running', 'waiting', 'blocked', 'paused', 'parked', 'pending'] as const

export interface JobFlow {
  readonly now: Date
  readonly countedTo: Date | null
  readonly places: Readonly<Record<(typeof PLACES)[number], Count>>
  readonly ended: { readonly succeeded: number; readonly failed: number; readonly canceled: number }
  readonly perMinute: Readonly<
    Record<'enqueued' | 'started' | 'ended' | 'succeeded' | 'failed' | 'attempts_failed', number>
  >
  readonly slots: number
  readonly busy: number
  readonly oldestReadyAt: Date | null
  readonly nextDueAt: Date | null
  readonly counts: {
    readonly jobs: Count
    readonly blocked_targets: Count
  } & Readonly<
    Record<
      'queues' | 'kinds' | 'schedules' | 'late_schedules' | 'workers' | 'firing_alerts' | 'error_groups',
      number
    >
  >
}

export interface OverviewRead {
  readonly problems: readonly OverviewProblem[]
  /** A type has more problems than are listed. */
  readonly problemsCapped: boolean
  readonly flow: JobFlow
}

interface ProblemRow {
  readonly type: ProblemType
  readonly subject: Record<string, unknown>
  readonly since: Date | null
  readonly numbers: Record<string, number>
  readonly error: Record<string, unknown> | null
  readonly data: Record<string, unknown>
}

/** A queue as it is now. */
export interface QueueNow {
  readonly priorities: readonly (Count & { readonly priority: number })[]
  readonly ready: Count
  readonly oldestReadyAt: Date | null
  readonly running: Count
  readonly delayed: Count
  readonly waiting: Count
  readonly blocked: Count
  readonly limits: readonly { readonly code: string; readonly sentence: string }[]
  readonly workers: number
  readonly slots: number
}

interface QueueRow extends Pick<QueueNow, 'priorities' | 'oldestReadyAt' | 'limits' | 'workers' | 'slots'> {
  readonly running: number
  readonly runningCapped: boolean
  readonly delayed: number
  readonly delayedCapped: boolean
  readonly waiting: number
  readonly waitingCapped: boolean
  readonly blocked: number
}

/** The rule of an alert that has the same cause as a problem of this type. */
const RULES: Readonly<Partial<Record<ProblemType, readonly string[]>>> = {
  failing_kind: ['failed_rate'],
  no_worker: ['no_worker', 'oldest_ready', 'depth'],
  oldest_ready: ['oldest_ready', 'depth'],
  paused_queue: ['depth'],
  blocked_target: ['blocked_target'],
  late_schedule: ['schedule_late'],
}

export class Overview {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** `installation`: with alerts that concern no tenant. */
  async read({
    tenant = 'default',
    installation = false,
  }: {
    readonly tenant?: string
    readonly installation?: boolean
  } = {}): Promise<OverviewRead> {
    const each = LIMITS.problemsPerTypeMax.default
    const [[flow], rows] = await Promise.all([
      this.#database.query<Record<string, unknown>>(
        `select now, counted_to, places, ended, per_minute, slots, busy, oldest_ready_at, next_due_at, counts
         from holdfast.flow($1, $2)`,
        [tenant, LIMITS.placeCountMax.default],
        { repeatable: true },
      ),
      this.#database.query<ProblemRow>(
        'select type, subject, since, numbers, error, data from holdfast.problems($1, $2, $3)',
        [tenant, each + 1, installation],
        { repeatable: true },
      ),
    ])
    if (flow === undefined) throw new Error('flow returned no row')
    const read = fromRow<JobFlow>(flow)
    const { listed, capped } = bounded(withAlerts(rows.map(factsOf)), each)
    return { problems: problemsOf(listed, read.now), problemsCapped: capped, flow: read }
  }

  async queue(queueId: number): Promise<QueueNow> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select priorities, oldest_ready_at, running, running_capped, delayed, delayed_capped, waiting, waiting_capped, blocked, limits,
         workers, slots from holdfast.queue_state($1, $2)`,
      [queueId, COUNT_MAX],
      { repeatable: true },
    )
    if (row === undefined) throw new Error('queue_state returned no row')
    const { priorities, oldestReadyAt, limits, workers, slots, ...places } = fromRow<QueueRow>(row)
    return {
      priorities,
      ready: {
        count: priorities.reduce((sum, { count }) => sum + count, 0),
        capped: priorities.some(({ capped }) => capped),
      },
      oldestReadyAt,
      running: { count: places.running, capped: places.runningCapped },
      delayed: { count: places.delayed, capped: places.delayedCapped },
      waiting: { count: places.waiting, capped: places.waitingCapped },
      blocked: { count: places.blocked, capped: places.blocked === COUNT_MAX },
      limits,
      workers,
      slots,
    }
  }
}

function factsOf({ type, subject, since, numbers, error, data }: ProblemRow): ProblemFacts {
  return {
    type,
    subject: fromRow(subject),
    since,
    numbers,
    error: error === null ? null : fromRow(error),
    alertId: type === 'alert' ? Number(data.alert_id) : null,
    data,
  }
}

/** An alert whose cause is listed as a problem is not listed again; the problem gets its id. */
function withAlerts(facts: readonly ProblemFacts[]): ProblemFacts[] {
  const alerts = facts.filter(({ type }) => type === 'alert')
  const covered = new Set<number | null>()
  const problems = facts
    .filter(({ type }) => type !== 'alert')
    .map((problem) => {
      const same = alerts.filter((alert) => isSameCause(problem, alert))
      for (const { alertId } of same) covered.add(alertId)
      return same[0] === undefined ? problem : { ...problem, alertId: same[0].alertId }
    })
  return [...problems, ...alerts.filter(({ alertId }) => !covered.has(alertId))]
}

function isSameCause({ type, subject }: ProblemFacts, alert: ProblemFacts): boolean {
  const { rule, subject: about } = alert.data
  if (RULES[type]?.includes(String(rule)) !== true) return false
  const alertSubject = String(about)
  return type === 'late_schedule'
    ? alertSubject === subject.name
    : alertSubject === subject.queue || alertSubject.startsWith(`${subject.queue}/`)
}

function bounded(facts: readonly ProblemFacts[], each: number): { listed: ProblemFacts[]; capped: boolean } {
  const seen = new Map<ProblemType, number>()
  const listed = facts.filter(({ type }) => {
    const n = (seen.get(type) ?? 0) + 1
    seen.set(type, n)
    return n <= each
  })
  return { listed, capped: listed.length < facts.length }
}

/** What `holdfast top` reads at each refresh. Every read is bounded, and the same on a database and through a server. */
import { parseSearch } from '../../search/search.js'
import type { Alert } from '../../store/alerts/alerts.js'
import type { JobFlow } from '../../store/charts/overview.js'
import type { Job } from '../../store/job-reads.js'
import type { BlockedTarget, CountedPlace, ListedJob, QueueCounts } from '../../store/list/listing.js'
import type { ExplainReason } from '../../store/rows.js'
import type { Console, ShownAttempt, ShownProblem, ShownWorker } from '../console/console.js'
import { allowedCommands } from '../jobs/explain.js'

export interface TopQueue extends Pick<QueueCounts, CountedPlace | 'capped'> {
  readonly name: string
  readonly oldestReadyAt: Date | null
  /** Jobs that ended per minute, as a mean of the last 15 minutes. */
  readonly perMinute: number
  /** Of the same time; null when no job ended. */
  readonly failedRate: number | null
  /** Live workers that serve it. */
  readonly workers: number
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseReason: string | null
}

/** The figures of every tab but the jobs. */
export interface TopSnapshot {
  readonly at: Date
  readonly tenant: string
  readonly problems: readonly ShownProblem[]
  readonly problemsCapped: boolean
  readonly flow: JobFlow
  readonly queues: readonly TopQueue[]
  readonly workers: readonly ShownWorker[]
  readonly targets: readonly BlockedTarget[]
  readonly alerts: readonly Alert[]
}

export interface TopJobs {
  readonly filter: string
  readonly rows: readonly ListedJob[]
  /** There are more jobs than rows. */
  readonly more: boolean
}

export interface TopJob {
  readonly job: Job
  readonly attempts: readonly ShownAttempt[]
  readonly reasons: readonly ExplainReason[]
  /** The commands that would not be refused. */
  readonly allowed: readonly string[]
}

const TARGETS_MAX = 100
const ALERTS_MAX = 100
export const JOBS_MAX = 100
const WINDOW = { name: '15m', minutes: 15 }

export async function readSnapshot(console: Console, tenant: string): Promise<TopSnapshot> {
  const { problems, problemsCapped, flow } = await console.overview.read({ tenant })
  const [queues, counts, stats, workers, targets, alerts] = await Promise.all([
    console.queues.list({ tenant }),
    console.list.queueCounts(tenant),
    console.stats.byQueue({ tenant }),
    console.workers.list({ tenant }),
    console.list.blockedTargets({ tenant, limit: TARGETS_MAX }),
    console.alerts.list({ tenant, limit: ALERTS_MAX }),
  ])
  const countsById = new Map(counts.map((count) => [count.queueId, count]))
  const statsByName = new Map(stats.map((each) => [each.queue, each]))
  return {
    at: flow.now,
    tenant,
    problems: problems.map(({ id, type, severity, text, next, since, actions }) => ({
      id,
      type,
      severity,
      text,
      next,
      since,
      actions,
    })),
    problemsCapped,
    flow,
    // A queue that was created between two reads has no counts yet.
    queues: queues.flatMap(({ id, name, pausedAt, pausedBy, pauseReason }) => {
      const count = countsById.get(id)
      if (count === undefined) return []
      const { queueId: _id, queued, running, delayed, waiting, blocked, capped } = count
      const { oldestReadyAt = null, windows } = statsByName.get(name) ?? {}
      const recent = windows?.[WINDOW.name]
      const ended = recent === undefined ? 0 : recent.succeeded + recent.failed + recent.canceled
      return {
        ...{ name, queued, running, delayed, waiting, blocked, capped, oldestReadyAt },
        perMinute: ended / WINDOW.minutes,
        failedRate: recent?.failedRate ?? null,
        workers: workers.filter((worker) => worker.alive && worker.queues.includes(name)).length,
        ...{ pausedAt, pausedBy, pauseReason },
      }
    }),
    workers,
    targets,
    alerts,
  }
}

/** A page of the newest jobs that match; an empty filter matches all. */
export async function readJobs(console: Console, tenant: string, filter: string): Promise<TopJobs> {
  const { rows, next } =
    filter === ''
      ? await console.list.jobs({ tenant, limit: JOBS_MAX })
      : await console.search.page(filter, { tenant, limit: JOBS_MAX })
  return { filter, rows, more: next !== null }
}

/** Refuses a filter that the search grammar does not have, as `jobs list --search` does. */
export function checkFilter(filter: string): string | undefined {
  const [problem] = parseSearch(filter).problems
  if (problem === undefined) return undefined
  const { message, nearest } = problem
  return `${message}${nearest === undefined ? '' : ` Did you mean ${nearest}?`} docs/search.md lists the fields.`
}

export async function readJob(console: Console, id: number): Promise<TopJob> {
  const job = await console.read.job(id)
  const [attempts, reasons, { strict }] = await Promise.all([
    console.read.attempts(id),
    console.read.explain(id),
    console.queues.get(job.queue, { tenant: job.tenant }),
  ])
  return { job, attempts, reasons, allowed: allowedCommands(job, strict) }
}

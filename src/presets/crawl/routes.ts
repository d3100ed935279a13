/** Endpoints of the crawl preset: count, list and change crawl jobs. */
import { holdfastError } from '../../domain/errors/errors.js'
import { LIMITS } from '../../domain/limits.js'
import { problemOf } from '../../server/http/problem.js'
import { type Call, routes } from '../../server/http/route.js'
import type { JobWithLastAttempt, PresetJob } from '../../store/preset-views.js'
import {
  jobInScope,
  jobsInScope,
  type PresetScope,
  queuesInScope,
  stateWordOf,
  withStateWords,
} from '../preset-scope.js'
import { statesWithStateWord } from '../state-words.js'
import { CRAWL_STATE_WORDS, crawlContract } from './contract.js'
import { pageLimit } from './page-limit.js'
import { requestStatus, retryFailed } from './status.js'

type CrawlCall = Pick<Call, 'store' | 'tenant'> & { readonly query: { readonly queue?: string | undefined } }

function scopeOf({ store, tenant, query }: CrawlCall): PresetScope {
  return { store, tenant, preset: 'crawl', queue: query.queue }
}

const STATES_OF = Object.fromEntries(
  CRAWL_STATE_WORDS.map((name) => [name, statesWithStateWord('crawl', name)]),
) as Record<(typeof CRAWL_STATE_WORDS)[number], ReturnType<typeof statesWithStateWord>>

/** The counts have names of their own, not state words. */
const STATS = {
  queued: STATES_OF.queued,
  running: STATES_OF.crawling,
  failed: STATES_OF.failed,
  completed: STATES_OF.success,
}

/** The last failure of an exhausted job was not followed by a retry. */
const retriesOf = ({ failures, maxRetries }: JobWithLastAttempt) => Math.min(failures, maxRetries)

function crawlView(job: JobWithLastAttempt) {
  return {
    id: job.id,
    subreddit_id: job.subject !== null && /^\d{1,15}$/.test(job.subject) ? Number(job.subject) : job.subject,
    status: stateWordOf({ preset: 'crawl', state: job.state, attempt: job.attempt }),
    priority: job.priority,
    retries: retriesOf(job),
    last_attempt: job.lastAttempt?.toISOString() ?? null,
    duration_ms: job.durationMs,
    enqueued_by: job.createdBy,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    visible_at: job.visibleAt.toISOString(),
    retry_count: retriesOf(job),
    max_retries: job.maxRetries,
    next_retry_at: job.state === 'retrying' ? job.visibleAt.toISOString() : null,
  }
}

/** Runs a command on one job and returns the job as it is afterwards. */
async function changeJob(
  call: CrawlCall & { readonly params: { readonly id: number } },
  verb: string,
  command: (job: PresetJob) => Promise<unknown>,
) {
  const job = await jobInScope(scopeOf(call), call.params.id)
  await withStateWords(job, verb, () => command(job))
  return { status: 200, body: crawlView(await call.store.presetViews.job(job.id)) } as const
}

/** Runs a command on many jobs, one after the other. An error becomes the result of that job alone. */
async function changeJobs(
  call: CrawlCall & Pick<Call, 'request'> & { readonly body: { readonly job_ids: readonly number[] } },
  command: (job: PresetJob) => Promise<boolean>,
) {
  const ids = [...new Set(call.body.job_ids)]
  const jobs = await jobsInScope(scopeOf(call), ids)
  const results = []
  for (const id of ids) {
    try {
      const job = jobs.get(id)
      if (job === undefined) throw holdfastError('unknown_job', { job: id })
      results.push({ job_id: id, ok: true, changed: await command(job) })
    } catch (error) {
      const { code, detail, status } = problemOf(error, call.request)
      // An error of the server says nothing about this job, so the whole call fails.
      if (status >= 500) throw error
      results.push({ job_id: id, ok: false, changed: false, code, detail })
    }
  }
  const after = await jobsInScope(scopeOf(call), ids)
  const status = (id: number) => {
    const job = after.get(id)
    return job === undefined ? null : stateWordOf(job)
  }
  const withStatus = results.map((result) => ({ ...result, status: status(result.job_id) }))
  return { status: 200, body: { results: withStatus } } as const
}

export const crawlRoutes = routes<typeof crawlContract>(crawlContract, {
  crawlStats: async (call) => {
    const queues = await queuesInScope(scopeOf(call))
    return {
      status: 200,
      body: await call.store.presetViews.counts(
        queues.map(({ id }) => id),
        STATS,
      ),
    }
  },

  crawlJobs: async (call) => {
    const { status, offset } = call.query
    const { limit, headers } = pageLimit(call.query.limit)
    const queues = await queuesInScope(scopeOf(call))
    const jobs = await call.store.presetViews.list({
      queueIds: queues.map(({ id }) => id),
      states: status === undefined ? Object.values(STATES_OF).flat() : STATES_OF[status],
      limit,
      offset,
    })
    return { status: 200, headers, body: { jobs: jobs.map(crawlView), limit, offset } }
  },

  crawlStatus: (call) =>
    changeJob(call, 'status', (job) => requestStatus(call.store, job, call.body.status, call.act)),
  crawlPriority: (call) =>
    changeJob(call, 'priority', ({ id }) =>
      call.store.commands.setPriority(id, call.body.priority, call.act),
    ),
  crawlBoost: (call) =>
    changeJob(call, 'boost', ({ id }) =>
      call.store.commands.boost(id, Math.min(call.body.boost, LIMITS.priority.hardMax), call.act),
    ),
  crawlRetry: (call) => changeJob(call, 'retry', (job) => retryFailed(call.store, job, call.act)),

  crawlBulkStatus: (call) =>
    changeJobs(call, (job) => requestStatus(call.store, job, call.body.status, call.act)),
  crawlBulkRetry: (call) => changeJobs(call, (job) => retryFailed(call.store, job, call.act)),
})

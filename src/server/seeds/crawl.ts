import { CRAWL_WORDS, crawlContract } from '../../contract/seeds-crawl.js'
import { holdfastError } from '../../domain/errors.js'
import { statesForWord } from '../../domain/words.js'
import type { DocumentedJob, SpokenJob } from '../../store/documents.js'
import { problemOf } from '../problem.js'
import { type Call, routes } from '../route.js'
import { requestStatus, startOver } from './status.js'
import { inWords, jobOf, jobsOf, queuesOf, type Speaking, wordOf } from './words.js'

type Asked = Pick<Call, 'store' | 'tenant'> & { readonly query: { readonly queue?: string | undefined } }

function speaking({ store, tenant, query }: Asked): Speaking {
  return { store, tenant, preset: 'crawl', queue: query.queue }
}

const OF_WORD = Object.fromEntries(CRAWL_WORDS.map((word) => [word, statesForWord('crawl', word)])) as Record<
  (typeof CRAWL_WORDS)[number],
  ReturnType<typeof statesForWord>
>

/** The document's own names for its counts. */
const STATS = {
  queued: OF_WORD.queued,
  running: OF_WORD.crawling,
  failed: OF_WORD.failed,
  completed: OF_WORD.success,
}

function crawlView(job: DocumentedJob) {
  return {
    id: job.id,
    subreddit_id: job.subject !== null && /^\d{1,15}$/.test(job.subject) ? Number(job.subject) : job.subject,
    status: wordOf({ preset: 'crawl', state: job.state, attempt: job.attempt }),
    priority: job.priority,
    retries: job.failures,
    last_attempt: job.lastAttempt?.toISOString() ?? null,
    duration_ms: job.durationMs,
    enqueued_by: job.createdBy,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    visible_at: job.visibleAt.toISOString(),
    retry_count: job.failures,
    max_retries: job.maxRetries,
    next_retry_at: job.state === 'retrying' ? job.visibleAt.toISOString() : null,
  }
}

/** One job, asked for something; answered as it is then. */
async function one(
  call: Asked & { readonly params: { readonly id: number } },
  verb: string,
  act: (job: SpokenJob) => Promise<unknown>,
) {
  const job = await jobOf(speaking(call), call.params.id)
  await inWords(job, verb, () => act(job))
  return { status: 200, body: crawlView(await call.store.documents.job(job.id)) } as const
}

/** Many jobs, one after the other; a refusal is the answer for that job alone. */
async function many(
  call: Asked & Pick<Call, 'request'> & { readonly body: { readonly job_ids: readonly number[] } },
  act: (job: SpokenJob) => Promise<boolean>,
) {
  const ids = [...new Set(call.body.job_ids)]
  const jobs = await jobsOf(speaking(call), ids)
  const results = []
  for (const id of ids) {
    try {
      const job = jobs.get(id)
      if (job === undefined) throw holdfastError('unknown_job', { job: id })
      results.push({ job_id: id, ok: true, changed: await act(job) })
    } catch (error) {
      const { code, detail, status } = problemOf(error, call.request)
      // Ours, not this job's: the caller must not read it as an answer about the job.
      if (status >= 500) throw error
      results.push({ job_id: id, ok: false, changed: false, code, detail })
    }
  }
  const now = await jobsOf(speaking(call), ids)
  const status = (id: number) => {
    const job = now.get(id)
    return job === undefined ? null : wordOf(job)
  }
  const told = results.map((result) => ({ ...result, status: status(result.job_id) }))
  return { status: 200, body: { results: told } } as const
}

export const crawlRoutes = routes<typeof crawlContract>(crawlContract, {
  crawlStats: async (call) => {
    const queues = await queuesOf(speaking(call))
    return {
      status: 200,
      body: await call.store.documents.counts(
        queues.map(({ id }) => id),
        STATS,
      ),
    }
  },

  crawlJobs: async (call) => {
    const { status, limit, offset } = call.query
    const queues = await queuesOf(speaking(call))
    const jobs = await call.store.documents.list({
      queueIds: queues.map(({ id }) => id),
      states: status === undefined ? Object.values(OF_WORD).flat() : OF_WORD[status],
      limit,
      offset,
    })
    return { status: 200, body: { jobs: jobs.map(crawlView), limit, offset } }
  },

  crawlStatus: (call) =>
    one(call, 'status', (job) => requestStatus(call.store, job, call.body.status, call.act)),
  crawlPriority: (call) =>
    one(call, 'priority', ({ id }) => call.store.operate.setPriority(id, call.body.priority, call.act)),
  crawlBoost: (call) =>
    one(call, 'boost', ({ id }) => call.store.operate.boost(id, call.body.boost, call.act)),
  crawlRetry: (call) => one(call, 'retry', (job) => startOver(call.store, job, call.act)),

  crawlBulkStatus: (call) => many(call, (job) => requestStatus(call.store, job, call.body.status, call.act)),
  crawlBulkRetry: (call) => many(call, (job) => startOver(call.store, job, call.act)),
})

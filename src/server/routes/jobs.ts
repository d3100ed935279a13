/** Jobs: create, list, read one, its attempts, events, explanation and history. */
import { fromWire, toWire } from '../../contract/case.js'
import { jobsContract } from '../../contract/jobs/jobs.js'
import { COUNT_MAX } from '../../store/list/listing.js'
import { tracedJobs } from '../../telemetry/traces.js'
import { checkOwnJob, ownJob } from '../access/own-job.js'
import { asWrongToken } from '../http/page-token.js'
import { routes } from '../http/route.js'
import { kindStatsView } from './charts.js'
import { madeJobs } from './job-status.js'
import { attemptView, historyView, jobView, newJobOf } from './views.js'

export const jobRoutes = routes<typeof jobsContract>(jobsContract, {
  createJob: async (call) => {
    const { store, server, tenant, who, headers, body } = call
    const idempotencyKey = headers['idempotency-key']
    const job = newJobOf(body, who, headers.traceparent)
    await server.intake.admit(tenant, [job])
    const enqueued = await server.inFlight.once(tenant, idempotencyKey, () =>
      tracedJobs(server.traces, [job], ([traced = job]) =>
        store.enqueue(traced, { tenant, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
      ),
    )
    const [made] = await madeJobs(call, [job], [enqueued])
    return { status: enqueued.deduplicated ? 200 : 201, body: made as NonNullable<typeof made> }
  },

  createJobs: async (call) => {
    const { store, server, tenant, who, headers, body } = call
    const idempotencyKey = headers['idempotency-key']
    const jobs = body.jobs.map((job, index) => newJobOf(job, who, headers.traceparent, `/jobs/${index}`))
    await server.intake.admit(tenant, jobs)
    const created = await server.inFlight.once(tenant, idempotencyKey, () =>
      tracedJobs(server.traces, jobs, (traced) =>
        store.enqueueMany(traced, { tenant, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
      ),
    )
    return { status: 201, body: { jobs: await madeJobs(call, jobs, created) } }
  },

  listJobs: async ({ store, tenant, query }) => {
    const { page_size: limit, page_token: after, ...filter } = query
    const search = { ...fromWire<object>({ ...filter, after }), tenant, limit }
    const { rows, next } = await store.list.jobs(search).catch(asWrongToken)
    return { status: 200, body: { jobs: rows.map((row) => toWire(row)), next_page_token: next } }
  },

  countJobs: async ({ store, tenant, query }) => ({
    status: 200,
    body: {
      ...(await store.list.stateCounts({ tenant, ...fromWire<{ queue?: string }>(query) })),
      counted_max: COUNT_MAX,
    },
  }),

  listKinds: async ({ store, tenant }) => {
    const [kinds, declared, stats] = await Promise.all([
      store.list.liveKinds(tenant),
      store.kinds.list({ tenant }),
      store.kindReads.stats({ tenant }),
    ])
    return {
      status: 200,
      body: {
        kinds,
        declared: declared.map((kind) => toWire(kind)),
        stats: stats.map(kindStatsView),
        counted_max: COUNT_MAX,
      },
    }
  },

  lookUpJobs: async ({ store, tenant, body }) => {
    const tenants = await store.read.tenantsOf(body.job_ids)
    const listed = await store.list.named(body.job_ids.filter((jobId) => tenants.get(jobId) === tenant))
    return { status: 200, body: { jobs: listed.map((job) => toWire(job)) } }
  },

  getJob: async (call) => ({
    status: 200,
    body: jobView(await ownJob(call, call.params.id), call.server.redact),
  }),

  listAttempts: async (call) => {
    await checkOwnJob(call, call.params.id)
    const attempts = await call.store.read.attempts(call.params.id)
    return {
      status: 200,
      body: { attempts: attempts.map((attempt) => attemptView(attempt, call.server.redact)) },
    }
  },

  listJobEvents: async (call) => {
    await checkOwnJob(call, call.params.id)
    const events = await call.store.read.events(call.params.id)
    return { status: 200, body: { events: events.map((event) => toWire(event)) } }
  },

  explainJob: async (call) => {
    await checkOwnJob(call, call.params.id)
    return { status: 200, body: { reasons: await call.store.read.explain(call.params.id) } }
  },

  relatedJobs: async (call) => {
    await checkOwnJob(call, call.params.id)
    const { jobs, complete } = await call.store.read.related(call.params.id)
    return { status: 200, body: { jobs: jobs.map((each) => toWire(each)), complete } }
  },

  jobHistory: async (call) => {
    await checkOwnJob(call, call.params.id)
    return {
      status: 200,
      body: historyView(await call.store.read.history(call.params.id), call.server.redact),
    }
  },
})

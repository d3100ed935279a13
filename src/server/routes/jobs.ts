import { fromWire, toWire } from '../../contract/case.js'
import { jobsContract } from '../../contract/jobs.js'
import { COUNTED_AT_MOST } from '../../store/listing.js'
import { tracedJobs } from '../../telemetry/traces.js'
import { once } from '../in-flight.js'
import { newJobOf } from '../new-job.js'
import { checkOwnJob, ownJob } from '../own-job.js'
import { asRefusedToken } from '../page-token.js'
import { routes } from '../route.js'
import { attemptView, jobView, reportView } from '../views.js'

export const jobRoutes = routes<typeof jobsContract>(jobsContract, {
  createJob: async ({ store, server, tenant, who, headers, body }) => {
    const idempotencyKey = headers['idempotency-key']
    const job = newJobOf(body, who, headers.traceparent)
    await server.intake.admit(tenant, [job])
    const { jobId, deduplicated } = await once(tenant, idempotencyKey, () =>
      tracedJobs(server.traces, [job], ([one = job]) =>
        store.enqueue(one, { tenant, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
      ),
    )
    return { status: deduplicated ? 200 : 201, body: { id: jobId, deduplicated } }
  },

  createJobs: async ({ store, server, tenant, who, headers, body }) => {
    const idempotencyKey = headers['idempotency-key']
    const jobs = body.jobs.map((job) => newJobOf(job, who, headers.traceparent))
    await server.intake.admit(tenant, jobs)
    const made = await once(tenant, idempotencyKey, () =>
      tracedJobs(server.traces, jobs, (traced) =>
        store.enqueueMany(traced, { tenant, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
      ),
    )
    return {
      status: 201,
      body: { jobs: made.map(({ jobId, deduplicated }) => ({ id: jobId, deduplicated })) },
    }
  },

  listJobs: async ({ store, tenant, query }) => {
    const { page_size: limit, page_token: after, ...filter } = query
    const wanted = { ...fromWire<object>({ ...filter, after }), tenant, limit }
    const { rows, next } = await store.list.jobs(wanted).catch(asRefusedToken)
    return { status: 200, body: { jobs: rows.map((row) => toWire(row)), next_page_token: next } }
  },

  countJobs: async ({ store, tenant, query }) => ({
    status: 200,
    body: {
      counts: await store.list.stateCounts({ tenant, ...fromWire<{ queue?: string }>(query) }),
      counted_at_most: COUNTED_AT_MOST,
    },
  }),

  listKinds: async ({ store, tenant }) => ({
    status: 200,
    body: {
      kinds: await store.list.liveKinds(tenant),
      declared: (await store.kinds.list({ tenant })).map((kind) => toWire(kind)),
      counted_at_most: COUNTED_AT_MOST,
    },
  }),

  lookUpJobs: async ({ store, tenant, body }) => {
    const tenants = await store.read.tenantsOf(body.job_ids)
    const named = await store.list.named(body.job_ids.filter((jobId) => tenants.get(jobId) === tenant))
    return { status: 200, body: { jobs: named.map((job) => toWire(job)) } }
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

  reportJob: async (call) => {
    await checkOwnJob(call, call.params.id)
    return { status: 200, body: reportView(await call.store.read.report(call.params.id), call.server.redact) }
  },
})

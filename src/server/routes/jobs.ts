import { fromWire, toWire } from '../../contract/case.js'
import { jobsContract } from '../../contract/jobs.js'
import { holdfastError } from '../../domain/errors.js'
import type { NewJob } from '../../store/new-job.js'
import { once } from '../in-flight.js'
import type { Principal } from '../principal.js'
import { routes } from '../route.js'
import { jobView } from '../views.js'

export const jobRoutes = routes<typeof jobsContract>(jobsContract, {
  createJob: async ({ store, tenant, who, headers, body }) => {
    const idempotencyKey = headers['idempotency-key']
    const { jobId, deduplicated } = await once(tenant, idempotencyKey, () =>
      store.enqueue(newJob(body, who), {
        tenant,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      }),
    )
    return { status: deduplicated ? 200 : 201, body: { id: jobId, deduplicated } }
  },

  createJobs: async ({ store, tenant, who, headers, body }) => {
    const idempotencyKey = headers['idempotency-key']
    const jobs = body.jobs.map((job) => newJob(job, who))
    const made = await once(tenant, idempotencyKey, () =>
      store.enqueueMany(jobs, { tenant, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
    )
    return {
      status: 201,
      body: { jobs: made.map(({ jobId, deduplicated }) => ({ id: jobId, deduplicated })) },
    }
  },

  listJobs: async ({ store, tenant, query }) => {
    const { page_size: limit, page_token: after, ...filter } = query
    const { rows, next } = await store.list.jobs({
      ...fromWire<object>({ ...filter, after }),
      tenant,
      limit,
    })
    return { status: 200, body: { jobs: rows.map((row) => toWire(row)), next_page_token: next } }
  },

  getJob: async ({ store, tenant, params }) => {
    const job = await store.read.job(params.id)
    if (job.tenant !== tenant) throw holdfastError('unknown_job', { job: params.id })
    return { status: 200, body: jobView(job) }
  },
})

/** A job says who made it; whoever has a key is known by its name. */
function newJob(said: object, who: Principal): NewJob {
  const job = fromWire<NewJob>(said)
  return job.createdBy !== undefined || who.open ? job : { ...job, createdBy: who.name }
}

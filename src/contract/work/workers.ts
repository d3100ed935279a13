/** HTTP routes that list worker processes and drain one. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, jobId, name, reasonBody } from '../fields.js'

const worker = z
  .object({
    worker: z.string(),
    tenant: z.string(),
    host: z.string(),
    pid: z.int(),
    version: z.string().meta({ description: 'Of Holdfast.' }),
    app_version: z.string().nullable().meta({ description: 'Of the program, if it reports one.' }),
    kinds: z.array(z.string()),
    queues: z.array(z.string()),
    slots: z.int(),
    busy: z.int(),
    lag_ms: z.int(),
    draining: z.boolean(),
    drain_requested_at: instant.nullable(),
    drain_requested_by: z.string().nullable(),
    drain_reason: z.string().nullable(),
    started_at: instant,
    heartbeat_at: instant,
    alive: z.boolean(),
    lease_expires_at: instant.nullable(),
    leases: z.int(),
  })
  .meta({ id: 'Worker' })

const heldJob = z
  .object({
    id: jobId,
    queue: z.string(),
    kind: z.string(),
    attempt: z.int(),
    claimed_at: instant,
    started_at: instant.nullable(),
    cancel_requested: z.boolean(),
  })
  .meta({ id: 'HeldJob' })

const workerDetails = worker.extend({
  heartbeat_age_ms: z.int(),
  jobs: z.array(heldJob).meta({ description: 'The jobs it holds, the oldest first.' }),
  jobs_capped: z.boolean().meta({ description: 'It may hold more jobs than are listed.' }),
})

export const workersContract = contract({
  listWorkers: {
    method: 'GET',
    path: '/api/v1/workers',
    scope: 'read',
    tag: 'workers',
    summary: 'List registered workers with their leases.',
    response: { 200: z.object({ workers: z.array(worker) }) },
    errors: [],
  },
  getWorker: {
    method: 'GET',
    path: '/api/v1/workers/{name}',
    scope: 'read',
    tag: 'workers',
    summary: 'Get a worker with the jobs it holds.',
    params: z.strictObject({ name }),
    response: { 200: workerDetails },
    errors: ['unknown_worker'],
  },
  drainWorker: {
    method: 'POST',
    path: '/api/v1/workers/{name}/drain',
    scope: 'operate',
    tag: 'workers',
    summary: 'Drain a worker: it claims no more jobs, finishes the running ones and stops.',
    params: z.strictObject({ name }),
    body: reasonBody,
    response: { 202: z.object({ worker: z.string(), requested: z.boolean() }) },
    errors: ['unknown_worker', 'wrong_tenant'],
  },
})

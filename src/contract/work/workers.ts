/** Registered workers. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, name, reasonBody } from '../fields.js'

const worker = z
  .object({
    worker: z.string(),
    tenant: z.string(),
    host: z.string(),
    pid: z.int(),
    version: z.string(),
    kinds: z.array(z.string()),
    queues: z.array(z.string()),
    slots: z.int(),
    busy: z.int(),
    lag_ms: z.int(),
    draining: z.boolean(),
    drain_asked_at: instant.nullable(),
    drain_asked_by: z.string().nullable(),
    drain_reason: z.string().nullable(),
    came_at: instant,
    heartbeat_at: instant,
    alive: z.boolean(),
    lease_expires_at: instant.nullable(),
    leases: z.int(),
  })
  .meta({ id: 'Worker' })

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
  drainWorker: {
    method: 'POST',
    path: '/api/v1/workers/{name}/drain',
    scope: 'operate',
    tag: 'workers',
    summary: 'Drain a worker: it claims no more jobs, finishes the running ones and stops.',
    params: z.strictObject({ name }),
    body: reasonBody,
    response: { 202: z.object({ worker: z.string(), asked: z.boolean() }) },
    errors: ['unknown_worker', 'tenant_not_yours'],
  },
})

/** HTTP route of the rates of queues: failures, retries and waits over windows of time. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, name } from '../fields.js'

const rate = z.number().nullable().meta({ description: 'From 0 to 1; null if there is nothing to count.' })

const windowMetrics = z.object({
  enqueued: z.number(),
  started: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  canceled: z.number(),
  ended_after_failures: z
    .number()
    .meta({ description: 'Jobs that ended after at least one failed attempt.' }),
  succeeded_after_failures: z.number(),
  attempts_failed: z.number(),
  attempts_lost: z.number(),
  failed_rate: rate,
  retry_success_rate: rate,
  average_wait_ms: z
    .number()
    .nullable()
    .meta({ description: 'Time from when the job could be claimed until its first start.' }),
  average_run_ms: z.number().nullable(),
})

const queueMetrics = z
  .object({
    queue: z.string(),
    tenant: z.string(),
    depth: z.number().meta({
      description: 'Jobs that can be claimed now. Each priority is counted up to `counted_max`.',
    }),
    priorities: z.record(z.string(), z.number()).meta({ description: 'Number of these jobs by priority.' }),
    oldest_ready_at: instant
      .nullable()
      .meta({ description: 'Since when the job that has waited longest could have been claimed.' }),
    windows: z.record(z.string(), windowMetrics).meta({ description: 'By window: 15m, 1h and 24h.' }),
  })
  .meta({ id: 'QueueMetrics' })

export const statsContract = contract({
  queueMetrics: {
    method: 'GET',
    path: '/api/v1/metrics/queues',
    scope: 'read',
    tag: 'queues',
    summary: 'Depth, rates, priorities and wait times of each queue over the last 15 minutes, hour and day.',
    query: z.strictObject({ queue: name.optional() }),
    response: {
      200: z.object({
        queues: z.array(queueMetrics),
        counted_max: z.int().meta({ description: '10,000 jobs of a priority in one queue, 1,000 in all.' }),
      }),
    },
    errors: ['unknown_queue'],
  },
})

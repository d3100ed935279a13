/** Charts: throughput and times of a tenant, a queue or a kind, and the sizes of worker groups over time. */
import { z } from 'zod'
import { SPAN_NAMES } from '../../domain/stats/spans.js'
import { contract } from '../endpoint.js'
import { instant, name } from '../fields.js'

const percentiles = z
  .object({
    count: z.int().meta({ description: 'How many times were measured.' }),
    p50: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  })
  .meta({
    id: 'Percentiles',
    description: 'Milliseconds, read from a histogram: off by a fifth at most. Null if nothing was measured.',
  })

const throughput = {
  enqueued: z.int(),
  started: z.int().meta({ description: 'Attempts by the time they started, counted when they end.' }),
  succeeded: z.int(),
  failed: z.int(),
  canceled: z.int(),
  attempts: z.int().meta({ description: 'Attempts that ended, however they did.' }),
  attempts_failed: z.int(),
  attempts_lost: z.int(),
}

export const totals = z
  .object({
    ...throughput,
    failed_rate: z
      .number()
      .nullable()
      .meta({ description: 'Failed and lost attempts among all, from 0 to 1; null if there were none.' }),
    wait: percentiles.meta({ description: 'From when a job could be claimed to its first start.' }),
    run: percentiles.meta({ description: 'From start to end of an attempt.' }),
  })
  .meta({ id: 'Totals' })

const point = totals.extend({ at: instant.meta({ description: 'When the point begins.' }) }).meta({
  id: 'SeriesPoint',
})

const scaleEvent = z
  .object({
    at: instant,
    group: z.string(),
    from: z.int(),
    to: z.int(),
    depth: z.int().nullable().meta({ description: 'Waiting jobs that the manager counted.' }),
    reason: z.string().nullable(),
    worker: z.string().nullable(),
  })
  .meta({ id: 'ScaleEvent' })

const span = z.enum(SPAN_NAMES)

export const seriesContract = contract({
  statsSeries: {
    method: 'GET',
    path: '/api/v1/stats/series',
    scope: 'read',
    tag: 'stats',
    summary: 'Throughput and percentiles of wait and run time as evenly spaced points, oldest first.',
    query: z.strictObject({
      span: span.default('1h'),
      queue: name.optional(),
      kind: name.optional(),
    }),
    response: {
      200: z.object({
        span,
        step_ms: z.int(),
        from: instant,
        to: instant,
        counted_to: instant
          .nullable()
          .meta({ description: 'When the roll-up last ran: later points are not complete. Null: never.' }),
        points: z.array(point),
        total: totals,
      }),
    },
    errors: ['unknown_queue'],
  },
  scaleSeries: {
    method: 'GET',
    path: '/api/v1/stats/scale',
    scope: 'read',
    tag: 'workers',
    summary: 'Changes of the size of worker groups, newest first, and the size at the begin of the span.',
    query: z.strictObject({ span: span.default('24h'), group: z.string().min(1).max(100).optional() }),
    response: {
      200: z.object({
        span,
        from: instant,
        to: instant,
        events: z.array(scaleEvent),
        capped: z.boolean().meta({ description: 'There were more events than are listed.' }),
      }),
    },
    errors: [],
  },
})

/** Live events: a stream (server-sent events), or pages by long poll for callers that cannot hold a stream open. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { contract } from '../endpoint.js'
import { between, digits, instant, jobId } from '../fields.js'

/** The id of an event is a cursor of the feed. It works at every server, for as long as events are stored. */
const cursor = z
  .string()
  .max(8_000)
  .regex(/^[\da-f.~:,|]+$/, 'is not the id of an event')

const event = z
  .object({
    type: z
      .string()
      .meta({ description: 'enqueued, claimed, started, attempt_ended, canceled, queue_paused and others.' }),
    at: instant,
    job_ids: z.array(jobId),
    queue_id: z.int().nullable(),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
    data: z.unknown(),
  })
  .meta({ id: 'Event' })

const read = { method: 'GET', scope: 'read', tag: 'live', errors: [] } as const

export const eventsContract = contract({
  events: {
    ...read,
    path: '/api/v1/events',
    summary: 'Stream events of jobs and counts of queues as server-sent events. Resumes after Last-Event-ID.',
    headers: z.object({ 'last-event-id': cursor.optional() }),
    query: z.strictObject({
      after: cursor.optional().meta({ description: 'Alternative to the header Last-Event-ID.' }),
      for_sec: digits(between(0, 900))
        .default(900)
        .meta({ description: 'The stream ends after this many seconds; clients reconnect by themselves.' }),
    }),
    media: ['text/event-stream'],
    response: { 200: z.string() },
  },
  nextEvents: {
    ...read,
    path: '/api/v1/events/next',
    summary: 'Get one page of events after an id. Waits if there are none yet.',
    query: z.strictObject({
      after: cursor
        .optional()
        .meta({ description: 'Without it the response has no events, only the cursor to begin with.' }),
      wait_sec: digits(between(0, LIMITS.waitMs.hardMax / 1000)).default(0),
    }),
    response: {
      200: z.object({
        events: z.array(event),
        next_after: z.string().meta({ description: 'Send it as `after` for the next page.' }),
      }),
    },
  },
})

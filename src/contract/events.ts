/** What happens, as it happens: as a stream (server-sent events), or page by page for those who cannot hold one. */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { contract } from './endpoint.js'
import { between, digits, instant, jobId } from './fields.js'

/** The id of an event is a place in the feed; of any server, and good for as long as events are kept. */
const cursor = z
  .string()
  .max(8_000)
  .regex(/^[\da-f.~:,|]+$/, 'is not the id of an event')

const event = z
  .object({
    type: z.string().meta({ description: 'enqueued, claimed, attempt_ended, canceled, queue_paused …' }),
    at: instant,
    job_ids: z.array(jobId),
    queue_id: z.int().nullable(),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
    data: z.unknown(),
  })
  .meta({ id: 'Event' })

const look = { method: 'GET', scope: 'read', tag: 'live', errors: [] } as const

export const eventsContract = contract({
  events: {
    ...look,
    path: '/api/v1/events',
    summary: 'What happens to jobs and how much is where, as server-sent events; resumes after Last-Event-ID',
    headers: z.object({ 'last-event-id': cursor.optional() }),
    query: z.strictObject({
      after: cursor.optional().meta({ description: 'in place of the header Last-Event-ID' }),
      for_sec: digits(between(0, 900))
        .default(900)
        .meta({ description: 'the stream ends after so many seconds; clients come back by themselves' }),
    }),
    media: ['text/event-stream'],
    response: { 200: z.string() },
  },
  nextEvents: {
    ...look,
    path: '/api/v1/events/next',
    summary: 'The same, one page at a time: what happened after an id, waiting for it if nothing has',
    query: z.strictObject({
      after: cursor.optional().meta({ description: 'without it: where to begin, at once' }),
      wait_sec: digits(between(0, LIMITS.waitMs.hardMax / 1000)).default(0),
    }),
    response: {
      200: z.object({
        events: z.array(event),
        next_after: z.string().meta({ description: 'ask with it for what follows' }),
      }),
    },
  },
})

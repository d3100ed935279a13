/** Document 001: scheduled crawls. The rows have the columns of scheduled_jobs. */
import { z } from 'zod'
import { EXPRESSION_CHARS_MAX } from '../domain/schedule/expression.js'
import { contract } from './endpoint.js'
import { between, digits, instant, name, text, whole } from './fields.js'

const subreddit = z.union([z.int(), text('keyChars').min(1)]).nullable()
const expression = z.string().max(EXPRESSION_CHARS_MAX)

const scheduledJob = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    subreddit_id: z.union([z.int(), z.string()]).nullable(),
    cron_expression: z.string(),
    enabled: z.boolean(),
    last_run_at: instant.nullable(),
    next_run_at: instant,
    priority: z.int(),
    created_at: instant,
    updated_at: instant,
    created_by: z.string().nullable(),
  })
  .meta({ id: 'ScheduledJob' })

const said = {
  description: text('descriptionChars').nullable().optional(),
  subreddit_id: subreddit.optional(),
  enabled: z.boolean().optional(),
  priority: whole('priority').optional(),
}
const queue = z.strictObject({
  queue: name
    .optional()
    .meta({ description: 'where it makes its jobs; the queue of the preset crawl if not given' }),
})

const params = z.strictObject({ id: digits(between(1, Number.MAX_SAFE_INTEGER)) })
const at = '/api/admin/scheduled-jobs' as const
const of = { tag: 'crawl', scope: 'operate' } as const

export const scheduledContract = contract({
  scheduledJobs: {
    ...of,
    method: 'GET',
    scope: 'read',
    path: at,
    summary: 'Scheduled crawls, in the order they were made',
    query: z.strictObject({
      limit: digits(whole('pageMax')).default(100),
      offset: digits(between(0, 1_000_000)).default(0),
    }),
    response: { 200: z.object({ scheduled_jobs: z.array(scheduledJob), limit: z.int(), offset: z.int() }) },
    errors: [],
  },
  createScheduledJob: {
    ...of,
    method: 'POST',
    path: at,
    summary: 'Schedule a crawl',
    query: queue,
    body: z.strictObject({ ...said, name, cron_expression: expression }),
    response: { 201: scheduledJob },
    errors: ['schedule_exists', 'unknown_queue'],
  },
  getScheduledJob: {
    ...of,
    method: 'GET',
    scope: 'read',
    path: `${at}/{id}`,
    summary: 'A scheduled crawl',
    params,
    response: { 200: scheduledJob },
    errors: ['unknown_schedule'],
  },
  updateScheduledJob: {
    ...of,
    method: 'PUT',
    path: `${at}/{id}`,
    summary: 'Change it; what is not named stays',
    params,
    body: z.strictObject({ ...said, name: name.optional(), cron_expression: expression.optional() }),
    response: { 200: scheduledJob },
    errors: ['unknown_schedule', 'schedule_exists', 'schedule_declared', 'conflict'],
  },
  deleteScheduledJob: {
    ...of,
    method: 'DELETE',
    path: `${at}/{id}`,
    summary: 'Take it away; crawls it has made stay',
    params,
    response: { 204: null },
    errors: ['unknown_schedule'],
  },
  toggleScheduledJob: {
    ...of,
    method: 'POST',
    path: `${at}/{id}/toggle`,
    summary: 'Enable or disable it; without a body, the other of what it is',
    params,
    body: z.strictObject({ enabled: z.boolean() }).optional(),
    response: { 200: scheduledJob },
    errors: ['unknown_schedule', 'conflict'],
  },
})

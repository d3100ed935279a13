/** Scheduled crawls of the crawl preset. Rows have the columns of a table `scheduled_jobs`. */
import { z } from 'zod'
import { contract } from '../../contract/endpoint.js'
import { between, digits, instant, name, scheduleName, text, whole } from '../../contract/fields.js'
import { EXPRESSION_CHARS_MAX } from '../../domain/schedule/expression.js'

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

const fields = {
  description: text('descriptionChars').nullable().optional(),
  subreddit_id: subreddit.optional(),
  enabled: z.boolean().optional(),
  priority: whole('priority').optional(),
}
const queue = z.strictObject({
  queue: name
    .optional()
    .meta({ description: 'Where the schedule enqueues its jobs. Default: the queue of the crawl preset.' }),
})

const params = z.strictObject({ id: digits(between(1, Number.MAX_SAFE_INTEGER)) })
const base = '/api/admin/scheduled-jobs' as const
const shared = { tag: 'crawl', scope: 'operate', unknownQuery: 'ignored' } as const

export const scheduledContract = contract({
  scheduledJobs: {
    ...shared,
    method: 'GET',
    scope: 'read',
    path: base,
    summary: 'List scheduled crawls in the order they were created.',
    query: z.strictObject({
      limit: digits(between(1, Number.MAX_SAFE_INTEGER))
        .default(100)
        .meta({ description: 'Over 500 it is 500, and the response has a warning.' }),
      offset: digits(between(0, 1_000_000)).default(0),
    }),
    response: { 200: z.object({ scheduled_jobs: z.array(scheduledJob), limit: z.int(), offset: z.int() }) },
    errors: [],
  },
  createScheduledJob: {
    ...shared,
    method: 'POST',
    path: base,
    summary: 'Create a scheduled crawl.',
    query: queue,
    body: z.strictObject({ ...fields, name: scheduleName, cron_expression: expression }),
    response: { 201: scheduledJob },
    errors: ['schedule_exists', 'wrong_preset'],
  },
  getScheduledJob: {
    ...shared,
    method: 'GET',
    scope: 'read',
    path: `${base}/{id}`,
    summary: 'Get a scheduled crawl.',
    params,
    response: { 200: scheduledJob },
    errors: ['unknown_schedule'],
  },
  updateScheduledJob: {
    ...shared,
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Change a scheduled crawl. Fields not given stay as they are.',
    params,
    body: z.strictObject({
      ...fields,
      name: scheduleName.optional(),
      cron_expression: expression.optional(),
    }),
    response: { 200: scheduledJob },
    errors: ['unknown_schedule', 'schedule_exists', 'schedule_declared', 'conflict'],
  },
  deleteScheduledJob: {
    ...shared,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete a scheduled crawl. Jobs it has enqueued stay.',
    params,
    response: { 204: null },
    errors: ['unknown_schedule'],
  },
  toggleScheduledJob: {
    ...shared,
    method: 'POST',
    path: `${base}/{id}/toggle`,
    summary: 'Enable or disable a scheduled crawl. Without a body, it toggles.',
    params,
    body: z.strictObject({ enabled: z.boolean() }).optional(),
    response: { 200: scheduledJob },
    errors: ['unknown_schedule', 'conflict'],
  },
})

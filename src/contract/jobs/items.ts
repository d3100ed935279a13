/** HTTP routes of the items that jobs have reported: list and export. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { digits, instant, jobId, name, nextPageToken, pageQuery } from '../fields.js'

export const item = z
  .object({
    id: z.int(),
    job_id: jobId,
    attempt: z.int(),
    collection: z.string(),
    key: z.string(),
    data: z.unknown(),
    created_at: instant,
  })
  .meta({ id: 'Item' })

const whose = {
  job_id: digits(jobId).optional().meta({ description: 'Items of one job. Otherwise give a queue.' }),
  queue: name.optional(),
  collection: name
    .optional()
    .meta({ description: 'Collection of the queue. Default: the name of the queue.' }),
}

const oneOfThem = (query: { job_id?: number | undefined; queue?: string | undefined }) =>
  (query.job_id === undefined) !== (query.queue === undefined)

const MUST = { error: 'either job_id or queue is needed, and not both', path: ['queue'] }

export const itemsContract = contract({
  listItems: {
    method: 'GET',
    path: '/api/v1/items',
    scope: ['read', 'enqueue'],
    tag: 'items',
    summary: 'List items of a job or of a collection, oldest first.',
    query: z.strictObject({ ...whose, ...pageQuery }).refine(oneOfThem, MUST),
    response: { 200: z.object({ items: z.array(item), next_page_token: nextPageToken }) },
    errors: ['unknown_job', 'unknown_queue'],
  },
  exportItems: {
    method: 'GET',
    path: '/api/v1/items/export',
    scope: ['read', 'enqueue'],
    tag: 'items',
    summary: 'Export all items as one file.',
    query: z
      .strictObject({ ...whose, format: z.enum(['json', 'csv']).default('json') })
      .refine(oneOfThem, MUST),
    media: ['application/json', 'text/csv'],
    response: { 200: z.string() },
    errors: ['unknown_job', 'unknown_queue'],
  },
})

/** Search jobs with the grammar of src/search. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { SUGGESTED_FIELDS } from '../../search/complete.js'
import { contract } from '../endpoint.js'
import { digits, instant, nextPageToken, pageQuery, whole } from '../fields.js'
import { listedJob } from './job.js'

const q = z
  .string()
  // The parser refuses a search that is too long, and marks where.
  .max(2 * LIMITS.searchChars.hardMax)
  .default('')
  .meta({
    description: 'The search, such as state:failed kind:charge-* age>1h. Empty: all jobs.',
    maxLength: LIMITS.searchChars.hardMax,
  })

const budget_ms = digits(whole('searchBudgetMs')).default(LIMITS.searchBudgetMs.default).meta({
  description: 'How long to search. What is found by then is returned, with a token to look further.',
})

export const foundJob = listedJob
  .extend({
    input: z.unknown().meta({
      description: 'The input, without long texts and lists; null if it is too large for a list.',
    }),
    worker: z.string().nullable().meta({ description: 'Runs it, or ran its last attempt.' }),
    started_at: instant.nullable(),
    error_class: z.string().nullable(),
    error_fingerprint: z.string().nullable(),
  })
  .meta({ id: 'FoundJob' })

const facet = z.object({
  values: z.array(
    z.object({
      value: z.string().meta({ description: 'As a search takes it; of errors, the fingerprint.' }),
      label: z.string().meta({ description: 'For people; of errors, a message.' }),
      count: z.int(),
    }),
  ),
  counted: z.int().meta({ description: 'How many jobs were counted.' }),
  complete: z.boolean().meta({ description: 'False: there are more; every count is a lower bound.' }),
})

const SEARCH = { method: 'GET', scope: 'read', tag: 'jobs' } as const

export const searchContract = contract({
  searchJobs: {
    ...SEARCH,
    path: '/api/v1/jobs/search',
    summary: 'Search jobs, newest first; failed and canceled ones by the time they ended.',
    query: z.strictObject({
      q,
      limit: digits(whole('pageMax')).default(50),
      page_token: pageQuery.page_token,
      budget_ms,
    }),
    response: {
      200: z.object({
        jobs: z.array(foundJob),
        next_page_token: nextPageToken,
        examined: z.object({
          oldest_at: instant
            .nullable()
            .meta({ description: 'The time of the oldest job that was examined.' }),
          jobs: z.int().meta({ description: 'How many jobs were examined, from the first page on.' }),
          complete: z.boolean().meta({ description: 'Nothing is left to examine.' }),
        }),
        keywords: z
          .array(z.object({ keyword: z.string(), fields: z.array(z.string()) }))
          .meta({ description: 'What each keyword without a field was found as.' }),
      }),
    },
    errors: ['invalid_search'],
  },
  searchFacets: {
    ...SEARCH,
    path: '/api/v1/jobs/search/facets',
    summary: 'Count the jobs of a search by state, queue, kind, error and worker version.',
    query: z.strictObject({ q, budget_ms }),
    response: {
      200: z.object({ state: facet, queue: facet, kind: facet, error: facet, version: facet }),
    },
    errors: ['invalid_search'],
  },
  suggestValues: {
    ...SEARCH,
    path: '/api/v1/jobs/search/suggest',
    summary: 'Values of a field of the search that begin with a text.',
    query: z.strictObject({ field: z.enum(SUGGESTED_FIELDS), prefix: z.string().max(256).default('') }),
    response: { 200: z.object({ values: z.array(z.string()) }) },
    errors: [],
  },
  exportJobs: {
    ...SEARCH,
    path: '/api/v1/jobs/search/export',
    summary: 'Export all jobs of a search as one file.',
    query: z.strictObject({ q, format: z.enum(['csv', 'ndjson']).default('csv') }),
    media: ['text/csv', 'application/x-ndjson'],
    response: { 200: z.string() },
    errors: ['invalid_search'],
  },
})

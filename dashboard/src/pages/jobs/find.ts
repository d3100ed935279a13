/** Finds jobs for a search, page by page. */
import { addressOf, call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'

type Answer = AnswerOf<'GET /api/v1/jobs/search'>
export type FoundJob = Answer['jobs'][number]

export interface FoundPage {
  readonly jobs: readonly FoundJob[]
  readonly next: string | null
  /** The page is full, so the next one comes while a person scrolls; otherwise its time was used up, and a person decides. */
  readonly full: boolean
  /** How far the search looked. */
  readonly examined: Answer['examined']
  readonly keywords: Answer['keywords']
}

export const PAGE_SIZE = 100

/** The first answer comes at once; a person who looks further wants to get far. */
const BUDGET_MS = { first: 120, further: 1_000 }

export async function findJobs(q: string, after: string | null, signal: AbortSignal): Promise<FoundPage> {
  const answer = await call('GET /api/v1/jobs/search', {
    query: {
      ...{ q, limit: PAGE_SIZE },
      ...(after === null
        ? { budget_ms: BUDGET_MS.first }
        : { page_token: after, budget_ms: BUDGET_MS.further }),
    },
    signal,
  })
  return {
    jobs: answer.jobs,
    next: answer.next_page_token ?? null,
    full: answer.jobs.length >= PAGE_SIZE,
    examined: answer.examined,
    keywords: answer.keywords,
  }
}

export function exportAddress(q: string, format: 'csv' | 'ndjson'): string {
  return addressOf('/api/v1/jobs/search/export', { query: { q, format } })
}

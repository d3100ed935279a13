/** The jobs that the search of a bulk operation finds, page by page, newest first. */
import { LIMITS } from '../../domain/limits.js'
import { compile } from '../search/compile.js'
import type { MatchingJobs, MatchPage } from '../search/matching.js'
import { readSearch } from '../search/read-search.js'

export interface Matching {
  readonly tenant: string
  readonly q: string
  /** Jobs created later do not count. */
  readonly until: Date
}

/** A page may have few ids, even none, and still have a next one. */
export function matchingIds(
  search: MatchingJobs,
  { tenant, q, until }: Matching,
  after?: string | null,
): Promise<MatchPage> {
  return search.ids(readSearch(q), {
    tenant,
    // Exclusive, and `until` is not.
    createdBefore: new Date(until.getTime() + 1),
    limit: LIMITS.pageMax.default,
    ...(after == null ? {} : { after }),
  })
}

/** The states that the search names; null: any. */
export function matchingStates(q: string): readonly string[] | null {
  return compile(readSearch(q), new Map()).states ?? null
}

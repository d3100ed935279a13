/** Jobs that match a search, for commands that act on all of them. */

import type { SearchFilter } from '../../search/filter.js'

export interface MatchScope {
  readonly tenant?: string
  /** Only jobs that were created before this moment: those that arrive later are left alone. */
  readonly createdBefore: Date | string
}

export interface MatchPage {
  readonly ids: readonly number[]
  /** Null: there are no more. A page may have few ids, even none, and still have a next. */
  readonly next: string | null
}

export interface MatchCount {
  readonly count: number
  /** False: there are at least `count`; the count stopped at its bound or its time budget. */
  readonly exact: boolean
}

/** Implemented by `store.search`. */
export interface MatchingJobs {
  /** A page of ids, newest first. Each call examines a bounded number of jobs. */
  ids(
    filter: SearchFilter,
    scope: MatchScope & { readonly limit?: number; readonly after?: string },
  ): Promise<MatchPage>
  /** Counts up to `max` (default 1,000). */
  count(
    filter: SearchFilter,
    scope: MatchScope & { readonly max?: number; readonly budgetMs?: number },
  ): Promise<MatchCount>
}

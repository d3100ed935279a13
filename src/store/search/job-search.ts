/**
 * Searches jobs. The database examines a bounded number of jobs a step (`search_ids`); a call takes steps until it has enough matches, or its
 * time or its number of examined jobs is used up. Then it returns what it has, how far it looked, and a token with which to look further. So
 * no search takes longer than its budget, however rare its matches are.
 */

import type { Database } from '../../database/database.js'
import { invalidInput } from '../../domain/errors/errors.js'
import { LIMITS } from '../../domain/limits.js'
import { checkPageSize, checkSearchMatches } from '../../domain/validate.js'
import type { SuggestedField } from '../../search/complete.js'
import type { SearchFilter } from '../../search/filter.js'
import { type CompiledSearch, compile, type KeywordMeanings } from './compile.js'
import { exportJobs, type JobFormat } from './export-jobs.js'
import { countFacets, type Facets } from './facets.js'
import { type FoundJob, foundJobs } from './found-jobs.js'
import { indexableInput, withIndexedInput } from './indexed-input.js'
import type { MatchCount, MatchingJobs, MatchPage, MatchScope } from './matching.js'
import { readSearch } from './read-search.js'
import { suggestValues } from './suggest.js'

export interface SearchScope {
  readonly tenant?: string
  readonly createdBefore?: Date | string
  readonly limit?: number
  /** `next` of the previous page. */
  readonly after?: string
  readonly budgetMs?: number
  readonly rowsMax?: number
}

export interface Examined {
  /** The time of the oldest job that was examined: its end in a search for failed or canceled jobs alone, else its creation. */
  readonly oldestAt: Date | null
  /** How many were examined, from the first page on. */
  readonly jobs: number
  /** Nothing is left to examine. */
  readonly complete: boolean
}

export interface FoundPage {
  readonly rows: readonly FoundJob[]
  readonly next: string | null
  readonly examined: Examined
  /** What each keyword without a field was found as. */
  readonly keywords: readonly { readonly keyword: string; readonly fields: readonly string[] }[]
}

interface Steps {
  readonly ids: number[]
  readonly next: string | null
  readonly examined: Examined
  readonly keywords: FoundPage['keywords']
}

/** Where a search continues. */
interface SearchCursor {
  readonly id: number
  readonly at?: string
}

/** Jobs of one step; doubled while steps are quick, so that a long search needs few of them, within the time that is left. */
const WINDOW = { first: 1_000, max: 50_000, quickMs: 40, slowMs: 150 }

/** Jobs of one page of an export: their inputs are read whole. */
const EXPORTED_PAGE = 100

export class JobSearch implements MatchingJobs {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** A page of jobs, newest first; failed and canceled ones by when they ended. The search may be text. */
  async page(search: SearchFilter | string, scope: SearchScope = {}): Promise<FoundPage> {
    const filter = typeof search === 'string' ? readSearch(search) : search
    const limit = checkPageSize(scope.limit ?? 50, '/limit')
    const { ids, ...found } = await this.#steps(filter, { ...scope, limit })
    return { rows: await foundJobs(this.#database, ids), ...found }
  }

  async ids(
    filter: SearchFilter,
    scope: MatchScope & { readonly limit?: number; readonly after?: string },
  ): Promise<MatchPage> {
    const limit = checkPageSize(scope.limit ?? LIMITS.pageMax.default, '/limit')
    const { ids, next } = await this.#steps(filter, { ...scope, limit })
    return { ids, next }
  }

  async count(
    filter: SearchFilter,
    {
      max = LIMITS.searchMatches.default,
      ...scope
    }: MatchScope & { readonly max?: number; readonly budgetMs?: number },
  ): Promise<MatchCount> {
    const { ids, examined } = await this.#steps(filter, {
      ...scope,
      limit: checkSearchMatches(max, '/max'),
    })
    return { count: ids.length, exact: examined.complete }
  }

  /** Counts by state, queue, kind, error and version, each over at most `searchMatches` jobs. */
  facets(
    filter: SearchFilter,
    { tenant = 'default', budgetMs }: Pick<SearchScope, 'tenant' | 'budgetMs'> = {},
  ): Promise<Facets> {
    return countFacets(this.#database, filter, async (narrowed, share) => {
      const budget = (budgetMs ?? LIMITS.searchBudgetMs.default) * share
      const { ids, examined } = await this.#steps(narrowed, {
        tenant,
        budgetMs: budget,
        limit: LIMITS.searchMatches.default,
      })
      return { ids, complete: examined.complete }
    })
  }

  /** Values of a field that begin with a text, for completion. */
  suggest(
    field: SuggestedField,
    prefix: string,
    { tenant = 'default' }: { readonly tenant?: string } = {},
  ): Promise<string[]> {
    return suggestValues(this.#database, field, prefix, tenant)
  }

  /** Every match as the text of a file; export-jobs.ts describes the formats. `shown` may change an input. */
  export(
    filter: SearchFilter,
    format: JobFormat,
    {
      tenant = 'default',
      shown = (input) => input,
    }: { readonly tenant?: string; readonly shown?: (input: unknown) => unknown } = {},
  ): AsyncGenerator<string, void, undefined> {
    return exportJobs(this.#database, format, shown, async (after) => {
      const { ids, next } = await this.#steps(filter, {
        tenant,
        limit: EXPORTED_PAGE,
        budgetMs: LIMITS.searchBudgetMs.hardMax,
        ...(after === undefined ? {} : { after }),
      })
      return { ids, next }
    })
  }

  async #steps(filter: SearchFilter, scope: SearchScope): Promise<Steps> {
    const { tenant = 'default', createdBefore } = scope
    const limit = scope.limit ?? 50
    const endsAt = performance.now() + (scope.budgetMs ?? LIMITS.searchBudgetMs.default)
    const rowsMax = scope.rowsMax ?? LIMITS.searchedRows.default
    const meanings = await this.#meanings(filter, tenant)
    const compiled = withBound(compile(filter, meanings), createdBefore)
    const parts = await this.#parts(compiled, filter, tenant)
    const { before, ...start } = readToken(scope.after, parts.length)
    const ids: number[] = []
    let state = { ...start, examined: 0, oldestAt: null as Date | null, complete: false }
    let window = WINDOW.first
    do {
      const startedAt = performance.now()
      const part = parts[state.part] ?? compiled
      const step = await this.#step(tenant, part, state.cursor, limit - ids.length, window)
      ids.push(...step.ids)
      state = {
        cursor: step.next,
        part: step.next === null ? state.part + 1 : state.part,
        examined: state.examined + step.examined,
        oldestAt: step.oldestAt ?? state.oldestAt,
        complete: step.next === null && state.part + 1 === parts.length,
      }
      const endedAt = performance.now()
      window = nextWindow(window, { tookMs: endedAt - startedAt, leftMs: endsAt - endedAt })
    } while (!state.complete && ids.length < limit && state.examined < rowsMax && performance.now() < endsAt)
    const jobs = before + state.examined
    return {
      ids,
      next: state.complete ? null : tokenOf(state, jobs),
      examined: { oldestAt: state.oldestAt, jobs, complete: state.complete },
      keywords: [...meanings].map(([keyword, fields]) => ({ keyword, fields })),
    }
  }

  async #step(
    tenant: string,
    compiled: CompiledSearch,
    after: SearchCursor | null,
    limit: number,
    window: number,
  ) {
    const [row] = await this.#rows(
      'select ids, next, examined, oldest_at from holdfast.search_ids($1, $2, $3, $4, $5)',
      [tenant, JSON.stringify(compiled), after === null ? null : JSON.stringify(after), limit, window],
    )
    const {
      ids,
      next,
      examined,
      oldest_at: oldestAt,
    } = row as {
      ids: number[]
      next: SearchCursor | null
      examined: number
      oldest_at: Date | null
    }
    return { ids, next, examined, oldestAt }
  }

  /** One after the other. Fields that kinds declare as searchable are found by their index first. */
  async #parts(compiled: CompiledSearch, filter: SearchFilter, tenant: string): Promise<CompiledSearch[]> {
    const term = indexableInput(filter)
    if (term === undefined || compiled.index !== undefined) return [compiled]
    const kinds = await this.#rows(
      'select kind, search_since from holdfast.kinds where tenant = $1 and $2 = any (search) order by kind limit 1000',
      [tenant, term.path],
    )
    const declared = kinds.map((row) => ({ kind: row.kind as string, since: row.search_since as Date }))
    return withIndexedInput(compiled, term, declared)
  }

  /** Keywords are looked up once a call: a keyword that no job has yet may have one by the next page. */
  async #meanings({ terms }: SearchFilter, tenant: string): Promise<KeywordMeanings> {
    const keywords = [...new Set(terms.flatMap((term) => (term.is === 'keyword' ? [term.keyword] : [])))]
    if (keywords.length === 0) return new Map()
    const rows = await this.#rows(
      'select w.keyword, holdfast.read_keyword($1, w.keyword) as fields from unnest($2::text[]) w (keyword)',
      [tenant, keywords],
    )
    return new Map(rows.map(({ keyword, fields }) => [keyword as string, fields as string[]]))
  }

  #rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    return this.#database.query<Record<string, unknown>>(text, values, { repeatable: true })
  }
}

/** Never more jobs than can be examined in the time that is left, at the pace of the last step. */
export function nextWindow(
  window: number,
  { tookMs, leftMs }: { readonly tookMs: number; readonly leftMs: number },
): number {
  const wanted = tookMs < WINDOW.quickMs ? window * 2 : tookMs > WINDOW.slowMs ? window / 2 : window
  const fitting = tookMs > 0 ? (leftMs * window) / tookMs : wanted
  return Math.floor(Math.min(Math.max(Math.min(wanted, fitting), WINDOW.first), WINDOW.max))
}

function withBound(compiled: CompiledSearch, createdBefore: Date | string | undefined): CompiledSearch {
  if (createdBefore === undefined) return compiled
  const bound = new Date(createdBefore).toISOString()
  const own = compiled.created_to as string | undefined
  return { ...compiled, created_to: own === undefined || bound < own ? bound : own }
}

function tokenOf({ cursor, part }: { cursor: SearchCursor | null; part: number }, examined: number): string {
  return Buffer.from(JSON.stringify([examined, cursor?.id ?? null, cursor?.at ?? null, part])).toString(
    'base64url',
  )
}

interface Start {
  readonly before: number
  readonly cursor: SearchCursor | null
  readonly part: number
}

function readToken(token: string | undefined, parts: number): Start {
  if (token === undefined) return { before: 0, cursor: null, part: 0 }
  const [examined, id, at, part] = partsOf(token)
  const fits =
    Number.isSafeInteger(examined) &&
    (id === null || Number.isSafeInteger(id)) &&
    (at === null || (typeof at === 'string' && !Number.isNaN(Date.parse(at)))) &&
    Number.isSafeInteger(part) &&
    (part as number) >= 0
  if (!fits) throw invalidInput('/after', 'is not a cursor of this search')
  return {
    before: examined as number,
    cursor: id === null ? null : { id: id as number, ...(at === null ? {} : { at: at as string }) },
    // Declarations may have changed since the last page.
    part: Math.min(part as number, parts - 1),
  }
}

function partsOf(token: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    return Array.isArray(parts) && parts.length === 4 ? parts : []
  } catch {
    return []
  }
}

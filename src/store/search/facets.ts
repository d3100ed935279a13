/**
 * Counts the jobs of a search by state, queue, kind, error and version. A facet whose field the search has already counts what the other
 * terms find, so that it shows the alternatives. Counts are over the newest `searchMatches` matches that fit into the budget.
 */

import type { Session } from '../../database/database.js'
import type { SearchFilter } from '../../search/filter.js'
import { literal } from '../../search/text-values.js'
import { selectRows } from '../rows.js'

export interface Facet {
  readonly values: { value: string; label: string; count: number }[]
  readonly counted: number
  /** False: there are more jobs, and every count is a lower bound. */
  readonly complete: boolean
}

const FACETS = ['state', 'queue', 'kind', 'error', 'version'] as const
type FacetName = (typeof FACETS)[number]
export type Facets = Record<FacetName, Facet>

interface Sample {
  readonly ids: readonly number[]
  readonly complete: boolean
}

/** Values of a facet. */
const SHOWN_MAX = 20

/** `find` returns matches within a share of the budget; the searches run side by side. */
export async function countFacets(
  session: Session,
  filter: SearchFilter,
  find: (filter: SearchFilter, share: number) => Promise<Sample>,
): Promise<Facets> {
  const own = FACETS.filter((name) =>
    filter.terms.some((term) => term.is !== 'keyword' && term.field === name),
  )
  const share = 1 / (own.length + 1)
  const sample = async (narrowed: SearchFilter) => sampleOf(session, await find(narrowed, share))
  const usual = sample(filter)
  const facets = await Promise.all(
    FACETS.map(async (name) => {
      const terms = filter.terms.filter((term) => term.is === 'keyword' || term.field !== name)
      return [name, facetOf(name, await (own.includes(name) ? sample({ terms }) : usual))] as const
    }),
  )
  return Object.fromEntries(facets) as Facets
}

interface FacetRow {
  readonly state: string
  readonly queue: string
  readonly kind: string
  readonly errorFingerprint: string | null
  readonly errorMessage: string | null
  readonly version: string | null
}

const ROWS =
  'select state, queue, kind, error_fingerprint, error_message, version from holdfast.facets_of($1::bigint[])'

async function sampleOf(
  session: Session,
  { ids, complete }: Sample,
): Promise<{ rows: FacetRow[]; complete: boolean }> {
  const rows = ids.length === 0 ? [] : await selectRows<FacetRow>(session, ROWS, [ids])
  return { rows, complete }
}

function facetOf(
  name: FacetName,
  { rows, complete }: { rows: readonly FacetRow[]; complete: boolean },
): Facet {
  const values = new Map<string, { value: string; label: string; count: number }>()
  for (const row of rows) {
    const found = facetValue(name, row)
    if (found === null) continue
    const before = values.get(found.value)
    if (before === undefined) values.set(found.value, { ...found, count: 1 })
    else before.count += 1
  }
  const sorted = [...values.values()].sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))
  return { values: sorted.slice(0, SHOWN_MAX), counted: rows.length, complete }
}

function facetValue(name: FacetName, row: FacetRow): { value: string; label: string } | null {
  if (name === 'error') {
    const { errorFingerprint, errorMessage } = row
    if (errorMessage === null) return null
    const label = (errorMessage.split('\n', 1)[0] ?? '').slice(0, 200)
    return { value: errorFingerprint ?? label, label }
  }
  const text = row[name]
  if (text === null) return null
  return { value: name === 'state' ? text : literal(text), label: text }
}

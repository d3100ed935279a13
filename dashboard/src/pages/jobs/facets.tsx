/** Facets: what the search found, counted by state, error, queue, kind and version. A click adds a value or takes it out. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { hasValue, toggleValue } from '../../search/edit.js'
import { formatNumber } from '../../ui/format.js'
import { Skeleton } from '../../ui/loaded.jsx'
import { query } from './query.js'

type Answer = AnswerOf<'GET /api/v1/jobs/search/facets'>
type Field = keyof Answer
type Value = Answer[Field]['values'][number]

const FACETS: readonly (readonly [Field, string])[] = [
  ['state', 'State'],
  ['error', 'Error'],
  ['queue', 'Queue'],
  ['kind', 'Kind'],
  ['version', 'Version'],
]
const SHOWN = 8
/** Facets come with the list, and are renewed while it is shown. */
const BUDGET_MS = 80

export function Facets() {
  const loaded = useResource(
    (signal) =>
      call('GET /api/v1/jobs/search/facets', { query: { q: query.value, budget_ms: BUDGET_MS }, signal }),
    [],
    { everyMs: 5_000 },
  )
  const data = loaded.data.value
  if (data === undefined) return loaded.failure.value === null ? <Skeleton rows={10} /> : null
  return (
    <>
      {FACETS.map(([field, title]) => (
        <Facet key={field} field={field} title={title} facet={data[field]} />
      ))}
      {FACETS.some(([field]) => !data[field].complete) && (
        <p class="faint small facet-note">counted among the newest jobs</p>
      )}
    </>
  )
}

interface FacetProps {
  readonly field: Field
  readonly title: string
  readonly facet: Answer[Field]
}

function Facet({ field, title, facet: { values, complete } }: FacetProps) {
  const q = query.value
  if (values.length === 0) return null
  const entry = ({ value, label, count }: Value) => (
    <li key={value}>
      <button
        type="button"
        class="facet"
        aria-pressed={hasValue(q, field, value)}
        title={label}
        onClick={() => {
          query.value = toggleValue(q, field, value)
        }}
      >
        <span class="cut">{label}</span>
        <span class="num faint">
          {formatNumber(count)}
          {!complete && '+'}
        </span>
      </button>
    </li>
  )
  return (
    <section>
      <h2>{title}</h2>
      <ul>{values.slice(0, SHOWN).map(entry)}</ul>
      {values.length > SHOWN && (
        <details>
          <summary class="faint small">{values.length - SHOWN} more</summary>
          <ul>{values.slice(SHOWN).map(entry)}</ul>
        </details>
      )}
    </section>
  )
}

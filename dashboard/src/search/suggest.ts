/** Values of fields for the completion of a search, from the server. The last ones are kept: a person goes back and forth. */
import type { SuggestedField } from '../../../src/search/search.js'
import { actingTenant, call } from '../api/call.js'

const KEPT_MS = 30_000
const KEPT_MAX = 50

interface Kept {
  readonly at: number
  readonly values: Promise<readonly string[]>
}

const kept = new Map<string, Kept>()

export function suggest(field: SuggestedField, prefix: string): Promise<readonly string[]> {
  const id = [actingTenant.peek(), field, prefix].join('\n')
  const before = kept.get(id)
  if (before !== undefined && Date.now() - before.at < KEPT_MS) return before.values
  // Without suggestions a person still can type.
  const values = call('GET /api/v1/jobs/search/suggest', { query: { field, prefix } }).then(
    (answer) => answer.values,
    () => [],
  )
  if (kept.size >= KEPT_MAX) kept.clear()
  kept.set(id, { at: Date.now(), values })
  return values
}

/**
 * Searches for fields of inputs that kinds declare as searchable (`search` of a definition). The index has the jobs that were enqueued since
 * the declaration, so such a search has parts, one after the other: what the index has; the other kinds; and what is older than the
 * declaration. No job is in two of them.
 */

import type { SearchFilter } from '../../search/filter.js'
import { plainText } from '../../search/text-values.js'
import { type CompiledSearch, isLike, likePattern } from './compile.js'

/** The first term that an index may have: a field of the input with exact values. */
export interface IndexableInput {
  readonly path: string
  readonly values: readonly string[]
}

export function indexableInput({ terms }: SearchFilter): IndexableInput | undefined {
  const term = terms.find((each) => each.is === 'text' && each.field === 'input' && !each.not && each.path)
  if (term?.is !== 'text') return undefined
  const values = term.values.map(plainText).filter((value) => value !== undefined)
  return values.length === term.values.length ? { path: (term.path ?? []).join('.'), values } : undefined
}

/** An enqueue under way at the time of the declaration may not know it yet. */
const SLACK_MS = 60_000

export function withIndexedInput(
  compiled: CompiledSearch,
  { path, values }: IndexableInput,
  declared: readonly { readonly kind: string; readonly since: Date }[],
): CompiledSearch[] {
  const patterns = compiled.kinds as string[] | undefined
  const fits = (kind: string) => patterns === undefined || patterns.some((pattern) => isLike(kind, pattern))
  const searched = declared.filter(({ kind }) => fits(kind))
  if (searched.length === 0) return [compiled]
  const kinds = searched.map(({ kind }) => likePattern(kind))
  const since = new Date(Math.max(...searched.map(({ since }) => since.getTime())) + SLACK_MS).toISOString()
  const from = compiled.created_from as string | undefined
  const to = compiled.created_to as string | undefined
  const indexed = {
    ...compiled,
    kinds,
    index: { input: values.map((value) => `${path}=${value}`) },
    created_from: from === undefined || from < since ? since : from,
  }
  const others = { ...compiled, not_kinds: [...((compiled.not_kinds as string[]) ?? []), ...kinds] }
  const older = { ...compiled, kinds, created_to: to === undefined || to > since ? since : to }
  // Where the search names the kinds, there are no others.
  const isNamed = patterns?.every((pattern) => kinds.includes(pattern)) ?? false
  return isNamed ? [indexed, older] : [indexed, others, older]
}

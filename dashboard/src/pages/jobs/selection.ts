/** Selected rows: single ones, a range with shift, all that are loaded, or all that match. */
import { signal } from '@preact/signals'
import type { Selection } from '../../ui/virtual-table.jsx'

export const selected = signal<ReadonlySet<number>>(new Set())
/** Not only the rows that are loaded: everything that the search finds. */
export const allMatching = signal(false)
let last: number | null = null

export function clearSelection(): void {
  selected.value = new Set()
  allMatching.value = false
  last = null
}

export function selectionOf(ids: readonly number[]): Selection<number> {
  const has = (id: number) => allMatching.value || selected.value.has(id)
  const chosen = ids.filter(has).length
  return {
    has,
    all: chosen === 0 ? 'none' : chosen === ids.length ? 'all' : 'some',
    toggle(id, range) {
      const next = new Set(allMatching.peek() ? ids : selected.peek())
      const add = !next.has(id)
      for (const each of range ? between(ids, last ?? id, id) : [id]) {
        if (add) next.add(each)
        else next.delete(each)
      }
      last = id
      allMatching.value = false
      selected.value = next
    },
    toggleAll() {
      if (chosen === ids.length) clearSelection()
      else selected.value = new Set(ids)
    },
  }
}

function between(ids: readonly number[], from: number, to: number): readonly number[] {
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)]
  return a === -1 || b === -1 ? [to] : ids.slice(Math.min(a, b), Math.max(a, b) + 1)
}

/** A list in keyset pages: the first page is loaded at once, the next ones on demand. What was loaded stays. */
import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { isShown } from '../state/url.js'
import { actingTenant } from './call.js'
import { asFailure, type CallFailed, isPassing } from './problem.js'
import type { Resource } from './resource.js'

export interface PageOfRows<Row> {
  readonly rows: readonly Row[]
  /** Null on the last page. */
  readonly next: string | null
}

/** A Resource, so that `<Loaded of={pages}>` shows it. */
export interface Pages<Row> extends Resource<readonly Row[]> {
  readonly hasMore: ReadonlySignal<boolean>
  loadMore(): Promise<void>
}

/** A first page that did not come is asked for again. */
const AGAIN_MS = 5_000

/** `load` may read signals; a change begins again with the first page. `inputs` as in useResource. */
export function usePages<Row>(
  load: (token: string | undefined, signal: AbortSignal) => Promise<PageOfRows<Row>>,
  inputs: readonly unknown[] = [],
): Pages<Row> {
  const latest = useRef(load)
  latest.current = load
  const pages = useMemo(() => createPages<Row>((token, signal) => latest.current(token, signal)), inputs)
  useEffect(() => pages.start(), [pages])
  return pages
}

function createPages<Row>(
  load: (token: string | undefined, signal: AbortSignal) => Promise<PageOfRows<Row>>,
) {
  const data = signal<readonly Row[] | undefined>(undefined)
  const failure = signal<CallFailed | null>(null)
  const loading = signal(true)
  const loadedAt = signal<number | null>(null)
  const next = signal<string | null>(null)
  const hasMore = signal(false)
  let running: AbortController | undefined

  async function fetchPage(token: string | undefined): Promise<void> {
    running?.abort()
    const mine = new AbortController()
    running = mine
    loading.value = true
    try {
      const answer = await load(token, mine.signal)
      if (mine.signal.aborted) return
      data.value = token === undefined ? answer.rows : [...(data.peek() ?? []), ...answer.rows]
      next.value = answer.next
      hasMore.value = answer.next !== null
      failure.value = null
      loadedAt.value = Date.now()
    } catch (error) {
      if (!mine.signal.aborted) failure.value = asFailure(error)
    } finally {
      if (running === mine) loading.value = false
    }
  }

  return {
    data,
    failure,
    loading,
    loadedAt,
    hasMore,
    reload: () => fetchPage(undefined),
    async loadMore() {
      if (!loading.peek() && next.peek() !== null) await fetchPage(next.peek() ?? undefined)
    },
    start() {
      const stop = effect(() => {
        void actingTenant.value
        if (!isShown()) return
        void fetchPage(undefined)
      })
      const again = setInterval(() => {
        if (data.peek() === undefined && !loading.peek() && isPassing(failure.peek()))
          void fetchPage(undefined)
      }, AGAIN_MS)
      return () => {
        stop()
        clearInterval(again)
        running?.abort()
      }
    },
  }
}

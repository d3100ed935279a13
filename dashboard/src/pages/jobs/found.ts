/**
 * What a search has found, page by page. Rows never jump: states change in place, new jobs wait behind a pill, and old rows stay while
 * another search is under way or after it failed.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { actingTenant, call } from '../../api/call.js'
import { asFailure, type CallFailed, isPassing } from '../../api/problem.js'
import { connected, onEvents } from '../../state/live.js'
import { isReturn, isShown } from '../../state/url.js'
import { type FoundJob, type FoundPage, findJobs } from './find.js'

export interface Found {
  readonly rows: ReadonlySignal<readonly FoundJob[] | undefined>
  /** Of the last page; undefined until the first answer. */
  readonly page: ReadonlySignal<FoundPage | undefined>
  readonly loading: ReadonlySignal<boolean>
  /** The rows are those of another search, or of before a reload; the next page of the same does not count. */
  readonly outdated: ReadonlySignal<boolean>
  readonly failure: ReadonlySignal<CallFailed | null>
  /** Jobs that match and are not shown yet. */
  readonly fresh: ReadonlySignal<number>
  more(): Promise<void>
  /** The first page again, with what is new. */
  reload(): Promise<void>
}

const EVERY_MS = 2_000
const POLL_MS = 5_000
/** States of so many rows are renewed in place. */
const RENEWED_MAX = 500

interface Kept {
  readonly q: string
  readonly tenant: string | null
  readonly rows: readonly FoundJob[]
  readonly last: FoundPage
}

/** What the list had when it was left. A person who opened a job comes back to the same rows, not to the first of many pages. */
let kept: Kept | undefined

export function useFound(q: ReadonlySignal<string>): Found {
  const found = useMemo(() => createFound(q), [q])
  useEffect(() => found.start(), [found])
  return found
}

function createFound(q: ReadonlySignal<string>): Found & { start(): () => void } {
  const isKept = isReturn && kept?.q === q.peek() && kept.tenant === actingTenant.peek()
  const rows = signal<readonly FoundJob[] | undefined>(isKept ? kept?.rows : undefined)
  const last = signal<FoundPage | undefined>(isKept ? kept?.last : undefined)
  const loading = signal(!isKept)
  const outdated = signal(false)
  const failure = signal<CallFailed | null>(null)
  const fresh = signal(0)
  let running: AbortController | undefined
  let searched = { q: q.peek(), tenant: actingTenant.peek() }

  /** Runs one load at a time; a new search ends the one before. */
  async function load(run: (abort: AbortSignal) => Promise<void>): Promise<void> {
    running?.abort()
    const mine = new AbortController()
    running = mine
    loading.value = true
    try {
      await run(mine.signal)
      if (!mine.signal.aborted) failure.value = null
    } catch (error) {
      if (!mine.signal.aborted) failure.value = asFailure(error)
    } finally {
      if (running === mine) loading.value = false
    }
  }

  const take = (page: FoundPage, before: readonly FoundJob[]) => {
    const known = new Set(before.map(({ id }) => id))
    outdated.value = false
    rows.value = [...before, ...page.jobs.filter(({ id }) => !known.has(id))]
    last.value = page
  }

  const reload = () =>
    load(async (abort) => {
      outdated.value = true
      const page = await findJobs(q.peek(), null, abort)
      if (abort.aborted) return
      take(page, [])
      fresh.value = 0
    })

  const more = async () => {
    const after = last.peek()?.next ?? null
    if (loading.peek() || after === null) return
    await load(async (abort) => {
      const page = await findJobs(q.peek(), after, abort)
      if (!abort.aborted) take(page, rows.peek() ?? [])
    })
  }

  /** Looks at the first page again, without moving a row. */
  async function renew(): Promise<void> {
    const shown = rows.peek()
    if (loading.peek()) return
    // Nothing has come yet, or the rows are those of another search.
    if (shown === undefined || outdated.peek()) return reload()
    const asked = q.peek()
    const abort = new AbortController()
    try {
      const page = await findJobs(asked, null, abort.signal)
      if (asked !== q.peek() || loading.peek()) return
      const newest = new Map(page.jobs.map((job) => [job.id, job]))
      const known = new Set(shown.map(({ id }) => id))
      if (shown.length === 0) return take(page, [])
      fresh.value = page.jobs.filter(({ id }) => !known.has(id)).length
      const old = shown
        .slice(0, RENEWED_MAX)
        .filter(({ id, finished_at }) => !newest.has(id) && finished_at === null)
      const { jobs } =
        old.length === 0
          ? { jobs: [] }
          : await call('POST /api/v1/jobs/lookup', { body: { job_ids: old.map(({ id }) => id) } })
      const states = new Map(jobs.map(({ id, state, status }) => [id, { state, status }]))
      rows.value = (rows.peek() ?? []).map((row) => newest.get(row.id) ?? { ...row, ...states.get(row.id) })
      failure.value = null
    } catch (error) {
      failure.value = asFailure(error)
    }
  }

  /** Rows of another search are not kept for this one. */
  function keep(): void {
    const [shown, page] = [rows.peek(), last.peek()]
    kept =
      shown === undefined || page === undefined || outdated.peek()
        ? undefined
        : { ...searched, rows: shown, last: page }
  }

  function start(): () => void {
    let lastAt = Date.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = (ms: number) => {
      timer ??= setTimeout(async () => {
        if (!document.hidden) await renew()
        lastAt = Date.now()
        timer = undefined
      }, ms)
    }
    let hasRows = isKept
    const stopSearch = effect(() => {
      const tenant = actingTenant.value
      if (!isShown()) return
      searched = { q: q.value, tenant }
      if (hasRows) soon(0)
      else void reload()
      hasRows = false
    })
    const stopEvents = onEvents(() => soon(Math.max(0, lastAt + EVERY_MS - Date.now())))
    const poll = setInterval(() => {
      const isWanted = !connected.peek() || isPassing(failure.peek())
      if (isWanted && Date.now() - lastAt >= POLL_MS) soon(0)
    }, 1_000)
    return () => {
      stopSearch()
      stopEvents()
      clearInterval(poll)
      clearTimeout(timer)
      running?.abort()
      keep()
    }
  }

  return { rows, page: last, loading, outdated, failure, fresh, more, reload, start }
}

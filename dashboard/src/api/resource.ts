/**
 * Data of a page that keeps itself fresh. The old data stays while new data is loaded and when loading fails; a change of what is asked for
 * (another job, another filter) drops an answer that is still under way. While live, events reload it, at most every `everyMs`; without a
 * stream it polls.
 */
import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { connected, type LiveEvent, onEvents } from '../state/live.js'
import { isShown } from '../state/url.js'
import { actingTenant } from './call.js'
import { asFailure, type CallFailed, isPassing } from './problem.js'

export interface Resource<T> {
  /** Undefined until the first answer. */
  readonly data: ReadonlySignal<T | undefined>
  /** Of the last load; null again when one succeeds. */
  readonly failure: ReadonlySignal<CallFailed | null>
  readonly loading: ReadonlySignal<boolean>
  /** When the data came, for "as of 12:03" after a failure. */
  readonly loadedAt: ReadonlySignal<number | null>
  reload(): Promise<void>
}

export interface ResourceOptions {
  /** Events that make the data stale. `true`: every event (the default). `false`: it is loaded once, and by `reload()`. */
  readonly live?: boolean | ((event: LiveEvent) => boolean)
  /** At most one reload in this time. Default: 2 seconds. */
  readonly everyMs?: number
  /** Of the frame around the pages, not of one page. */
  readonly everyPage?: boolean
  /** Reload also without events, for ages and rates. Default: 30 seconds; 5 seconds without a stream. */
  readonly pollMs?: number | (() => number)
}

const EVERY_MS = 2_000
const POLL_MS = 30_000
const POLL_WITHOUT_STREAM_MS = 5_000

/**
 * `load` may read signals (URL params): the resource loads again when they change. What it closes over from the component goes into
 * `inputs`, like the dependencies of a hook.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[] = [],
  options: ResourceOptions = {},
): Resource<T> {
  const latest = useRef(load)
  latest.current = load
  const settings = useRef(options)
  settings.current = options
  const resource = useMemo(() => createResource((signal) => latest.current(signal)), inputs)
  useEffect(() => resource.start(settings.current), [resource])
  return resource
}

interface Started<T> extends Resource<T> {
  start(options: ResourceOptions): () => void
}

function createResource<T>(load: (signal: AbortSignal) => Promise<T>): Started<T> {
  const data = signal<T | undefined>(undefined)
  const failure = signal<CallFailed | null>(null)
  const loading = signal(true)
  const loadedAt = signal<number | null>(null)
  let running: AbortController | undefined

  async function fetchOnce(): Promise<void> {
    running?.abort()
    const mine = new AbortController()
    running = mine
    loading.value = true
    try {
      const answer = await load(mine.signal)
      if (mine.signal.aborted) return
      data.value = answer
      failure.value = null
      loadedAt.value = Date.now()
    } catch (error) {
      if (mine.signal.aborted) return
      failure.value = asFailure(error)
    } finally {
      if (running === mine) loading.value = false
    }
  }

  function start(options: ResourceOptions): () => void {
    const { live = true, everyMs = EVERY_MS, pollMs = POLL_MS, everyPage = false } = options
    let lastAt = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = (ms: number) => {
      if (timer === undefined) timer = setTimeout(run, ms)
    }
    const run = () => {
      timer = undefined
      // A slow answer is waited for: events must not abort every load before it ends.
      if (document.hidden || loading.peek()) return soon(500)
      lastAt = Date.now()
      void fetchOnce()
    }
    const stopLoading = effect(() => {
      void actingTenant.value
      if (!everyPage && !isShown()) return
      lastAt = Date.now()
      void fetchOnce()
    })
    const stopEvents =
      live === false
        ? () => undefined
        : onEvents((events) => {
            if (live === true || events.some(live)) soon(Math.max(0, lastAt + everyMs - Date.now()))
          })
    const poll = setInterval(() => {
      const wanted = typeof pollMs === 'number' ? pollMs : pollMs()
      const every = untracked(() => (connected.value ? wanted : Math.min(wanted, POLL_WITHOUT_STREAM_MS)))
      // What is loaded once is loaded again until it is there.
      const isWanted = live !== false || isPassing(failure.peek())
      if (isWanted && Date.now() - lastAt >= every) soon(0)
    }, 1_000)
    return () => {
      stopLoading()
      stopEvents()
      clearInterval(poll)
      clearTimeout(timer)
      running?.abort()
    }
  }

  return { data, failure, loading, loadedAt, reload: fetchOnce, start }
}

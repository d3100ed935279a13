/**
 * The URL is the state: `?page=jobs&q=state:failed`. A param is a signal that reads from the URL and writes to it. `link()` makes addresses
 * for <a href>; a click on one changes the state without loading the document. Back and forward work because nothing else keeps state.
 */
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'

const WORK = ['overview', 'jobs', 'job', 'errors', 'error', 'kinds', 'kind'] as const
const MACHINERY = ['queues', 'queue', 'targets', 'schedules', 'schedule', 'workers', 'worker'] as const
const CARE = ['doctor', 'alerts', 'audit', 'settings'] as const
export const PAGES = [...WORK, ...MACHINERY, ...CARE] as const
export type PageName = (typeof PAGES)[number]

/** Every name that may stand in the URL. A page that needs another one adds it here. */
export type ParamName =
  | ('page' | 'tenant' | 'q' | 'id' | 'name' | 'queue' | 'kind' | 'window' | 'tab' | 'sort' | 'view')
  | ('state' | 'actor' | 'operation' | 'since' | 'until' | 'open' | 'select' | 'chore' | 'span')

type ParamValue = string | number | boolean | null | undefined
export type Place = { readonly page: PageName } & { readonly [N in Exclude<ParamName, 'page'>]?: ParamValue }

/** Kept by every link, so that a person stays with a tenant. */
const KEPT: readonly ParamName[] = ['tenant']

const search = signal(new URLSearchParams(location.search))
/** Whether the place that is shown was reached with back or forward: a list then shows what it had. */
export let isReturn = false
addEventListener('popstate', (event) => {
  isReturn = true
  search.value = new URLSearchParams(location.search)
  scrollBack((event.state as { readonly y?: number } | null)?.y ?? 0)
})

/** So long a place may take until it is as high again as it was. */
const RETURN_MS = 2_000

/** The browser gives up when the page is not there yet. A person who scrolls or goes on meanwhile is left alone. */
function scrollBack(y: number): void {
  const until = performance.now() + RETURN_MS
  const place = location.href
  const stop = new AbortController()
  for (const type of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    addEventListener(type, () => stop.abort(), { signal: stop.signal, passive: true })
  const look = () => {
    if (stop.signal.aborted || location.href !== place) return
    const most = document.documentElement.scrollHeight - innerHeight
    if (most >= y || performance.now() > until) {
      scrollTo(0, y)
      stop.abort()
    } else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

function show(next: URLSearchParams, how: 'push' | 'replace'): void {
  const address = addressOfSearch(next)
  if (next.toString() === search.peek().toString()) return
  if (how === 'push') {
    isReturn = false
    history.replaceState({ y: scrollY }, '')
    history.pushState(null, '', address)
  } else history.replaceState(history.state, '', address)
  batch(() => {
    search.value = next
  })
}

/** Colons, slashes and commas stay readable: they have no meaning in a query. */
function addressOfSearch(params: URLSearchParams): string {
  const text = params
    .toString()
    .replace(/%3A/g, ':')
    .replace(/%2C/g, ',')
    .replace(/%2F/g, '/')
    .replace(/%40/g, '@')
  return text === '' ? document.baseURI.replace(/[?#].*$/, '') : `?${text}`
}

function paramsOf(place: Place): URLSearchParams {
  const params = new URLSearchParams()
  for (const name of KEPT) {
    const value = search.peek().get(name)
    if (value !== null) params.set(name, value)
  }
  for (const [name, value] of Object.entries(place)) {
    if (value === null || value === undefined || value === '' || value === false) params.delete(name)
    else if (name === 'page' && value === 'overview') params.delete(name)
    else params.set(name, String(value))
  }
  return params
}

/** An address for <a href>: only what is given, and the tenant. */
export function link(place: Place): string {
  void search.value
  return addressOfSearch(paramsOf(place))
}

export function go(place: Place, how: 'push' | 'replace' = 'push'): void {
  show(paramsOf(place), how)
  if (how === 'push') scrollTo(0, 0)
}

export interface Param<T> {
  /** Reading subscribes; writing adds a step to the history. */
  value: T
  peek(): T
  /** Writes without a step in the history: for what changes with every key press. */
  replace(value: T): void
}

interface Codec<T> {
  read(text: string | null): T
  /** Null: not in the URL. */
  write(value: T): string | null
}

function param<T>(name: ParamName, codec: Codec<T>): Param<T> {
  const current: ReadonlySignal<T> = computed(() => codec.read(search.value.get(name)))
  const write = (value: T, how: 'push' | 'replace') => {
    const next = new URLSearchParams(search.peek())
    const text = codec.write(value)
    if (text === null) next.delete(name)
    else next.set(name, text)
    show(next, how)
  }
  return {
    get value() {
      return current.value
    },
    set value(value) {
      write(value, 'push')
    },
    peek: () => current.peek(),
    replace: (value) => write(value, 'replace'),
  }
}

export function textParam(name: ParamName, fallback = ''): Param<string> {
  return param(name, {
    read: (text) => text ?? fallback,
    write: (value) => (value === fallback ? null : value),
  })
}

export function numberParam(name: ParamName): Param<number | null> {
  return param(name, {
    read: (text) => (text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null),
    write: (value) => (value === null ? null : String(value)),
  })
}

export function choiceParam<const T extends string>(
  name: ParamName,
  choices: readonly T[],
  fallback: NoInfer<T>,
): Param<T> {
  return param(name, {
    read: (text) => choices.find((each) => each === text) ?? fallback,
    write: (value) => (value === fallback ? null : value),
  })
}

export const page = choiceParam('page', PAGES, 'overview')

let shown: PageName | null = null

/** The page whose component is on the screen: that before, until the code of the next one is here. */
export function noteShown(name: PageName): void {
  shown = name
}

/** False on a page that is about to go: the params in the URL are those of the next one already. Subscribes to the name of the page. */
export function isShown(): boolean {
  return page.value === shown
}

/** Clicks on links into the dashboard change the state; the browser keeps its own way with new tabs and other addresses. */
export function followLinks(): void {
  addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const anchor = (event.target as Element | null)?.closest?.('a[href]')
    if (!(anchor instanceof HTMLAnchorElement) || anchor.target !== '' || anchor.hasAttribute('download'))
      return
    const to = new URL(anchor.href)
    if (to.origin !== location.origin || to.pathname !== location.pathname || to.hash !== '') return
    event.preventDefault()
    show(new URLSearchParams(to.search), 'push')
    scrollTo(0, 0)
  })
}

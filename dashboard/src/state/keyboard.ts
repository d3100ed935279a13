/**
 * The keyboard. Lists need no code: `j` and `k` move between elements with `data-row`, Enter follows the first link of the row, `x` presses
 * its `data-select`, `r` and `c` press `data-action="retry"` and `"cancel"` of the row, or else of the page.
 */
import { signal } from '@preact/signals'
import { go, type PageName } from './url.js'

export const helpOpen = signal(false)
export const paletteOpen = signal(false)
/** The numbers of every chart instead of its picture. */
export const chartsAsTables = signal(false)

/** After `g`. */
export const GO_KEYS: Readonly<Record<string, PageName>> = {
  o: 'overview',
  j: 'jobs',
  e: 'errors',
  k: 'kinds',
  q: 'queues',
  t: 'targets',
  s: 'schedules',
  w: 'workers',
  d: 'doctor',
  a: 'alerts',
  u: 'audit',
  ',': 'settings',
}

export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'search jobs'],
  ['Ctrl K', 'command palette'],
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['x', 'select the row'],
  ['r', 'retry'],
  ['c', 'cancel'],
  ['t', 'charts as tables'],
  ['Esc', 'leave the search box, close a dialog'],
  ['?', 'this list'],
]

type Handler = (event: KeyboardEvent) => void

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-row]')]
const focusedRow = () => document.activeElement?.closest<HTMLElement>('[data-row]') ?? null

function move(by: 1 | -1): void {
  const all = rows()
  const at = all.indexOf(focusedRow() as HTMLElement)
  const next = all[at === -1 ? (by === 1 ? 0 : all.length - 1) : at + by]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

/** The button of another row is not meant: a key must not act on what the person does not look at. */
function press(action: string): void {
  const row = focusedRow()
  const button =
    row?.querySelector<HTMLElement>(`[data-action="${action}"]`) ??
    [...document.querySelectorAll<HTMLElement>(`[data-action="${action}"]`)].find(
      (each) => each.closest('[data-row]') === null,
    ) ??
    null
  if (button !== null && !(button as HTMLButtonElement).disabled) button.click()
}

const PLAIN: Readonly<Record<string, Handler>> = {
  '/': () => focusSearch(),
  '?': () => {
    helpOpen.value = true
  },
  j: () => move(1),
  k: () => move(-1),
  x: () => focusedRow()?.querySelector<HTMLElement>('[data-select]')?.click(),
  r: () => press('retry'),
  c: () => press('cancel'),
  t: () => {
    chartsAsTables.value = !chartsAsTables.value
  },
  Enter: () => {
    if (document.activeElement === focusedRow()) focusedRow()?.querySelector<HTMLElement>('a[href]')?.click()
  },
}

function focusSearch(): void {
  const box = document.querySelector<HTMLInputElement>('[data-search]')
  box?.focus()
  box?.select?.()
}

let afterG = false

export function startKeyboard(): void {
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      paletteOpen.value = !paletteOpen.value
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const target = event.target as HTMLElement
    const typing =
      target.closest?.('input:not([type=checkbox]), textarea, select, [contenteditable], [popover]') ?? null
    if (typing !== null) {
      if (event.key === 'Escape' && target.matches('[data-search]')) target.blur()
      return
    }
    if (document.querySelector('dialog[open]') !== null) return
    handle(event)
  })
}

function handle(event: KeyboardEvent): void {
  const to = afterG ? GO_KEYS[event.key] : undefined
  afterG = event.key === 'g' && !afterG
  if (to !== undefined) {
    event.preventDefault()
    go({ page: to })
    return
  }
  const run = PLAIN[event.key]
  if (run === undefined) return
  // Enter on a link or button is the browser's business.
  if (event.key === 'Enter' && document.activeElement?.matches('a, button, summary')) return
  event.preventDefault()
  run(event)
}

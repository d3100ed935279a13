/**
 * What the view shows and what a key does to it, without a terminal or a database: a key and the state give the next state and at most one
 * effect, which `live.ts` carries out. Commands that change something are only ever the effect of `y` after a question.
 */
import type { JobVerb } from '../jobs/commands.js'
import type { TopKey } from './keys.js'
import type { Style } from './line.js'
import type { TopRow } from './rows.js'
import { checkFilter } from './snapshot.js'
import { safeText } from './text.js'

export const TABS = ['overview', 'queues', 'jobs', 'workers', 'targets', 'alerts'] as const
export type TopTab = (typeof TABS)[number]

export type TopCommand =
  | { readonly verb: JobVerb; readonly jobId: number }
  | { readonly verb: 'pause' | 'unpause'; readonly queue: string }

export type TopEffect =
  | { readonly type: 'quit' | 'interrupt' | 'suspend' | 'redraw' | 'refresh' }
  | { readonly type: 'run'; readonly command: TopCommand }

export interface TopState {
  readonly tab: TopTab
  /** The selected row of each tab; the position counts where the row has left the list. */
  readonly selected: Readonly<Partial<Record<TopTab, { readonly id: string; readonly index: number }>>>
  /** A search over jobs; empty for all. */
  readonly filter: string
  readonly job: {
    readonly id: number
    readonly part: 'all' | 'explain'
    readonly scroll: number
  } | null
  readonly prompt:
    | { readonly type: 'filter'; readonly text: string }
    | { readonly type: 'confirm'; readonly command: TopCommand }
    | null
  readonly message: { readonly text: string; readonly style: Style } | null
  readonly help: boolean
}

export const FIRST_STATE: TopState = {
  tab: 'overview',
  selected: {},
  filter: '',
  job: null,
  prompt: null,
  message: null,
  help: false,
}

/** What the last frame showed. */
export interface Shown {
  readonly rows: readonly TopRow[]
  /** Lines of one page. */
  readonly pageLines: number
  /** How far an open job can be scrolled. */
  readonly scrollMax: number
}

interface TopStep {
  readonly state: TopState
  readonly effect?: TopEffect
}

export function onKey(state: TopState, key: TopKey, shown: Shown): TopStep {
  if (key.name === 'interrupt' || key.name === 'suspend' || key.name === 'redraw')
    return { state, effect: { type: key.name } }
  const { prompt } = state
  const quiet = { ...state, message: null }
  if (prompt?.type === 'confirm') return onAnswer(quiet, key, prompt.command)
  if (prompt?.type === 'filter') return onFilterKey(quiet, key, prompt.text)
  if (key.name === 'paste') return { state: quiet }
  return key.name === 'char' ? onCharacter(quiet, key.text, shown) : onNamedKey(quiet, key.name, shown)
}

function onAnswer(state: TopState, key: TopKey, command: TopCommand): TopStep {
  const answer = key.name === 'char' ? key.text.toLowerCase() : key.name
  if (answer === 'y') return { state: { ...state, prompt: null }, effect: { type: 'run', command } }
  if (answer === 'n' || answer === 'q' || answer === 'escape') return { state: { ...state, prompt: null } }
  return { state }
}

function onFilterKey(state: TopState, key: TopKey, text: string): TopStep {
  const edit = (edited: string): TopStep => ({
    state: { ...state, prompt: { type: 'filter', text: edited } },
  })
  if (key.name === 'char' || key.name === 'paste') return edit(text + safeText(key.text))
  if (key.name === 'backspace') return edit([...text].slice(0, -1).join(''))
  if (key.name === 'clear') return edit('')
  if (key.name === 'escape') return { state: { ...state, prompt: null } }
  if (key.name !== 'enter') return { state }
  const mistake = checkFilter(text)
  if (mistake !== undefined) return { state: { ...state, message: { text: mistake, style: 'red' } } }
  return openJobs({ ...state, prompt: null }, text.trim())
}

function onCharacter(state: TopState, text: string, shown: Shown): TopStep {
  const tab = TABS[Number(text) - 1]
  if (tab !== undefined) return openTab(state, tab)
  switch (text) {
    case 'q':
      return { state, effect: { type: 'quit' } }
    case '?':
      return { state: { ...state, help: !state.help } }
    case '/':
      return { state: { ...state, help: false, prompt: { type: 'filter', text: state.filter } } }
    case 'j':
      return onNamedKey(state, 'down', shown)
    case 'k':
      return onNamedKey(state, 'up', shown)
    case 'g':
      return onNamedKey(state, 'home', shown)
    case 'G':
      return onNamedKey(state, 'end', shown)
    case 'e':
      return openJob(state, jobOf(state, shown), 'explain')
    case 'p':
      return askAboutQueue(state, rowOf(state, shown))
    default:
      return JOB_KEYS[text] === undefined
        ? { state }
        : askAboutJob(state, JOB_KEYS[text], jobOf(state, shown))
  }
}

const JOB_KEYS: Readonly<Record<string, JobVerb>> = {
  r: 'retry',
  c: 'cancel',
  u: 'resume',
  s: 'skip',
}

function onNamedKey(state: TopState, name: Exclude<TopKey['name'], 'char' | 'paste'>, shown: Shown): TopStep {
  switch (name) {
    case 'up':
      return move(state, -1, shown)
    case 'down':
      return move(state, 1, shown)
    case 'page-up':
      return move(state, -shown.pageLines, shown)
    case 'page-down':
      return move(state, shown.pageLines, shown)
    case 'home':
      return move(state, Number.NEGATIVE_INFINITY, shown)
    case 'end':
      return move(state, Number.POSITIVE_INFINITY, shown)
    case 'tab':
    case 'right':
      return openTab(state, beside(state.tab, 1))
    case 'back-tab':
      return openTab(state, beside(state.tab, -1))
    case 'left':
      return state.job === null ? openTab(state, beside(state.tab, -1)) : back(state)
    case 'enter':
      return open(state, shown)
    case 'escape':
    case 'backspace':
      return back(state)
    default:
      return { state }
  }
}

function beside(tab: TopTab, by: number): TopTab {
  return TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? 'overview'
}

function openTab(state: TopState, tab: TopTab): TopStep {
  const next = { ...state, tab, job: null, help: false }
  return tab === 'jobs' ? { state: next, effect: { type: 'refresh' } } : { state: next }
}

function openJobs(state: TopState, filter: string): TopStep {
  const { jobs: _before, ...selected } = state.selected
  return {
    state: { ...state, tab: 'jobs', job: null, help: false, filter, selected },
    effect: { type: 'refresh' },
  }
}

function openJob(state: TopState, id: number | undefined, part: 'all' | 'explain'): TopStep {
  if (id === undefined) return { state: { ...state, message: NO_JOB } }
  return { state: { ...state, help: false, job: { id, part, scroll: 0 } }, effect: { type: 'refresh' } }
}

const NO_JOB = { text: 'No job is selected: press 3 for the list of jobs.', style: 'yellow' } as const
const NO_QUEUE = { text: 'No queue is selected: press 2 for the list of queues.', style: 'yellow' } as const

/** What Enter opens depends on the row: a job, or the jobs of a queue, a kind or a worker. */
function open(state: TopState, shown: Shown): TopStep {
  if (state.job !== null) return openJob(state, state.job.id, state.job.part === 'all' ? 'explain' : 'all')
  const { jobId, filter, tab } = rowOf(state, shown) ?? {}
  if (jobId !== undefined) return openJob(state, jobId, 'all')
  if (filter !== undefined) return openJobs(state, filter)
  return tab === undefined ? { state } : openTab(state, tab)
}

function back(state: TopState): TopStep {
  if (state.help) return { state: { ...state, help: false } }
  if (state.job !== null) return { state: { ...state, job: null } }
  if (state.tab === 'jobs' && state.filter !== '') return openJobs(state, '')
  return { state }
}

function move(state: TopState, by: number, { rows, scrollMax }: Shown): TopStep {
  const { job, tab } = state
  if (job !== null) {
    const scroll = Math.min(Math.max(0, Math.min(job.scroll, scrollMax) + by), scrollMax)
    return { state: { ...state, job: { ...job, scroll } } }
  }
  const from = indexOf(state, rows)
  const index = Math.min(Math.max(0, from + by), rows.length - 1)
  const row = rows[index]
  if (row === undefined) return { state }
  return { state: { ...state, selected: { ...state.selected, [tab]: { id: row.id, index } } } }
}

/** The row that was selected, else the one that took its position. */
export function indexOf({ tab, selected }: TopState, rows: readonly TopRow[]): number {
  const { id, index = 0 } = selected[tab] ?? {}
  const found = rows.findIndex((row) => row.id === id)
  return found >= 0 ? found : Math.max(0, Math.min(index, rows.length - 1))
}

function rowOf(state: TopState, { rows }: Shown): TopRow | undefined {
  return rows[indexOf(state, rows)]
}

function jobOf(state: TopState, shown: Shown): number | undefined {
  return state.job?.id ?? rowOf(state, shown)?.jobId
}

function askAboutJob(state: TopState, verb: JobVerb, jobId: number | undefined): TopStep {
  if (jobId === undefined) return { state: { ...state, message: NO_JOB } }
  return { state: { ...state, prompt: { type: 'confirm', command: { verb, jobId } } } }
}

function askAboutQueue(state: TopState, row: TopRow | undefined): TopStep {
  const { queue, paused = false } = row ?? {}
  if (queue === undefined || state.job !== null) return { state: { ...state, message: NO_QUEUE } }
  const command = { verb: paused ? 'unpause' : 'pause', queue } as const
  return { state: { ...state, prompt: { type: 'confirm', command } } }
}

/** Retry job 42? Pause queue mail? */
export function questionOf(command: TopCommand): string {
  if ('queue' in command) return `${command.verb === 'pause' ? 'Pause' : 'Resume'} queue ${command.queue}?`
  return `${command.verb.charAt(0).toUpperCase()}${command.verb.slice(1)} job ${command.jobId}?`
}

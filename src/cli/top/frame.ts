/** Composes the lines of the screen from the state, what was read last, and the size of the terminal. */
import { moment } from '../terminal/format.js'
import { jobLines } from './details.js'
import { BLANK, type Line, line, type Piece, piece, type Style, spread } from './line.js'
import { figureLines, heading, overviewLines, tablesOf } from './overview.js'
import { rowsOf, type TopData } from './rows.js'
import { JOBS_MAX, type TopSnapshot } from './snapshot.js'
import { indexOf, questionOf, type Shown, TABS, type TopState, type TopTab } from './state.js'
import { type TablePlace, tableOf } from './table.js'
import { jobColumns } from './tables.js'
import { safeText, wrapped } from './text.js'

/** Below this size nothing useful fits. */
export const SIZE_MIN = { columns: 60, rows: 12 } as const

export interface TopSize {
  readonly columns: number
  readonly rows: number
}

/** The connection, as the header shows it. */
export interface TopLink {
  /** The database or the server, without its password. */
  readonly name: string
  readonly tenant: string
  readonly status: { readonly text: string; readonly style: Style }
  /** Why there is no connection. */
  readonly failure?: string
}

export interface TopFrame extends Shown {
  readonly lines: readonly Line[]
}

export function composeFrame(state: TopState, data: TopData, link: TopLink, size: TopSize): TopFrame {
  const rows = rowsOf(state, data)
  if (size.columns < SIZE_MIN.columns || size.rows < SIZE_MIN.rows)
    return { lines: tooSmall(size), rows, pageLines: 1, scrollMax: 0 }
  const { columns: width } = size
  const selected = rows[indexOf(state, rows)]?.id
  const top = [headerLine(link, data.snapshot, width), tabLine(state, data.snapshot), BLANK]
  const { head, body } = viewOf(state, data, { width, selected, rows: size.rows })
  const bottom = [
    ...messageLines(state, link, width),
    lastLine(state, rows.length, indexOf(state, rows), width),
  ]
  const room = Math.max(1, size.rows - top.length - head.length - bottom.length)
  const scrollMax = Math.max(0, body.length - room)
  const from = state.job === null ? offsetOf(body, selected, room) : Math.min(state.job.scroll, scrollMax)
  const visible = body.slice(from, from + room)
  const below = body.length - from - room
  if (below > 0) visible[room - 1] = line(piece(`  ↓ ${below + 1} more`, 'dim'))
  const gap = Array.from({ length: room - visible.length }, () => BLANK)
  return {
    lines: [...top, ...head, ...visible, ...gap, ...bottom],
    rows,
    pageLines: Math.max(1, room - 1),
    scrollMax,
  }
}

/** One frame as plain text: everything that the overview has, in full. */
export function wholeFrame(snapshot: TopSnapshot, link: TopLink, width: number): Line[] {
  return [
    headerLine(link, snapshot, width),
    BLANK,
    ...figureLines(snapshot.flow, width),
    BLANK,
    ...overviewLines(snapshot, { width, selected: undefined }, Number.POSITIVE_INFINITY),
  ]
}

function tooSmall({ columns, rows }: TopSize): Line[] {
  const text = `holdfast top needs ${SIZE_MIN.columns}×${SIZE_MIN.rows}; this terminal has ${columns}×${rows}. q quits.`
  return wrapped(text, columns)
    .slice(0, rows)
    .map((each) => line(each))
}

function headerLine({ name, tenant, status }: TopLink, snapshot: TopSnapshot | undefined, width: number) {
  const time = moment(snapshot?.at)?.slice(11, 19)
  return spread(
    [
      piece('holdfast', 'bold'),
      piece(`  ${name}`, 'dim'),
      piece(tenant === 'default' ? '' : `  tenant ${tenant}`),
    ],
    [piece(status.text, status.style), piece(time === undefined ? '' : `  ${time}`)],
    width,
  )
}

const TITLES: Readonly<Record<TopTab, string>> = {
  overview: 'Overview',
  queues: 'Queues',
  jobs: 'Jobs',
  workers: 'Workers',
  targets: 'Targets',
  alerts: 'Alerts',
}

/** The open tab stands in brackets; tabs with something that needs attention have its number. */
function tabLine({ tab, job }: TopState, snapshot: TopSnapshot | undefined): Line {
  const firing = snapshot?.alerts.filter(({ state }) => state === 'firing').length ?? 0
  const numbers: Partial<Record<TopTab, number>> = {
    overview: snapshot?.problems.length ?? 0,
    targets: snapshot?.targets.length ?? 0,
    alerts: firing,
  }
  return {
    pieces: TABS.flatMap((name, n): Piece[] => {
      const isOpen = name === tab
      const number = numbers[name] ?? 0
      return [
        piece(isOpen ? '[' : ' ', 'bold'),
        piece(`${n + 1} `, isOpen ? 'bold' : 'dim'),
        piece(TITLES[name], isOpen ? 'bold' : 'plain'),
        piece(number > 0 ? ` (${number})` : '', 'red'),
        piece(isOpen ? ']' : ' ', 'bold'),
      ]
    }).concat(job === null ? [] : [piece(`  job ${job.id}`, 'bold')]),
  }
}

interface ViewParts {
  readonly head: readonly Line[]
  readonly body: readonly Line[]
}

function viewOf(
  state: TopState,
  data: TopData,
  { rows, ...place }: TablePlace & Pick<TopSize, 'rows'>,
): ViewParts {
  const { snapshot } = data
  if (state.help) return { head: [], body: helpLines() }
  if (state.job !== null) return { head: [], body: openedJob(state.job, data, place.width) }
  if (snapshot === undefined) return { head: [], body: [line(piece('  reading …', 'dim'))] }
  if (state.tab === 'overview')
    return {
      head: [...figureLines(snapshot.flow, place.width), BLANK],
      body: overviewLines(snapshot, place, Math.floor((rows - 8) / 4)),
    }
  if (state.tab === 'jobs') return jobsView(state, data, snapshot.at, place)
  const table = tablesOf(snapshot, place)[state.tab]
  if (table.lines.length === 0) return { head: [], body: [line(piece(`  ${NONE[state.tab]}`, 'dim'))] }
  return { head: [table.title], body: table.lines }
}

const NONE = {
  queues: 'No queues yet: the first job creates its queue.',
  workers: 'No worker: start one with `holdfast worker <module>`.',
  targets: 'No target is blocked.',
  alerts: 'No alerts.',
} as const

function openedJob({ id, part }: NonNullable<TopState['job']>, { job }: TopData, width: number): Line[] {
  // What was read last may be of the job that was open before.
  if (job?.job.id !== id) return [line(piece(`  reading job ${id} …`, 'dim'))]
  return jobLines(job, part, new Date(), width)
}

function jobsView({ filter }: TopState, { jobs }: TopData, now: Date, place: TablePlace): ViewParts {
  const shown = line(
    piece('  filter  ', 'dim'),
    filter === '' ? piece('none: / narrows the list, as in state:failed age<1h', 'dim') : piece(filter),
  )
  if (jobs === undefined || jobs.filter !== filter)
    return { head: [shown, BLANK], body: [line(piece('  reading …', 'dim'))] }
  const ids = jobs.rows.map(({ id }) => `job ${id}`)
  const table = tableOf(jobs.rows, ids, jobColumns(now), place)
  const none = filter === '' ? 'No jobs.' : jobs.more ? 'No jobs among the newest.' : 'No job matches.'
  const more = line(piece(`  the newest ${JOBS_MAX}; / narrows the list`, 'dim'))
  return {
    head: [shown, BLANK, ...(ids.length === 0 ? [] : [table.title])],
    body:
      ids.length === 0 ? [line(piece(`  ${none}`, 'dim'))] : [...table.lines, ...(jobs.more ? [more] : [])],
  }
}

/** The first visible line: the selected row stays about in the middle of a list that does not fit. */
function offsetOf(body: readonly Line[], selected: string | undefined, room: number): number {
  const first = body.findIndex(({ row }) => row !== undefined && row === selected)
  if (body.length <= room || first < 0) return 0
  return Math.max(0, Math.min(first - Math.floor(room / 2), body.length - room))
}

const MESSAGE_LINES_MAX = 4

function messageLines({ message }: TopState, { failure }: TopLink, width: number): Line[] {
  const { text, style } = message ?? { text: failure ?? '', style: 'red' as const }
  if (text === '') return []
  return wrapped(safeText(text), width)
    .slice(0, MESSAGE_LINES_MAX)
    .map((each) => line(piece(each, style)))
}

function lastLine({ prompt, job, tab, help }: TopState, count: number, index: number, width: number): Line {
  if (prompt?.type === 'confirm') return line(piece(`${questionOf(prompt.command)} y/n`, 'bold'))
  if (prompt?.type === 'filter')
    return line(
      piece('/', 'bold'),
      piece(tail(prompt.text, width - 22)),
      piece('▏'),
      piece('  ⏎ search  Esc', 'dim'),
    )
  const keys = help ? HELP_KEYS : job === null ? TAB_KEYS[tab] : JOB_KEYS
  const position = job !== null || help || count === 0 ? '' : `${index + 1}/${count}`
  return spread(keyPieces(keys), [piece(position, 'dim')], width)
}

/** The end of what is being written, where the cursor is. */
function tail(text: string, width: number): string {
  return text.length > width ? `…${text.slice(-(width - 1))}` : text
}

type KeyHint = readonly [key: string, does: string]

const OF_JOB: readonly KeyHint[] = [
  ['e', 'explain'],
  ['r', 'retry'],
  ['c', 'cancel'],
]
const ENDS: readonly KeyHint[] = [
  ['?', 'help'],
  ['q', 'quit'],
]
const OPEN: KeyHint = ['⏎', 'open']
const FILTER: KeyHint = ['/', 'filter']
const PAUSE: KeyHint = ['p', 'pause']
const HELP_KEYS: readonly KeyHint[] = [
  ['?', 'back'],
  ['q', 'quit'],
]
const JOB_KEYS: readonly KeyHint[] = [['Esc', 'back'], ['⏎', 'more or less'], ...OF_JOB, ...ENDS]
const TAB_KEYS: Readonly<Record<TopTab, readonly KeyHint[]>> = {
  overview: [['↑↓', 'move'], OPEN, ['1-6', 'tabs'], FILTER, PAUSE, ...ENDS],
  queues: [['↑↓', 'move'], ['⏎', 'its jobs'], FILTER, ['p', 'pause or resume'], ...ENDS],
  jobs: [OPEN, FILTER, ...OF_JOB, ...ENDS],
  workers: [['↑↓', 'move'], ['⏎', 'its jobs'], FILTER, ...ENDS],
  targets: [OPEN, ...OF_JOB, ['u', 'resume'], ['s', 'skip'], ...ENDS],
  alerts: [['↑↓', 'move'], ['⏎', 'its jobs'], FILTER, ...ENDS],
}

function keyPieces(keys: readonly KeyHint[]): Piece[] {
  return keys.flatMap(([key, does], n) => [
    piece(`${n === 0 ? '' : '  '}${key}`, 'bold'),
    piece(` ${does}`, 'dim'),
  ])
}

const HELP: readonly KeyHint[] = [
  ['1 … 6, Tab', 'open a tab'],
  ['↑ ↓, k j', 'select a row; in a job: scroll'],
  ['PgUp PgDn, g G', 'by a page; to the first and the last'],
  ['Enter', 'open: a job, or the jobs of a queue, a worker or an alert'],
  ['Esc', 'back; in the list of jobs: remove the filter'],
  ['/', 'filter jobs, as in state:failed queue:mail (docs/search.md)'],
  ['e', 'explain the job: why it is not running'],
  ['r', 'retry the job'],
  ['c', 'cancel the job'],
  ['u, s', 'resume or skip the job that blocks a target'],
  ['p', 'pause the queue, or resume a paused one'],
  ['Ctrl-L', 'draw everything again'],
  ['q, Ctrl-C', 'quit'],
]

function helpLines(): Line[] {
  const width = Math.max(...HELP.map(([key]) => key.length))
  return [
    heading('Keys'),
    ...HELP.map(([key, does]) => line(piece(`  ${key.padEnd(width)}  `, 'bold'), piece(does))),
    BLANK,
    line(piece('  What changes something is done after y.', 'dim')),
  ]
}

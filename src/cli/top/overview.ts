/** The overview: counts and rates, what needs an operator, and a short table of everything else. */
import type { JobFlow } from '../../store/charts/overview.js'
import { commandOf } from '../queues/overview.js'
import { BLANK, type Line, line, type Piece, piece, type Style } from './line.js'
import type { TopSnapshot } from './snapshot.js'
import { marked, type TablePlace, type TopTable, tableOf } from './table.js'
import { alertColumns, queueColumns, rate, targetColumns, workerColumns } from './tables.js'
import { displayWidth, padded, safeText, wrapped } from './text.js'

/** Label, value, and the style of a value that is not zero. */
type Figure = readonly [label: string, value: string, style?: Style]

/** Three rows of figures in columns: now, per minute, in the last 24 hours. */
export function figureLines({ places, slots, busy, perMinute, ended }: JobFlow, width: number): Line[] {
  const counted = (name: keyof typeof places) =>
    `${places[name].count.toLocaleString('en-US')}${places[name].capped ? '+' : ''}`
  // These are rare: their line is there only when it is needed.
  const held = (['paused', 'parked', 'pending'] as const).filter((name) => places[name].count > 0)
  const rows: (readonly [title: string, figures: readonly Figure[]])[] = [
    [
      'now',
      [
        ['ready', counted('ready')],
        ['running', slots === 0 && busy === 0 ? counted('running') : `${counted('running')}/${slots}`],
        ['delayed', counted('delayed')],
        ['waiting', counted('waiting')],
        ['blocked', counted('blocked'), 'red'],
      ],
    ],
    [
      'per minute',
      [
        ['in', rate(perMinute.enqueued)],
        ['out', rate(perMinute.ended)],
        ['failed', rate(perMinute.failed), 'red'],
        ['retried', rate(Math.max(0, perMinute.attempts_failed - perMinute.failed)), 'yellow'],
      ],
    ],
    [
      'last 24 h',
      [
        ['succeeded', compact(ended.succeeded)],
        ['failed', compact(ended.failed), 'red'],
        ['canceled', compact(ended.canceled)],
      ],
    ],
  ]
  if (held.length > 0) rows.splice(1, 0, ['', held.map((name): Figure => [name, counted(name), 'yellow'])])
  const widths = columnWidths(
    rows.map(([, figures]) => figures.map(([label, value]) => label.length + 1 + value.length)),
  )
  // Figures that do not fit in columns stand close together.
  const isAligned = widths.reduce((sum, each) => sum + each + 2, FIGURES_AT - 2) <= width
  return rows.map(([title, figures]) => ({
    pieces: [
      piece(`  ${title}`.padEnd(FIGURES_AT), 'dim'),
      ...figures.flatMap((figure, n) => {
        const isLast = n === figures.length - 1
        return [
          ...figurePieces(figure, isAligned && !isLast ? (widths[n] ?? 0) : 0),
          piece(isLast ? '' : '  '),
        ]
      }),
    ],
  }))
}

const FIGURES_AT = 14

/** The width of each column, of rows with the widths of their cells. */
function columnWidths(rows: readonly (readonly number[])[]): number[] {
  const columns = Math.max(...rows.map(({ length }) => length))
  return Array.from({ length: columns }, (_, n) => Math.max(...rows.map((row) => row[n] ?? 0)))
}

/** 1,234, 123k, 12M */
function compact(n: number): string {
  if (n < 100_000) return n.toLocaleString('en-US')
  return n < 10_000_000 ? `${Math.floor(n / 1000)}k` : `${Math.floor(n / 1_000_000)}M`
}

function figurePieces([label, value, style = 'bold']: Figure, width: number): Piece[] {
  const gap = ' '.repeat(Math.max(0, width - label.length - 1 - value.length))
  return [piece(`${label} `, 'dim'), piece(value, value === '0' ? 'dim' : style), piece(gap)]
}

export const heading = (title: string, note = ''): Line =>
  line(piece(title, 'bold'), piece(note === '' ? '' : `  ${note}`, 'dim'))

/** With many problems, those around the selected one are shown, `problemsMax` of them: the queues below stay in sight. */
export function overviewLines(snapshot: TopSnapshot, place: TablePlace, problemsMax: number): Line[] {
  const tables = tablesOf(snapshot, place)
  const sections: readonly (readonly [title: string, table: TopTable, none: string])[] = [
    ['Queues', tables.queues, 'none yet: the first job creates its queue'],
    ['Workers', tables.workers, 'none: start one with `holdfast worker <module>`'],
    ['Blocked targets', tables.targets, 'none'],
    ['Alerts', tables.alerts, 'none'],
  ]
  return [
    ...problemLines(snapshot, place, problemsMax),
    ...sections.flatMap(([title, table, none]) =>
      table.lines.length === 0 ? [BLANK, heading(title, none)] : [BLANK, table.title, ...table.lines],
    ),
  ]
}

/** The tables of the tabs that read the snapshot. */
export function tablesOf(snapshot: TopSnapshot, place: TablePlace) {
  const { at, queues, workers, targets, alerts } = snapshot
  const ids = (type: string, names: readonly (string | number)[]) => names.map((name) => `${type} ${name}`)
  return {
    queues: tableOf(
      queues,
      ids(
        'queue',
        queues.map(({ name }) => name),
      ),
      queueColumns(at),
      place,
    ),
    workers: tableOf(
      workers,
      ids(
        'worker',
        workers.map(({ worker }) => worker),
      ),
      workerColumns(at),
      place,
    ),
    targets: tableOf(
      targets,
      ids(
        'target',
        targets.map(({ queue, target }) => `${queue} ${target}`),
      ),
      targetColumns(),
      place,
    ),
    alerts: tableOf(
      alerts,
      ids(
        'alert',
        alerts.map(({ id }) => id),
      ),
      alertColumns(at),
      place,
    ),
  }
}

const SIGNS = { critical: { sign: '×', style: 'red' }, warning: { sign: '!', style: 'yellow' } } as const
const INDENT = 4

/** One line for each problem; the selected one in full, with what happens next and the command that helps. */
function problemLines(
  { problems, problemsCapped }: TopSnapshot,
  { width, selected }: TablePlace,
  problemsMax: number,
): Line[] {
  if (problems.length === 0)
    return [line(piece('Needs you', 'bold'), piece('  ✓ nothing: everything is moving', 'green'))]
  const at = Math.max(
    0,
    problems.findIndex(({ id }) => `problem ${id}` === selected),
  )
  const from = Math.max(0, Math.min(at - Math.floor(problemsMax / 2), problems.length - problemsMax))
  const shown = problems.slice(from, from + problemsMax)
  const count = `${problems.length}${problemsCapped ? '+' : ''}`
  const note = shown.length < problems.length ? `${from + 1}–${from + shown.length} of ${count}` : count
  const lines = shown.flatMap((problem): Line[] => {
    const row = `problem ${problem.id}`
    const { sign, style } = SIGNS[problem.severity]
    const text = safeText(problem.text)
    const mark = piece(`${sign} `, style)
    if (row !== selected) return [{ ...marked([mark, piece(text)], false), row }]
    const [first = '', ...rest] = Number.isFinite(width) ? wrapped(text, width - INDENT) : [text]
    const after = [problem.next, commandOf(problem) ?? ''].filter((each) => each !== '')
    return [
      { ...marked([mark, piece(first)], true), row },
      ...rest.map((more): Line => ({ pieces: [piece(`${' '.repeat(INDENT)}${more}`)], inverse: true, row })),
      ...after.flatMap((sentence) => dimLines(sentence, width, row)),
    ]
  })
  return [heading('Needs you', note), ...lines]
}

function dimLines(sentence: string, width: number, row: string): Line[] {
  const text = safeText(sentence)
  const lines = Number.isFinite(width) ? wrapped(text, width - INDENT) : [text]
  return lines.map((each) => ({ pieces: [piece(`${' '.repeat(INDENT)}${each}`, 'dim')], row }))
}

/** A label and its value, on as many lines as the value needs. */
export function factLines(
  facts: readonly (readonly [label: string, value: string | null])[],
  width: number,
): Line[] {
  const present = facts.flatMap(([label, value]) =>
    value === null || value === '' ? [] : [{ label, value }],
  )
  const labels = Math.max(0, ...present.map(({ label }) => displayWidth(label)))
  return present.flatMap(({ label, value }) =>
    wrapped(safeText(value), width - labels - INDENT).map((text, n) =>
      line(piece(`  ${padded(n === 0 ? label : '', labels)}  `, 'dim'), piece(text)),
    ),
  )
}

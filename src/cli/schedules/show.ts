/** `holdfast schedules list` and `show`. */
import type { Schedule } from '../../store/schedule-reads.js'
import type { Store } from '../../store/store.js'
import type { Context } from '../program.js'
import { type Column, printFacts, printTable } from '../table.js'
import type { Terminal } from '../terminal.js'
import { ago, moment, span } from '../words.js'
import type { Flags } from './look.js'

export async function listAll(store: Store, flags: Flags, { terminal }: Context): Promise<void> {
  const [rows, window] = await Promise.all([
    store.schedules.list({ tenant: flags.tenant }),
    store.schedules.maintenance({ tenant: flags.tenant }),
  ])
  if (flags.json) return terminal.out(JSON.stringify({ schedules: rows, maintenance: window }))
  if (rows.length > 0) printTable(terminal, rows, columns(terminal))
  else terminal.out('No schedules yet. `holdfast schedules create --help` shows how to make one.')
  if (window.open)
    terminal.out(
      terminal.paint.yellow(
        `A maintenance window holds all of them since ${moment(window.since)}${noted(window.pausedBy, window.note)}.`,
      ),
    )
}

function columns({ paint: { red, yellow } }: Terminal): Column<Schedule>[] {
  return [
    { title: 'schedule', of: ({ name }) => name, gives: true },
    { title: 'expression', of: ({ expression }) => expression },
    { title: 'zone', of: ({ timeZone }) => (timeZone === 'UTC' ? '' : timeZone) },
    { title: 'next', of: (row) => (heldBy(row) === '' ? ago(row.nextRunAt) : '') },
    { title: 'last', of: ({ lastRunAt }) => ago(lastRunAt) },
    { title: '', of: heldBy, paint: (text) => (text.trim() === 'late' ? red(text) : yellow(text)) },
  ]
}

/** A minute is what a scheduler may sleep. */
const LATE_MS = 120_000

function heldBy({ enabled, pausedAt, lateMs }: Schedule): string {
  if (!enabled) return 'disabled'
  if (pausedAt !== null) return 'paused'
  return lateMs > LATE_MS ? 'late' : ''
}

const noted = (by: string | null, note: string | null) =>
  `${by === null ? '' : ` by ${by}`}${note === null ? '' : `: ${note}`}`

export async function show(store: Store, name: string, flags: Flags, { terminal }: Context): Promise<void> {
  const row = await store.schedules.get(name, { tenant: flags.tenant })
  if (flags.json) return terminal.out(JSON.stringify(row))
  const catchUp = row.catchUp === 'all' ? `all, at most ${row.catchUpMax}` : row.catchUp
  printFacts(terminal, [
    ['schedule', `${row.name}${row.enabled ? '' : ' (disabled)'}`],
    ['description', row.description],
    ['fires', `${row.expression} in ${row.timeZone}`],
    ['makes', `${row.kind} in ${row.queue}, priority ${row.priority}`],
    ['subject', row.subject],
    ['input', row.input === null ? null : JSON.stringify(row.input)],
    ['next', `${moment(row.nextRunAt)}, ${ago(row.nextRunAt)}`],
    ['last', row.lastRunAt === null ? 'never' : `${moment(row.lastRunAt)}, ${ago(row.lastRunAt)}`],
    ['paused', row.pausedAt && `${moment(row.pausedAt)}${noted(row.pausedBy, row.pauseNote)}`],
    ['catch-up', catchUp],
    ['overlap', row.overlap],
    ['jitter', row.jitterMs === 0 ? null : `up to ${span(row.jitterMs)}`],
    ['defined', row.declared === null ? 'at run time' : 'by a program'],
    ['overridden', row.overrides.join(', ')],
    ['made', `${moment(row.createdAt)}${noted(row.createdBy, null)}`],
  ])
}

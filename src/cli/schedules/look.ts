/** Looking at schedules: list, show, preview, history, explain. */
import type { Command } from 'commander'
import type { FieldName } from '../../domain/schedule/definition.js'
import type { Firing, Maintenance, Schedule } from '../../store/schedule-reads.js'
import type { Store } from '../../store/store.js'
import { withStore } from '../connect.js'
import {
  type DatabaseFlags,
  eitherCommand,
  type TenantFlag,
  usageError,
  wholeNumber,
  withTenant,
} from '../flags.js'
import type { Context } from '../program.js'
import { type Column, printFacts, printTable, widthOf, wrap } from '../table.js'
import { ago, many, moment, readable, span } from '../words.js'

export type Flags = DatabaseFlags & TenantFlag
type Look = (
  store: Store,
  name: string,
  flags: Flags & { readonly count?: number },
  context: Context,
) => Promise<void>

export function lookCommands(context: Context): Command[] {
  const all = eitherCommand('list', 'schedules and when they fire next', 'holdfast schedules list')
  const lists = (flags: Flags) => withStore(flags, context, ({ store }) => listAll(store, flags, context))
  const list = withTenant(all).action(lists)
  const facts = named(context, 'show', 'all there is to know of one', show)
  const past = named(context, 'history', 'what came of its slots', history)
  past.option('--count <n>', 'how many, the latest first', wholeNumber(1, 500), 20)
  const why = named(context, 'explain', 'why it has not fired, or when it will', explain)
  return [list, facts, preview(context), past, why]
}

/** A command that looks at one schedule. */
function named(context: Context, verb: string, does: string, look: Look): Command {
  const command = withTenant(eitherCommand(verb, does, `holdfast schedules ${verb} nightly`))
  const looks = (name: string, flags: Flags) => {
    return withStore(flags, context, ({ store }) => look(store, name, flags, context))
  }
  return command.argument('<name>', 'the schedule').action(looks)
}

async function listAll(store: Store, flags: Flags, { terminal }: Context): Promise<void> {
  const [rows, window] = await Promise.all([
    store.schedules.all({ tenant: flags.tenant }),
    store.schedules.maintenance({ tenant: flags.tenant }),
  ])
  if (flags.json) return terminal.out(JSON.stringify({ schedules: rows, maintenance: window }))
  const { yellow, red, dim } = terminal.paint
  const columns: Column<Schedule>[] = [
    { title: 'schedule', of: ({ name }) => name, gives: true },
    { title: 'expression', of: ({ expression }) => expression },
    { title: 'zone', of: ({ timeZone }) => (timeZone === 'UTC' ? '' : timeZone) },
    { title: 'next', of: (row) => (heldBy(row) === '' && !window.open ? ago(row.nextRunAt) : '') },
    { title: 'last', of: ({ lastRunAt }) => ago(lastRunAt) },
    { title: '', of: heldBy, paint: (text) => (text === 'late' ? red(text) : yellow(text)) },
    { title: '', of: ({ overrides }) => (overrides.length > 0 ? 'overridden' : ''), paint: dim },
  ]
  if (rows.length === 0)
    terminal.out('No schedules yet. `holdfast schedules create --help` shows how to make one.')
  else printTable(terminal, rows, columns)
  if (window.open) terminal.out(yellow(`A maintenance window holds all of them${sinceWhen(window)}.`))
}

/** A minute is what a scheduler may sleep. */
const LATE_MS = 120_000

function heldBy({ enabled, pausedAt, lateMs }: Schedule): string {
  if (!enabled) return 'disabled'
  if (pausedAt !== null) return 'paused'
  return lateMs > LATE_MS ? 'late' : ''
}

/** Begins with its name. */
export function firesNext(row: Pick<Schedule, 'name' | 'enabled' | 'pausedAt' | 'nextRunAt'>): string {
  const { name, enabled, pausedAt, nextRunAt } = row
  if (!enabled) return `${name} is disabled; \`holdfast schedules enable ${name}\` lets it fire.`
  if (pausedAt !== null) return `${name} is paused; \`holdfast schedules resume ${name}\` lets it go on.`
  return `${name} fires next at ${moment(nextRunAt)}, ${ago(nextRunAt)}.`
}

function sinceWhen({ since, until, pausedBy, note }: Maintenance): string {
  const end = until === null ? '' : ` until ${moment(until)}`
  return ` since ${moment(since)}${end}${noted(pausedBy, note)}`
}

const noted = (by: string | null, note: string | null) =>
  `${by === null ? '' : ` by ${by}`}${note === null ? '' : `: ${note}`}`

async function show(store: Store, name: string, flags: Flags, { terminal }: Context): Promise<void> {
  const row = await store.schedules.get(name, { tenant: flags.tenant })
  if (flags.json) return terminal.out(JSON.stringify(row))
  const window = await store.schedules.maintenance({ tenant: flags.tenant })
  printFacts(terminal, factsOf(row, window))
}

function factsOf(row: Schedule, window: Maintenance): [label: string, value: string | null][] {
  const catchUp = row.catchUp === 'all' ? `all, at most ${row.catchUpMax}` : row.catchUp
  return [
    ['schedule', `${row.name}${row.enabled ? '' : ' (disabled)'}`],
    ['description', row.description],
    ['fires', `${row.expression} in ${row.timeZone}`],
    [
      'makes',
      `${row.kind} in ${row.queue}, ${row.priority === null ? 'priority as its kind declares' : `priority ${row.priority}`}`,
    ],
    ['subject', row.subject],
    ['input', row.input === null ? null : JSON.stringify(row.input)],
    ['next', `${moment(row.nextRunAt)}, ${ago(row.nextRunAt)}`],
    ['last', row.lastRunAt === null ? 'never' : `${moment(row.lastRunAt)}, ${ago(row.lastRunAt)}`],
    ['paused', row.pausedAt && `${moment(row.pausedAt)}${noted(row.pausedBy, row.pauseNote)}`],
    ['held', window.open ? `by a maintenance window${sinceWhen(window)}` : null],
    ['catch-up', catchUp],
    ['overlap', row.overlap],
    ['jitter', row.jitterMs === 0 ? null : `up to ${span(row.jitterMs)}`],
    ['defined', row.declared === null ? 'at run time' : 'by a program'],
    ['overridden', row.overrides.map((field) => overridden(row, field)).join('; ')],
    ['made', `${moment(row.createdAt)}${noted(row.createdBy, null)}`],
  ]
}

function overridden(row: Schedule, field: FieldName): string {
  return `${field}: ${JSON.stringify(row[field])}, the program says ${JSON.stringify(row.declared?.[field])}`
}

interface PreviewFlags extends Flags {
  readonly count: number
  readonly expression?: string
  readonly tz: string
}

function preview(context: Context): Command {
  return withTenant(
    eitherCommand(
      'preview',
      'the next slots of a schedule, or of an expression',
      'holdfast schedules preview nightly',
      'holdfast schedules preview --expression "0 9 * * MON-FRI" --tz Europe/Berlin',
    ),
  )
    .argument('[name]', 'the schedule')
    .option('--expression <text>', 'this instead of a schedule')
    .option('--tz <zone>', 'the time zone of the expression', 'UTC')
    .option('--count <n>', 'how many', wholeNumber(1, 1000), 10)
    .action((name: string | undefined, flags: PreviewFlags) => showSlots(name, flags, context))
}

async function showSlots(name: string | undefined, flags: PreviewFlags, context: Context): Promise<void> {
  const { expression, tz, count, tenant } = flags
  if ((name === undefined) === (expression === undefined))
    throw usageError(
      'There is nothing to preview, or there are two.',
      'Name a schedule, or give an --expression.',
    )
  await withStore(flags, context, async ({ store }) => {
    const slots =
      name === undefined
        ? await store.schedules.previewOf(expression as string, tz, count)
        : await store.schedules.preview(name, count, { tenant })
    const { terminal } = context
    if (flags.json) return terminal.out(JSON.stringify({ slots }))
    for (const slot of slots) terminal.out(`${moment(slot)}  ${terminal.paint.dim(ago(slot))}`)
    if (name === undefined) return
    const row = await store.schedules.get(name, { tenant })
    if (!row.enabled || row.pausedAt !== null) terminal.out(terminal.paint.yellow(firesNext(row)))
  })
}

async function history(
  store: Store,
  name: string,
  { tenant, json, count = 20 }: Flags & { readonly count?: number },
  { terminal }: Context,
): Promise<void> {
  const firings = await store.schedules.history(name, { tenant, limit: count })
  if (json) return terminal.out(JSON.stringify({ firings }))
  if (firings.length === 0) return terminal.out(`${name} has not fired yet.`)
  const { yellow, dim } = terminal.paint
  printTable<Firing>(terminal, firings, [
    { title: 'slot', of: ({ slot }) => moment(slot) as string },
    { title: 'slots', of: ({ slots }) => (slots === 1 ? '' : String(slots ?? 'many')), right: true },
    {
      title: 'came of it',
      of: ({ outcome }) => outcome,
      paint: (text, { outcome }) => (['missed', 'skipped'].includes(outcome) ? yellow(text) : text),
    },
    { title: 'job', of: ({ jobId }) => (jobId === null ? '' : String(jobId)), right: true },
    { title: '', of: ({ note, actor }) => [actor, note].filter(Boolean).join(': '), gives: true, paint: dim },
  ])
}

async function explain(store: Store, name: string, flags: Flags, { terminal }: Context): Promise<void> {
  const reasons = await store.schedules.explain(name, { tenant: flags.tenant })
  if (flags.json) return terminal.out(JSON.stringify({ schedule: name, reasons }))
  const { bold, dim, yellow } = terminal.paint
  terminal.out(`${bold(name)}  ${dim(many(reasons.length, 'reason'))}`)
  for (const { blocking, sentence } of reasons) {
    const [first = '', ...rest] = wrap(readable(sentence), widthOf(terminal) - 2)
    terminal.out(`${blocking ? yellow('×') : dim('·')} ${first}`)
    for (const line of rest) terminal.out(`  ${line}`)
  }
}

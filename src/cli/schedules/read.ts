/** Commands that show schedules: list, show, preview, history, explain. */
import type { Command } from 'commander'
import type { FieldName } from '../../domain/schedule/definition.js'
import type { Firing, Maintenance } from '../../store/schedules/schedule-reads.js'
import { withConsole } from '../console/connect.js'
import type { Console, ShownSchedule } from '../console/console.js'
import {
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  usageError,
  wholeNumber,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, many, moment, readable, span } from '../terminal/format.js'
import { type Column, printFacts, printTable, widthOf, wrap } from '../terminal/table.js'

export type Flags = DatabaseFlags & TenantFlag
type ScheduleReader = (
  console: Console,
  name: string,
  flags: Flags & { readonly count?: number },
  context: CommandContext,
) => Promise<void>

export function readCommands(context: CommandContext): Command[] {
  const all = consoleCommand('list', 'list schedules and when they fire next', 'holdfast schedules list')
  const action = (flags: Flags) =>
    withConsole(flags, context, ({ console }) => listAll(console, flags, context))
  const list = withTenant(all).action(action)
  const facts = readCommand(context, 'show', 'show a schedule', show)
  const past = readCommand(context, 'history', 'show the results of its slots', history)
  past.option('--count <n>', 'most slots to show, latest first', wholeNumber(1, 500), 20)
  const why = readCommand(context, 'explain', 'explain why it has not fired, or when it will', explain)
  return [list, facts, preview(context), past, why]
}

/** A command that shows one schedule. */
function readCommand(context: CommandContext, verb: string, does: string, read: ScheduleReader): Command {
  const command = withTenant(consoleCommand(verb, does, `holdfast schedules ${verb} nightly`))
  const action = (name: string, flags: Flags) => {
    return withConsole(flags, context, ({ console }) => read(console, name, flags, context))
  }
  return command.argument('<name>', 'name of the schedule').action(action)
}

async function listAll(console: Console, flags: Flags, { terminal }: CommandContext): Promise<void> {
  const [rows, window] = await Promise.all([
    console.schedules.all({ tenant: flags.tenant }),
    console.schedules.maintenance({ tenant: flags.tenant }),
  ])
  if (flags.json) return terminal.out(JSON.stringify({ schedules: rows, maintenance: window }))
  const { yellow, red, dim } = terminal.paint
  const columns: Column<ShownSchedule>[] = [
    { title: 'schedule', value: ({ name }) => name, shrinks: true },
    { title: 'expression', value: ({ expression }) => expression },
    { title: 'zone', value: ({ timeZone }) => (timeZone === 'UTC' ? '' : timeZone) },
    { title: 'next', value: (row) => (heldBy(row) === '' && !window.open ? ago(row.nextRunAt) : '') },
    { title: 'last', value: ({ lastRunAt }) => ago(lastRunAt) },
    { title: '', value: heldBy, paint: (text) => (text === 'late' ? red(text) : yellow(text)) },
    { title: '', value: ({ overrides }) => (overrides.length > 0 ? 'overridden' : ''), paint: dim },
  ]
  if (rows.length === 0)
    terminal.out('No schedules yet. `holdfast schedules create --help` shows how to make one.')
  else printTable(terminal, rows, columns)
  if (window.open) terminal.out(yellow(`A maintenance window pauses all of them${sinceWhen(window)}.`))
}

/** A scheduler may sleep for a minute, so a slot is late only after more than that. */
const LATE_MS = 120_000

function heldBy({ enabled, pausedAt, lateMs }: ShownSchedule): string {
  if (!enabled) return 'disabled'
  if (pausedAt !== null) return 'paused'
  return lateMs > LATE_MS ? 'late' : ''
}

/** The sentence begins with the schedule's name. */
export function firesNext(row: Pick<ShownSchedule, 'name' | 'enabled' | 'pausedAt' | 'nextRunAt'>): string {
  const { name, enabled, pausedAt, nextRunAt } = row
  if (!enabled) return `${name} is disabled; \`holdfast schedules enable ${name}\` lets it fire.`
  if (pausedAt !== null) return `${name} is paused; \`holdfast schedules resume ${name}\` resumes it.`
  return `${name} fires next at ${moment(nextRunAt)}, ${ago(nextRunAt)}.`
}

function sinceWhen({ since, until, pausedBy, note }: Maintenance): string {
  const end = until === null ? '' : ` until ${moment(until)}`
  return ` since ${moment(since)}${end}${noted(pausedBy, note)}`
}

const noted = (by: string | null, note: string | null) =>
  `${by === null ? '' : ` by ${by}`}${note === null ? '' : `: ${note}`}`

async function show(
  console: Console,
  name: string,
  flags: Flags,
  { terminal }: CommandContext,
): Promise<void> {
  const row = await console.schedules.get(name, { tenant: flags.tenant })
  if (flags.json) return terminal.out(JSON.stringify(row))
  const window = await console.schedules.maintenance({ tenant: flags.tenant })
  printFacts(terminal, factsOf(row, window))
}

function factsOf(row: ShownSchedule, window: Maintenance): [label: string, value: string | null][] {
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

function overridden(row: ShownSchedule, field: FieldName): string {
  return `${field}: ${JSON.stringify(row[field])}, the program declares ${JSON.stringify(row.declared?.[field])}`
}

interface PreviewFlags extends Flags {
  readonly count: number
  readonly expression?: string
  readonly tz: string
}

function preview(context: CommandContext): Command {
  return withTenant(
    consoleCommand(
      'preview',
      'show the next slots of a schedule or an expression',
      'holdfast schedules preview nightly',
      'holdfast schedules preview --expression "0 9 * * MON-FRI" --tz Europe/Berlin',
    ),
  )
    .argument('[name]', 'name of the schedule')
    .option('--expression <text>', 'expression to preview instead of a schedule')
    .option('--tz <zone>', 'the time zone of the expression', 'UTC')
    .option('--count <n>', 'number of slots', wholeNumber(1, 1000), 10)
    .action((name: string | undefined, flags: PreviewFlags) => showSlots(name, flags, context))
}

async function showSlots(
  name: string | undefined,
  flags: PreviewFlags,
  context: CommandContext,
): Promise<void> {
  const { expression, tz, count, tenant } = flags
  if ((name === undefined) === (expression === undefined))
    throw usageError('Give either a schedule or an expression.', 'Name a schedule, or give --expression.')
  await withConsole(flags, context, async ({ console }) => {
    const slots =
      name === undefined
        ? await console.schedules.previewOf(expression as string, tz, count)
        : await console.schedules.preview(name, count, { tenant })
    const { terminal } = context
    if (flags.json) return terminal.out(JSON.stringify({ slots }))
    for (const slot of slots) terminal.out(`${moment(slot)}  ${terminal.paint.dim(ago(slot))}`)
    if (name === undefined) return
    const row = await console.schedules.get(name, { tenant })
    if (!row.enabled || row.pausedAt !== null) terminal.out(terminal.paint.yellow(firesNext(row)))
  })
}

async function history(
  console: Console,
  name: string,
  { tenant, json, count = 20 }: Flags & { readonly count?: number },
  { terminal }: CommandContext,
): Promise<void> {
  const firings = await console.schedules.history(name, { tenant, limit: count })
  if (json) return terminal.out(JSON.stringify({ firings }))
  if (firings.length === 0) return terminal.out(`${name} has not fired yet.`)
  const { yellow, dim } = terminal.paint
  printTable<Firing>(terminal, firings, [
    { title: 'slot', value: ({ slot }) => moment(slot) as string },
    { title: 'slots', value: ({ slots }) => (slots === 1 ? '' : String(slots ?? 'many')), right: true },
    {
      title: 'result',
      value: ({ outcome }) => outcome,
      paint: (text, { outcome }) => (['missed', 'skipped'].includes(outcome) ? yellow(text) : text),
    },
    { title: 'job', value: ({ jobId }) => (jobId === null ? '' : String(jobId)), right: true },
    {
      title: '',
      value: ({ note, actor }) => [actor, note].filter(Boolean).join(': '),
      shrinks: true,
      paint: dim,
    },
  ])
}

async function explain(
  console: Console,
  name: string,
  flags: Flags,
  { terminal }: CommandContext,
): Promise<void> {
  const reasons = await console.schedules.explain(name, { tenant: flags.tenant })
  if (flags.json) return terminal.out(JSON.stringify({ schedule: name, reasons }))
  const { bold, dim, yellow } = terminal.paint
  terminal.out(`${bold(name)}  ${dim(many(reasons.length, 'reason'))}`)
  for (const { blocking, sentence } of reasons) {
    const [first = '', ...rest] = wrap(readable(sentence), widthOf(terminal) - 2)
    terminal.out(`${blocking ? yellow('×') : dim('·')} ${first}`)
    for (const line of rest) terminal.out(`  ${line}`)
  }
}

/** `holdfast subjects`: manages subjects, for which jobs are enqueued again when their last success is too old. */
import { Command } from 'commander'
import type { Subject } from '../../store/subjects.js'
import { withConsole } from '../console/connect.js'
import type { Console } from '../console/console.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  numberOr,
  orNull,
  type TenantFlag,
  usageError,
  wholeNumber,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, span } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

type Flags = DatabaseFlags & TenantFlag & AttributionFlags

interface SubjectListFlags extends Flags {
  readonly queue?: string
  readonly stale?: boolean
  readonly limit: number
}

interface SubjectAddFlags extends Flags {
  readonly kind: string
  readonly input?: string
  readonly priority: number
  readonly staleAfter?: number | 'default'
}

interface SetFlags extends Flags {
  readonly staleAfter?: number | 'default'
  readonly enable?: boolean
  readonly disable?: boolean
}

const DAY_MS = 86_400_000
const STALE_AFTER = ['--stale-after <days>', 'days until it is due again; "default": STALE_DAYS'] as const

export function subjectsCommand(context: CommandContext): Command {
  const command = new Command('subjects').description(
    'manage subjects, which get a new job when they are stale',
  )
  command.addCommand(listCommand(context), { isDefault: true })
  command.addCommand(addCommand(context))
  command.addCommand(setCommand(context))
  command.addCommand(removeCommand(context))
  return command
}

function listCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'list',
    'list subjects and when they are due',
    'holdfast subjects list --stale',
  )
  return withTenant(command)
    .option('-q, --queue <name>', 'only of this queue')
    .option('--stale', 'only those that are due')
    .option('--limit <n>', 'most rows to show', wholeNumber(1, 500), 50)
    .action((flags: SubjectListFlags) => list(flags, context))
}

function addCommand(context: CommandContext): Command {
  const command = consoleCommand('add', 'add a subject', 'holdfast subjects add crawls r/rust --kind crawl')
  return withAttribution(withTenant(command))
    .argument('<queue>', 'a queue that keeps one job per subject')
    .argument('<name>', 'name of the subject')
    .requiredOption('--kind <kind>', 'kind of its jobs')
    .option('--input <json>', 'of its jobs')
    .option('--priority <n>', 'of its jobs', wholeNumber(0, 100), 0)
    .option(...STALE_AFTER, days)
    .action((queue: string, name: string, flags: SubjectAddFlags) => add(queue, name, flags, context))
}

function setCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'set',
    'change a subject',
    'holdfast subjects set crawls r/rust --stale-after 7',
  )
  return withAttribution(withTenant(command))
    .argument('<queue>', 'queue of the subject')
    .argument('<name>', 'name of the subject')
    .option(...STALE_AFTER, days)
    .option('--enable', 'enqueue jobs again when it is due')
    .option('--disable', 'enqueue no jobs')
    .action((queue: string, name: string, flags: SetFlags) => set(queue, name, flags, context))
}

function removeCommand(context: CommandContext): Command {
  const command = consoleCommand('remove', 'remove a subject', 'holdfast subjects remove crawls r/rust')
  return withAttribution(withTenant(command))
    .argument('<queue>', 'queue of the subject')
    .argument('<name>', 'name of the subject')
    .action((queue: string, name: string, flags: Flags) => remove(queue, name, flags, context))
}

/** `default` means the setting STALE_DAYS. */
const days = numberOr('default', (text) => wholeNumber(1, 3650)(text) * DAY_MS)

async function list(flags: SubjectListFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const { tenant, queue, stale = false, limit } = flags
    const subjects = await console.subjects.list({
      tenant,
      stale,
      limit,
      ...(queue === undefined ? {} : { queue }),
    })
    if (flags.json) return terminal.out(JSON.stringify({ subjects }))
    if (subjects.length === 0)
      return terminal.out(
        stale ? 'No subject is due.' : 'No subjects yet: the first success of a job with a subject adds one.',
      )
    const { yellow, dim } = terminal.paint
    printTable(terminal, subjects, [
      { title: 'queue', value: (each) => each.queue },
      { title: 'subject', value: ({ name }) => name, shrinks: true },
      { title: 'kind', value: ({ kind }) => kind },
      { title: 'succeeded', value: ({ lastSuccessAt }) => ago(lastSuccessAt) || 'never', right: true },
      {
        title: 'due again',
        value: ({ staleAt }) => ago(staleAt),
        right: true,
        paint: (text, row) => (isDue(row) ? yellow(text) : text),
      },
      { title: '', value: ({ enabled }) => (enabled ? '' : 'disabled'), paint: dim },
    ])
  })
}

const isDue = ({ staleAt, enabled }: Subject) => enabled && new Date(staleAt).getTime() <= Date.now()

async function add(
  queue: string,
  name: string,
  flags: SubjectAddFlags,
  context: CommandContext,
): Promise<void> {
  const { kind, input, priority, staleAfter = 'default', tenant } = flags
  await withConsole(flags, context, async ({ console }) => {
    await console.subjects.add({
      queue,
      name,
      kind,
      priority,
      staleAfterMs: orNull(staleAfter) ?? null,
      tenant,
      ...(input === undefined ? {} : { input: parsed(input) }),
      ...attributionOf(flags),
    })
    await show(console, queue, name, flags, context)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(
      `--input is not JSON: ${text.slice(0, 100)}`,
      'Quote it for the shell: --input \'{"pages": 3}\'',
    )
  }
}

async function set(queue: string, name: string, flags: SetFlags, context: CommandContext): Promise<void> {
  const { staleAfter, enable, disable } = flags
  if (enable && disable)
    throw usageError('--enable and --disable exclude each other.', 'Give only one of them.')
  if (staleAfter === undefined && !enable && !disable)
    throw usageError('Nothing to change.', 'Use --stale-after, --enable or --disable.')
  await withConsole(flags, context, async ({ console }) => {
    const { id } = await console.subjects.find(queue, name, flags.tenant)
    await console.subjects.set(id, {
      ...(staleAfter === undefined ? {} : { staleAfterMs: orNull(staleAfter) ?? null }),
      ...(enable || disable ? { enabled: enable === true } : {}),
      ...attributionOf(flags),
    })
    await show(console, queue, name, flags, context)
  })
}

async function show(
  console: Console,
  queue: string,
  name: string,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const subject = await console.subjects.find(queue, name, flags.tenant)
  if (flags.json) return context.terminal.out(JSON.stringify(subject))
  const after = subject.staleAfterMs === null ? 'STALE_DAYS' : span(subject.staleAfterMs)
  const when = subject.enabled ? `due again ${ago(subject.staleAt)}` : 'disabled'
  context.terminal.out(`${name} in ${queue}: after ${after}, ${when}.`)
}

async function remove(queue: string, name: string, flags: Flags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const { id } = await console.subjects.find(queue, name, flags.tenant)
    await console.subjects.remove(id, attributionOf(flags))
    context.terminal.out(flags.json ? JSON.stringify({ queue, name, removed: true }) : `${name} is removed.`)
  })
}

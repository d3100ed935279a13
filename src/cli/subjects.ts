/** `holdfast subjects`: what is worked on again and again, and when it is due again. */
import { Command } from 'commander'
import type { Store } from '../store/store.js'
import type { Subject } from '../store/subjects.js'
import { withStore } from './connect.js'
import {
  type ActFlags,
  actOf,
  type DatabaseFlags,
  eitherCommand,
  orNull,
  orWord,
  type TenantFlag,
  usageError,
  wholeNumber,
  withAct,
  withTenant,
} from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { ago, span } from './words.js'

type Flags = DatabaseFlags & TenantFlag & ActFlags

interface ListFlags extends Flags {
  readonly queue?: string
  readonly stale?: boolean
  readonly limit: number
}

interface AddFlags extends Flags {
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
const STALE_AFTER = [
  '--stale-after <days>',
  'days after which it is due again; "default": STALE_DAYS',
] as const

export function subjectsCommand(context: Context): Command {
  const command = new Command('subjects').description('what is worked on again and again')
  command.addCommand(listCommand(context), { isDefault: true })
  command.addCommand(addCommand(context))
  command.addCommand(setCommand(context))
  command.addCommand(removeCommand(context))
  return command
}

function listCommand(context: Context): Command {
  const command = eitherCommand(
    'list',
    'subjects with when they are due again',
    'holdfast subjects list --stale',
  )
  return withTenant(command)
    .option('-q, --queue <name>', 'only of this queue')
    .option('--stale', 'only those that are due again')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 500), 50)
    .action((flags: ListFlags) => list(flags, context))
}

function addCommand(context: Context): Command {
  const command = eitherCommand('add', 'register one', 'holdfast subjects add crawls r/rust --kind crawl')
  return withAct(withTenant(command))
    .argument('<queue>', 'a queue that keeps one job per subject')
    .argument('<name>', 'what it is called')
    .requiredOption('--kind <kind>', 'of the job it is asked for with')
    .option('--input <json>', 'of that job')
    .option('--priority <n>', 'of that job', wholeNumber(0, 100), 0)
    .option(...STALE_AFTER, days)
    .action((queue: string, name: string, flags: AddFlags) => add(queue, name, flags, context))
}

function setCommand(context: Context): Command {
  const command = eitherCommand('set', 'change one', 'holdfast subjects set crawls r/rust --stale-after 7')
  return withAct(withTenant(command))
    .argument('<queue>', 'its queue')
    .argument('<name>', 'what it is called')
    .option(...STALE_AFTER, days)
    .option('--enable', 'ask for it again when it is due')
    .option('--disable', 'do not ask for it')
    .action((queue: string, name: string, flags: SetFlags) => set(queue, name, flags, context))
}

function removeCommand(context: Context): Command {
  const command = eitherCommand('remove', 'forget one', 'holdfast subjects remove crawls r/rust')
  return withAct(withTenant(command))
    .argument('<queue>', 'its queue')
    .argument('<name>', 'what it is called')
    .action((queue: string, name: string, flags: Flags) => remove(queue, name, flags, context))
}

/** The word: as the setting STALE_DAYS says. */
const days = orWord('default', (text) => wholeNumber(1, 3650)(text) * DAY_MS)

async function list(flags: ListFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const { tenant, queue, stale = false, limit } = flags
    const subjects = await store.subjects.list({
      tenant,
      stale,
      limit,
      ...(queue === undefined ? {} : { queue }),
    })
    if (flags.json) return terminal.out(JSON.stringify({ subjects }))
    if (subjects.length === 0)
      return terminal.out(
        stale
          ? 'No subject is due again.'
          : 'No subjects yet: the first success of a job with a subject makes one.',
      )
    const { yellow, dim } = terminal.paint
    printTable(terminal, subjects, [
      { title: 'queue', of: (each) => each.queue },
      { title: 'subject', of: ({ name }) => name, gives: true },
      { title: 'kind', of: ({ kind }) => kind },
      { title: 'succeeded', of: ({ lastSuccessAt }) => ago(lastSuccessAt) || 'never', right: true },
      {
        title: 'due again',
        of: ({ staleAt }) => ago(staleAt),
        right: true,
        paint: (text, row) => (isDue(row) ? yellow(text) : text),
      },
      { title: '', of: ({ enabled }) => (enabled ? '' : 'disabled'), paint: dim },
    ])
  })
}

const isDue = ({ staleAt, enabled }: Subject) => enabled && new Date(staleAt).getTime() <= Date.now()

async function add(queue: string, name: string, flags: AddFlags, context: Context): Promise<void> {
  const { kind, input, priority, staleAfter = 'default', tenant } = flags
  await withStore(flags, context, async ({ store }) => {
    await store.subjects.add({
      queue,
      name,
      kind,
      priority,
      staleAfterMs: orNull(staleAfter) ?? null,
      tenant,
      ...(input === undefined ? {} : { input: parsed(input) }),
      ...actOf(flags),
    })
    await show(store, queue, name, flags, context)
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

async function set(queue: string, name: string, flags: SetFlags, context: Context): Promise<void> {
  const { staleAfter, enable, disable } = flags
  if (enable && disable) throw usageError('--enable and --disable are two things.', 'Say the one you mean.')
  if (staleAfter === undefined && !enable && !disable)
    throw usageError('Nothing to change.', 'Use --stale-after, --enable or --disable.')
  await withStore(flags, context, async ({ store }) => {
    const { id } = await store.subjects.find(queue, name, flags.tenant)
    await store.subjects.set(id, {
      ...(staleAfter === undefined ? {} : { staleAfterMs: orNull(staleAfter) ?? null }),
      ...(enable || disable ? { enabled: enable === true } : {}),
      ...actOf(flags),
    })
    await show(store, queue, name, flags, context)
  })
}

async function show(
  store: Store,
  queue: string,
  name: string,
  flags: Flags,
  context: Context,
): Promise<void> {
  const subject = await store.subjects.find(queue, name, flags.tenant)
  if (flags.json) return context.terminal.out(JSON.stringify(subject))
  const after = subject.staleAfterMs === null ? 'STALE_DAYS' : span(subject.staleAfterMs)
  const when = subject.enabled ? `due again ${ago(subject.staleAt)}` : 'disabled'
  context.terminal.out(`${name} in ${queue}: after ${after}, ${when}.`)
}

async function remove(queue: string, name: string, flags: Flags, context: Context): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const { id } = await store.subjects.find(queue, name, flags.tenant)
    await store.subjects.remove(id, actOf(flags))
    context.terminal.out(
      flags.json ? JSON.stringify({ queue, name, removed: true }) : `${name} is forgotten.`,
    )
  })
}

/** Commands that define schedules: create, update, remove. */
import { type Command, Option } from 'commander'
import { CATCH_UPS, OVERLAPS, type ScheduleFields } from '../../domain/schedule/definition.js'
import { withConsole } from '../console/connect.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  usageError,
  wholeNumber,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { parseInputs, readInput } from '../terminal/input.js'
import { type Flags, firesNext } from './read.js'

interface FieldFlags extends Flags, AttributionFlags {
  readonly expression?: string
  readonly kind?: string
  readonly queue?: string
  readonly input?: string
  readonly subject?: string
  readonly priority?: number
  readonly tz?: string
  readonly description?: string
  readonly catchUp?: ScheduleFields['catchUp']
  readonly catchUpMax?: number
  readonly overlap?: ScheduleFields['overlap']
  readonly jitter?: number
}

export function defineCommands(context: CommandContext): Command[] {
  const create = consoleCommand(
    'create',
    'create a schedule',
    'holdfast schedules create nightly "0 3 * * *" --kind sweep --tz Europe/Berlin',
    'holdfast schedules create often "@every 90s" --kind poll --overlap skip',
  )
    .argument('<name>', 'name of the schedule')
    .argument('<expression>', 'cron, @daily and the like, or @every 90m')
    .option('--disabled', 'create it disabled')
  const update = consoleCommand(
    'update',
    'change a schedule',
    'holdfast schedules update nightly --expression "0 4 * * *"',
    'holdfast schedules update nightly --reset',
  )
    .argument('<name>', 'name of the schedule')
    .option('--expression <text>', 'when it fires')
    .option('--rename <name>', 'new name')
    .option('--reset', 'undo changes: use what the program declares')
  const remove = consoleCommand(
    'remove',
    'remove a schedule; its jobs are kept',
    'holdfast schedules remove nightly',
  )
  return [
    withFields(create).action(
      (name: string, expression: string, flags: FieldFlags & { disabled?: boolean }) =>
        createOne(name, expression, flags, context),
    ),
    withFields(update).action((name: string, flags: FieldFlags & { rename?: string; reset?: boolean }) =>
      updateOne(name, flags, context),
    ),
    withAttribution(withTenant(remove))
      .argument('<name>', 'name of the schedule')
      .action((name: string, flags: Flags & AttributionFlags) => removeOne(name, flags, context)),
  ]
}

function withFields(command: Command): Command {
  return withAttribution(withTenant(command))
    .option('--kind <kind>', 'kind of its jobs')
    .option('--queue <queue>', 'queue of its jobs')
    .option('--input <json>', 'JSON; - reads it from stdin, @file from a file')
    .option('--subject <text>', 'at most one live job per subject; "" for none')
    .option('--priority <n>', '0 to 100; higher goes first', wholeNumber(0, 100))
    .option('--tz <zone>', 'like Europe/Berlin (default: UTC)')
    .option('--description <text>', 'description; "" for none')
    .addOption(new Option('--catch-up <rule>', 'what to do with missed slots').choices(CATCH_UPS))
    .option('--catch-up-max <n>', 'most missed slots to fire with --catch-up all', wholeNumber(1, 1000))
    .addOption(new Option('--overlap <rule>', 'what to do while the previous job is live').choices(OVERLAPS))
    .option('--jitter <seconds>', 'random delay, up to this long', wholeNumber(0, 86_400))
}

/** An empty string clears a field. Not done in the parser, because commander turns null into an empty string. */
const orNone = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

/** The given flags as fields of a schedule. */
async function fieldsOf(flags: FieldFlags): Promise<Partial<ScheduleFields>> {
  const {
    expression,
    kind,
    queue,
    input,
    subject,
    priority,
    tz,
    description,
    catchUp,
    catchUpMax,
    overlap,
    jitter,
  } = flags
  const fields = {
    expression,
    kind,
    queue,
    subject: orNone(subject),
    priority,
    description: orNone(description),
    catchUp,
    catchUpMax,
    overlap,
    timeZone: tz,
    jitterMs: jitter === undefined ? undefined : jitter * 1000,
    ...(input === undefined ? {} : { input: parseInputs(await readInput(input), false)[0] }),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

async function createOne(
  name: string,
  expression: string,
  { disabled, ...flags }: FieldFlags & { readonly disabled?: boolean },
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  const { kind, ...fields } = await fieldsOf(flags)
  if (kind === undefined)
    throw usageError('A schedule needs the kind of its jobs.', 'Give --kind, like --kind sweep.')
  await withConsole(flags, context, async ({ console }) => {
    const made = await console.schedules.create(
      { ...fields, name, kind, expression, enabled: disabled !== true },
      { ...attributionOf(flags), tenant: flags.tenant },
    )
    if (flags.json) return terminal.out(JSON.stringify(made))
    terminal.out(`Schedule ${firesNext(made)}`)
    terminal.out(terminal.paint.dim(`  holdfast schedules preview ${name}`))
  })
}

async function updateOne(
  name: string,
  { rename, reset, ...flags }: FieldFlags & { readonly rename?: string; readonly reset?: boolean },
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  const fields = { ...(await fieldsOf(flags)), ...(rename === undefined ? {} : { name: rename }) }
  if (Object.keys(fields).length === 0 && reset !== true)
    throw usageError('Nothing to change.', 'Give a flag; `holdfast schedules update --help` lists them.')
  await withConsole(flags, context, async ({ console }) => {
    const how = { ...attributionOf(flags), tenant: flags.tenant }
    if (reset) await console.schedules.reset(name, how)
    const now = await console.schedules.update(name, fields, how)
    if (flags.json) return terminal.out(JSON.stringify(now))
    terminal.out(`Schedule ${firesNext(now)}`)
    if (now.overrides.length > 0)
      terminal.out(
        terminal.paint.dim(`  changed at run time, overriding the program: ${now.overrides.join(', ')}`),
      )
  })
}

async function removeOne(
  name: string,
  flags: Flags & AttributionFlags,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const how = { ...attributionOf(flags), tenant: flags.tenant }
    const { declared } = await console.schedules.get(name, how)
    await console.schedules.remove(name, how)
    if (flags.json) return terminal.out(JSON.stringify({ schedule: name, removed: true }))
    terminal.out(`Schedule ${name} is removed; its jobs are kept.`)
    if (declared !== null)
      terminal.out(
        terminal.paint.dim(
          '  A program that still declares it creates it again at its next start; disable it instead.',
        ),
      )
  })
}

/** Defining schedules: create, update, delete. */
import { type Command, Option } from 'commander'
import { CATCH_UPS, OVERLAPS, type ScheduleFields } from '../../domain/schedule/definition.js'
import { withStore } from '../connect.js'
import {
  type ActFlags,
  actOf,
  eitherCommand,
  usageError,
  wholeNumber,
  withAct,
  withTenant,
} from '../flags.js'
import { parseInputs, readInput } from '../input.js'
import type { Context } from '../program.js'
import { type Flags, firesNext } from './look.js'

interface FieldFlags extends Flags, ActFlags {
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

export function defineCommands(context: Context): Command[] {
  const create = eitherCommand(
    'create',
    'make a schedule',
    'holdfast schedules create nightly "0 3 * * *" --kind sweep --tz Europe/Berlin',
    'holdfast schedules create often "@every 90s" --kind poll --overlap skip',
  )
    .argument('<name>', 'its name')
    .argument('<expression>', 'cron, @daily and the like, or @every 90m')
    .option('--disabled', 'make it, and let it not fire yet')
  const update = eitherCommand(
    'update',
    'change a schedule',
    'holdfast schedules update nightly --expression "0 4 * * *"',
    'holdfast schedules update nightly --reset',
  )
    .argument('<name>', 'the schedule')
    .option('--expression <text>', 'when it fires')
    .option('--rename <name>', 'call it otherwise')
    .option('--reset', 'be again what the program says')
  const remove = eitherCommand(
    'delete',
    'take a schedule away; its jobs stay',
    'holdfast schedules delete nightly',
  )
  return [
    withFields(create).action(
      (name: string, expression: string, flags: FieldFlags & { disabled?: boolean }) =>
        createOne(name, expression, flags, context),
    ),
    withFields(update).action((name: string, flags: FieldFlags & { rename?: string; reset?: boolean }) =>
      updateOne(name, flags, context),
    ),
    withAct(withTenant(remove))
      .argument('<name>', 'the schedule')
      .action((name: string, flags: Flags & ActFlags) => removeOne(name, flags, context)),
  ]
}

function withFields(command: Command): Command {
  return withAct(withTenant(command))
    .option('--kind <kind>', 'which handler runs its jobs')
    .option('--queue <queue>', 'where its jobs wait')
    .option('--input <json>', 'JSON; - reads it from stdin, @file from a file')
    .option('--subject <text>', 'no job is made where it has a live one; "" for none')
    .option('--priority <n>', '0 to 100; higher goes first', wholeNumber(0, 100))
    .option('--tz <zone>', 'like Europe/Berlin (default: UTC)')
    .option('--description <text>', 'what it is for; "" for nothing')
    .addOption(new Option('--catch-up <rule>', 'slots nobody was there to fire').choices(CATCH_UPS))
    .option('--catch-up-max <n>', 'with all: how many', wholeNumber(1, 1000))
    .addOption(new Option('--overlap <rule>', 'while the job before is alive').choices(OVERLAPS))
    .option('--jitter <seconds>', 'fire up to this much later', wholeNumber(0, 86_400))
}

/** Nothing, said so, is another thing than not said. Not while it is parsed: commander would make it an empty text again. */
const orNone = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

/** What was said, in the words of the library. */
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
  const said = {
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
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

async function createOne(
  name: string,
  expression: string,
  { disabled, ...flags }: FieldFlags & { readonly disabled?: boolean },
  context: Context,
): Promise<void> {
  const { terminal } = context
  const { kind, ...fields } = await fieldsOf(flags)
  if (kind === undefined) throw usageError('A schedule makes jobs of a kind.', 'Say which: --kind sweep.')
  await withStore(flags, context, async ({ store }) => {
    const made = await store.schedules.create(
      { ...fields, name, kind, expression, enabled: disabled !== true },
      { ...actOf(flags), tenant: flags.tenant },
    )
    if (flags.json) return terminal.out(JSON.stringify(made))
    terminal.out(`Schedule ${firesNext(made)}`)
    terminal.out(terminal.paint.dim(`  holdfast schedules preview ${name}`))
  })
}

async function updateOne(
  name: string,
  { rename, reset, ...flags }: FieldFlags & { readonly rename?: string; readonly reset?: boolean },
  context: Context,
): Promise<void> {
  const { terminal } = context
  const fields = { ...(await fieldsOf(flags)), ...(rename === undefined ? {} : { name: rename }) }
  if (Object.keys(fields).length === 0 && reset !== true)
    throw usageError(
      'Nothing is said that would change.',
      'Say what: `holdfast schedules update --help` has the flags.',
    )
  await withStore(flags, context, async ({ store }) => {
    const how = { ...actOf(flags), tenant: flags.tenant }
    if (reset) await store.schedules.reset(name, how)
    const now = await store.schedules.update(name, fields, how)
    if (flags.json) return terminal.out(JSON.stringify(now))
    terminal.out(`Schedule ${firesNext(now)}`)
    if (now.overrides.length > 0)
      terminal.out(
        terminal.paint.dim(`  changed at run time, whatever its program says: ${now.overrides.join(', ')}`),
      )
  })
}

async function removeOne(name: string, flags: Flags & ActFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const how = { ...actOf(flags), tenant: flags.tenant }
    const { declared } = await store.schedules.get(name, how)
    await store.schedules.delete(name, how)
    if (flags.json) return terminal.out(JSON.stringify({ schedule: name, deleted: true }))
    terminal.out(`Schedule ${name} is gone; its jobs stay.`)
    if (declared !== null)
      terminal.out(
        terminal.paint.dim(
          '  A program that still declares it makes it again at its next start; disabled, it stays away.',
        ),
      )
  })
}

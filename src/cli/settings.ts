/** `holdfast settings`: numbers that change while everything runs, for everybody and at once. */
import { Command } from 'commander'
import type { Config } from '../config/resolve.js'
import { SETTINGS, type Setting, type SettingName } from '../domain/settings.js'
import type { SettingNow } from '../store/settings.js'
import type { Store } from '../store/store.js'
import { withStore } from './connect.js'
import { CommandError, EXIT } from './failure.js'
import {
  type ActFlags,
  actOf,
  type DatabaseFlags,
  eitherCommand,
  serverOf,
  wholeNumber,
  withAct,
} from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'

type Flags = DatabaseFlags & ActFlags

export function settingsCommand(context: Context): Command {
  const command = new Command('settings').description('numbers that change while everything runs')
  command.addCommand(
    eitherCommand('list', 'every setting with its value and its default', 'holdfast settings list').action(
      (flags: DatabaseFlags) => list(flags, context),
    ),
    { isDefault: true },
  )
  command.addCommand(
    eitherCommand('get', 'the value that holds now', 'holdfast settings get MAX_ATTEMPTS_DEFAULT')
      .argument('<name>', 'the setting')
      .action((name: string, flags: DatabaseFlags) => get(name, flags, context)),
  )
  const set = eitherCommand(
    'set',
    'change one, at once and everywhere',
    'holdfast settings set BACKOFF_BASE_SEC 10',
  )
    .argument('<name>', 'the setting')
    .argument('<value>', 'a whole number', wholeNumber(0))
    .action((name: string, value: number, flags: Flags) => change(name, value, flags, context))
  const reset = eitherCommand('reset', 'back to the default', 'holdfast settings reset BACKOFF_BASE_SEC')
    .argument('<name>', 'the setting')
    .action((name: string, flags: Flags) => change(name, undefined, flags, context))
  command.addCommand(withAct(set))
  command.addCommand(withAct(reset))
  return command
}

type Shown = SettingNow & { readonly from: string }

type Overrides = Pick<Config, 'overrides'>

/** What is set around this process has no say over a server, which knows what is set around itself. */
function overridesOf(flags: DatabaseFlags, context: Context, config: Config): Overrides {
  return serverOf(flags, context) === undefined ? config : { overrides: () => undefined }
}

/** As this process would have them: what a variable says wins here over what the database says. */
async function shown(store: Store, around: Overrides): Promise<Shown[]> {
  const settings = await store.settings.list()
  return settings.map((setting) => {
    const override = around.overrides(setting.name)
    if (override !== undefined) return { ...setting, value: Number(override.value), from: override.origin }
    return {
      ...setting,
      from: setting.origin === 'set' ? `set by ${setting.updatedBy ?? 'somebody'}` : 'default',
    }
  })
}

async function list(flags: DatabaseFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store, config }) => {
    const settings = await shown(store, overridesOf(flags, context, config))
    if (flags.json) return terminal.out(JSON.stringify({ settings }))
    const { dim } = terminal.paint
    printTable(terminal, settings, [
      { title: 'setting', of: ({ name }) => name },
      { title: 'value', of: ({ value }) => String(value), right: true },
      {
        title: 'from',
        of: ({ from }) => from,
        paint: (text, { from }) => (from === '' ? dim(text) : text),
      },
      { title: 'what it is', of: (setting) => setting.of, gives: true, paint: dim },
    ])
  })
}

async function get(name: string, flags: DatabaseFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store, config }) => {
    // Refuses a name that is not there, with the nearest.
    await store.settings.get(name)
    const setting = (await shown(store, overridesOf(flags, context, config))).find(
      (each) => each.name === name,
    )
    terminal.out(flags.json ? JSON.stringify(setting) : String(setting?.value))
  })
}

async function change(
  name: string,
  value: number | undefined,
  flags: Flags,
  context: Context,
): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store, config }) => {
    refuseWithoutEffect(name, overridesOf(flags, context, config))
    if (value === undefined) await store.settings.reset(name, actOf(flags))
    else await store.settings.set(name, value, actOf(flags))
    const now = await store.settings.get(name)
    if (flags.json) return terminal.out(JSON.stringify({ name, value: now }))
    const { only }: Setting = SETTINGS[name as SettingName]
    terminal.out(`${name} is ${now} now, everywhere${only === undefined ? '' : `; it holds ${only}`}.`)
  })
}

/** Whoever changes a setting believes that it changes something. */
function refuseWithoutEffect(name: string, around: Overrides): void {
  const override = around.overrides(name)
  if (override === undefined) return
  throw new CommandError({
    code: 'setting_overridden',
    message: `${name} is ${override.value} because of ${override.origin}, which wins over the database.`,
    remedy: `Take ${override.origin.replace(/^(env|flag) /, '')} away first, here and where workers run.`,
    exitCode: EXIT.failed,
  })
}

/** `holdfast settings`: shows and changes settings stored in the database, which take effect everywhere without a restart. */
import { Command } from 'commander'
import type { Config } from '../../config/resolve.js'
import { SETTINGS, type Setting, type SettingName } from '../../domain/settings.js'
import { withConsole } from '../console/connect.js'
import type { Console, ShownSetting } from '../console/console.js'
import { CommandError, EXIT } from '../failure.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  serverOf,
  wholeNumber,
  withAttribution,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { printTable } from '../terminal/table.js'

type Flags = DatabaseFlags & AttributionFlags

export function settingsCommand(context: CommandContext): Command {
  const command = new Command('settings').description('show and change settings that need no restart')
  command.addCommand(
    consoleCommand('list', 'list settings with their values', 'holdfast settings list').action(
      (flags: DatabaseFlags) => list(flags, context),
    ),
    { isDefault: true },
  )
  command.addCommand(
    consoleCommand('get', 'print the value of a setting', 'holdfast settings get MAX_ATTEMPTS_DEFAULT')
      .argument('<name>', 'name of the setting')
      .action((name: string, flags: DatabaseFlags) => get(name, flags, context)),
  )
  const set = consoleCommand(
    'set',
    'change a setting, effective everywhere at once',
    'holdfast settings set BACKOFF_BASE_SEC 10',
  )
    .argument('<name>', 'name of the setting')
    .argument('<value>', 'a whole number', wholeNumber(0))
    .action((name: string, value: number, flags: Flags) => change(name, value, flags, context))
  const reset = consoleCommand(
    'reset',
    'reset a setting to its default',
    'holdfast settings reset BACKOFF_BASE_SEC',
  )
    .argument('<name>', 'name of the setting')
    .action((name: string, flags: Flags) => change(name, undefined, flags, context))
  command.addCommand(withAttribution(set))
  command.addCommand(withAttribution(reset))
  return command
}

type SettingRow = ShownSetting & { readonly from: string }

type Overrides = Pick<Config, 'overrides'>

/** Environment and files of this process do not override the settings of a server. */
function overridesOf(flags: DatabaseFlags, context: CommandContext, config: Config): Overrides {
  return serverOf(flags, context) === undefined ? config : { overrides: () => undefined }
}

/** Settings as this process sees them: environment variables win over the database. */
async function settingRows(console: Console, local: Overrides): Promise<SettingRow[]> {
  const settings = await console.settings.list()
  return settings.map((setting) => {
    const override = local.overrides(setting.name)
    if (override !== undefined) return { ...setting, value: Number(override.value), from: override.origin }
    return {
      ...setting,
      from: setting.origin === 'set' ? `set by ${setting.updatedBy ?? 'unknown'}` : 'default',
    }
  })
}

async function list(flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console, config }) => {
    const settings = await settingRows(console, overridesOf(flags, context, config))
    if (flags.json) return terminal.out(JSON.stringify({ settings }))
    const { dim } = terminal.paint
    printTable(terminal, settings, [
      { title: 'setting', value: ({ name }) => name },
      { title: 'value', value: ({ value }) => String(value), right: true },
      {
        title: 'from',
        value: ({ from }) => from,
        paint: (text, { from }) => (from === '' ? dim(text) : text),
      },
      { title: 'meaning', value: (setting) => setting.of, shrinks: true, paint: dim },
    ])
  })
}

async function get(name: string, flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console, config }) => {
    // Throws for an unknown name, with a suggestion.
    await console.settings.get(name)
    const setting = (await settingRows(console, overridesOf(flags, context, config))).find(
      (each) => each.name === name,
    )
    terminal.out(flags.json ? JSON.stringify(setting) : String(setting?.value))
  })
}

async function change(
  name: string,
  value: number | undefined,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console, config }) => {
    checkNotOverridden(name, overridesOf(flags, context, config))
    if (value === undefined) await console.settings.reset(name, attributionOf(flags))
    else await console.settings.set(name, value, attributionOf(flags))
    const now = await console.settings.get(name)
    if (flags.json) return terminal.out(JSON.stringify({ name, value: now }))
    const { only }: Setting = SETTINGS[name as SettingName]
    terminal.out(`${name} is ${now} now, everywhere${only === undefined ? '' : `; it applies ${only}`}.`)
  })
}

/** Fails if an override would make the change ineffective. */
function checkNotOverridden(name: string, local: Overrides): void {
  const override = local.overrides(name)
  if (override === undefined) return
  throw new CommandError({
    code: 'setting_overridden',
    message: `${name} is ${override.value} because of ${override.origin}, which overrides the database.`,
    remedy: `Remove ${override.origin.replace(/^(env|flag) /, '')} first, here and where workers run.`,
    exitCode: EXIT.failed,
  })
}

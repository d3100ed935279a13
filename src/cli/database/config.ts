/** `holdfast config print`: shows every configuration value and its origin. */
import { join } from 'node:path'
import { Command } from 'commander'
import { envNames, isSecret, KEYS } from '../../config/keys.js'
import type { Config, ConfigEntry } from '../../config/resolve.js'
import { findEmbedded } from '../../embedded/find.js'
import { storeOn } from '../../store/store.js'
import { connect, waitFor } from '../console/connect.js'
import { configOf, type DatabaseFlags, databaseCommand } from '../flags.js'
import type { CommandContext } from '../program.js'
import { isAddress, mask, maskAddress } from '../terminal/mask.js'
import { printTable } from '../terminal/table.js'

export function configCommand(context: CommandContext): Command {
  const command = new Command('config').description('show the configuration')
  command.addCommand(
    databaseCommand('print', 'show every value and its origin; secrets are masked', 'holdfast config print')
      .addHelpText('after', `\n${ORDER}`)
      .action((flags: DatabaseFlags) => print(flags, context)),
  )
  return command
}

const ORDER = `Order of precedence: flag, environment, setting of the database (see
\`holdfast settings\`), holdfast.toml, config/default.toml.`

async function print(flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const config = await withSettingsOf(configOf(flags, context), context)
  const entries = config.entries().map(masked)
  if (flags.json) {
    const described = entries.map((entry) => ({ ...entry, env: envNames(entry.key), of: KEYS[entry.key].of }))
    terminal.out(JSON.stringify({ config: described }))
    return
  }
  const { dim, bold } = terminal.paint
  for (const section of new Set(entries.map(sectionOf))) {
    terminal.out(bold(`[${section}]`))
    const within = entries.filter((entry) => sectionOf(entry) === section)
    printTable(terminal, within, [
      { title: 'key', value: ({ key }) => key.slice(section.length + 1) },
      { title: 'value', value: ({ value }) => (value === null ? '–' : String(value)) },
      {
        title: 'from',
        value: ({ origin }) => origin,
        paint: (text, { origin }) => (isDefault(origin) ? dim(text) : text),
      },
    ])
  }
}

/** Adds the settings of the database if it is reachable; the command must also work without one. */
async function withSettingsOf(config: Config, context: CommandContext): Promise<Config> {
  const url = config.get('database.url')
  const running = await findEmbedded({ dir: join(config.get('database.folder'), 'pg') })
  if (url === undefined && running === undefined) return config
  const connected = await connect(config, context).catch((error: Error) => error)
  if (connected instanceof Error) {
    context.terminal.err(`Settings of the database are not included: ${connected.message}`)
    return config
  }
  try {
    await waitFor(connected, SETTINGS_SECONDS, context)
    const settings = await storeOn(connected.database, config.get('database.schema')).settings.list()
    return config.withSettings(
      new Map(settings.filter(({ origin }) => origin === 'set').map(({ name, value }) => [name, value])),
    )
  } catch (error) {
    context.terminal.err(`Settings of the database are not included: ${(error as Error).message}`)
    return config
  } finally {
    await connected.close()
  }
}

const SETTINGS_SECONDS = 1

const sectionOf = ({ key }: ConfigEntry): string => key.split('.')[0] ?? ''

/** Masks the password of an address, and all of any other secret. */
function masked(entry: ConfigEntry): ConfigEntry {
  if (typeof entry.value !== 'string') return entry
  if (isAddress(entry.value)) return { ...entry, value: maskAddress(entry.value) }
  return isSecret(entry.key) ? { ...entry, value: '***' } : { ...entry, value: mask(entry.value) }
}

const isDefault = (origin: string): boolean => /^default|default\.toml$/.test(origin)

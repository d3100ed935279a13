/** `holdfast config print`: every value that is configured, and where it comes from. */
import { join } from 'node:path'
import { Command } from 'commander'
import { envNames, isSecret, KEYS } from '../config/keys.js'
import type { Config, Entry } from '../config/resolve.js'
import { findEmbedded } from '../store/embedded/find.js'
import { storeOn } from '../store/store.js'
import { connect, waitFor } from './connect.js'
import { configOf, type DatabaseFlags, databaseCommand } from './flags.js'
import { isAddress, mask, maskAddress } from './mask.js'
import type { Context } from './program.js'
import { printTable } from './table.js'

export function configCommand(context: Context): Command {
  const command = new Command('config').description('what is configured, and where it comes from')
  command.addCommand(
    databaseCommand(
      'print',
      'every value with where it comes from; passwords are not shown',
      'holdfast config print',
    )
      .addHelpText('after', `\n${ORDER}`)
      .action((flags: DatabaseFlags) => print(flags, context)),
  )
  return command
}

const ORDER = `A flag wins over the environment, that over a setting of the database (see
\`holdfast settings\`), that over holdfast.toml, that over config/default.toml.`

async function print(flags: DatabaseFlags, context: Context): Promise<void> {
  const { terminal } = context
  const config = await withSettingsOf(configOf(flags, context), context)
  const entries = config.entries().map(shown)
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
      { title: 'key', of: ({ key }) => key.slice(section.length + 1) },
      { title: 'value', of: ({ value }) => (value === null ? '–' : String(value)) },
      {
        title: 'from',
        of: ({ origin }) => origin,
        paint: (text, { origin }) => (isOurs(origin) ? dim(text) : text),
      },
    ])
  }
}

/** Settings of the database count, too, if it can be asked; a look at the configuration must also work when it cannot. */
async function withSettingsOf(config: Config, context: Context): Promise<Config> {
  const url = config.get('database.url')
  const running = await findEmbedded({ dir: join(config.get('database.folder'), 'pg') })
  if (url === undefined && running === undefined) return config
  const connected = await connect(config, context).catch((error: Error) => error)
  if (connected instanceof Error) {
    context.terminal.err(`Settings of the database are not in it: ${connected.message}`)
    return config
  }
  try {
    await waitFor(connected, ASK_SECONDS, context)
    const settings = await storeOn(connected.database, config.get('database.schema')).settings.list()
    return config.withSettings(
      new Map(settings.filter(({ origin }) => origin === 'set').map(({ name, value }) => [name, value])),
    )
  } catch (error) {
    context.terminal.err(`Settings of the database are not in it: ${(error as Error).message}`)
    return config
  } finally {
    await connected.close()
  }
}

const ASK_SECONDS = 1

const sectionOf = ({ key }: Entry): string => key.split('.')[0] ?? ''

/** What is left of an address tells people which one it is; of any other secret nothing is left but that there is one. */
function shown(entry: Entry): Entry {
  if (typeof entry.value !== 'string') return entry
  if (isAddress(entry.value)) return { ...entry, value: maskAddress(entry.value) }
  return isSecret(entry.key) ? { ...entry, value: '***' } : { ...entry, value: mask(entry.value) }
}

const isOurs = (origin: string): boolean => /^default|default\.toml$/.test(origin)

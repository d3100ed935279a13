/** Flags that many commands have, so that they are the same everywhere. */

import { userInfo } from 'node:os'
import { Command, Option } from 'commander'
import type { TransportOptions } from '../client/transport.js'
import type { KeyName } from '../config/keys.js'
import { type Config, loadConfig } from '../config/resolve.js'
import type { Act } from '../store/operate.js'
import { CommandError, EXIT } from './failure.js'
import type { Context } from './program.js'

export interface DatabaseFlags {
  readonly url?: string
  readonly schema?: string
  readonly config?: string
  readonly json?: boolean
  /** A server instead of a database. */
  readonly server?: string
}

const WHERE = [
  ['--url <url>', 'default: DATABASE_URL, else the one in ./.holdfast'],
  ['--schema <name>', 'the schema Holdfast lives in (default: holdfast)'],
  ['--config <file>', 'another file than ./holdfast.toml'],
] as const

/** A command that speaks to a database. `examples` are lines that work as they stand. */
export function databaseCommand(name: string, description: string, ...examples: string[]): Command {
  const command = new Command(name).description(description)
  for (const [flags, does] of WHERE) command.addOption(new Option(flags, does).helpGroup('Which database:'))
  command.option('--json', 'answer in JSON')
  return withExamples(command, ...examples)
}

/** A command that can also be carried out by a server. The key is no flag: others on this machine could read it. */
export function eitherCommand(name: string, description: string, ...examples: string[]): Command {
  const server = new Option(
    '--server <url>',
    'a server instead (HOLDFAST_SERVER), with the key in HOLDFAST_KEY',
  )
  return databaseCommand(name, description, ...examples).addOption(server.helpGroup('Which database:'))
}

/** The server a command is to speak to; undefined: a database. What is said on the command line wins. */
export function serverOf(
  { server, url, tenant }: DatabaseFlags & Partial<TenantFlag>,
  { env }: Context,
): TransportOptions | undefined {
  const where = server ?? (url === undefined ? env.HOLDFAST_SERVER || undefined : undefined)
  if (where === undefined) return undefined
  if (url !== undefined) throw usageError('--server and --url are two places.', 'Name the one you mean.')
  const key = env.HOLDFAST_KEY || undefined
  return {
    url: where,
    ...(key === undefined ? {} : { key }),
    // The tenant is the key's; only a key of every tenant can choose.
    ...(tenant === undefined || tenant === 'default' ? {} : { tenant }),
  }
}

export function withExamples(command: Command, ...examples: string[]): Command {
  if (examples.length === 0) return command
  const word = examples.length === 1 ? 'Example' : 'Examples'
  return command.addHelpText('after', `\n${word}:\n${examples.map((line) => `  ${line}`).join('\n')}`)
}

export interface TenantFlag {
  readonly tenant: string
}

export function withTenant(command: Command): Command {
  return command.option('--tenant <name>', 'whose queues and jobs', 'default')
}

export interface ActFlags {
  readonly reason?: string
  readonly actor?: string
}

/** Who did it and why stays with the job. */
export function withAct(command: Command): Command {
  return command
    .option('--reason <text>', 'why, kept with the event')
    .option('--actor <name>', 'who (default: your user name)')
}

export function actOf({ reason, actor }: ActFlags): Act {
  return { actor: actor ?? userName(), ...(reason === undefined ? {} : { reason }) }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return 'cli'
  }
}

/** Which key a flag of a command sets; commander names options in camelCase. */
export type FlagKeys = Partial<Record<KeyName, { readonly flag: string; readonly value: unknown }>>

export function configOf(
  { url, schema, config }: DatabaseFlags,
  { env }: Context,
  more: FlagKeys = {},
): Config {
  return loadConfig({
    env,
    file: config,
    flags: {
      ...more,
      'database.url': { flag: '--url', value: url },
      'database.schema': { flag: '--schema', value: schema },
    },
  })
}

/** For commander: text that must be a whole number. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
    throw usageError(`"${text}" must be a whole number ${range}.`, 'Correct the value and run it again.')
  }
}

/** For commander: a number, or a word that stands for none. Commander makes an empty text of a null, so the word stays until `orNull`. */
export function orWord<Word extends string>(word: Word, number: (text: string) => number) {
  return (text: string): number | Word => (text === word ? word : number(text))
}

export function orNull(value: number | string | undefined): number | null | undefined {
  return typeof value === 'string' ? null : value
}

/** Job ids as people write them, also with the # we show them with. */
export function jobIds(texts: readonly string[]): number[] {
  return texts.map((text) => wholeNumber(1)(text.replace(/^#/, '')))
}

export function usageError(message: string, remedy: string): CommandError {
  return new CommandError({ code: 'usage', message, remedy, exitCode: EXIT.usage })
}

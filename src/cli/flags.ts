/** Flags shared by many commands, and what they mean: database or server, tenant, actor and reason. */

import { userInfo } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { TransportOptions } from '../client/transport.js'
import type { ConfigKey } from '../config/keys.js'
import { type Config, loadConfig } from '../config/resolve.js'
import type { Attribution } from '../store/job-commands.js'
import { CommandError, EXIT } from './failure.js'
import type { CommandContext } from './program.js'

export interface DatabaseFlags {
  readonly url?: string
  readonly schema?: string
  readonly config?: string
  readonly json?: boolean
  /** Address of a server to use instead of a database. */
  readonly server?: string
}

const DATABASE_OPTIONS = [
  ['--url <url>', 'database (default: DATABASE_URL, else ./.holdfast)'],
  ['--schema <name>', 'schema of Holdfast (default: holdfast)'],
  ['--config <file>', 'configuration file (default: ./holdfast.toml)'],
] as const

/** A command that needs a database. `examples` are complete command lines. */
export function databaseCommand(name: string, description: string, ...examples: string[]): Command {
  const command = new Command(name).description(description)
  for (const [flags, does] of DATABASE_OPTIONS)
    command.addOption(new Option(flags, does).helpGroup('Which database:'))
  command.option('--json', 'print JSON')
  return withExamples(command, ...examples)
}

/** A command that uses a database or a server. The API key is not a flag, because other users of the machine can read command lines. */
export function consoleCommand(name: string, description: string, ...examples: string[]): Command {
  const server = new Option('--server <url>', 'use a server (HOLDFAST_SERVER) with the key in HOLDFAST_KEY')
  return databaseCommand(name, description, ...examples).addOption(server.helpGroup('Which database:'))
}

/** The server to use, or undefined for a database. Flags win over the environment. */
export function serverOf(
  { server, url, tenant }: DatabaseFlags & Partial<TenantFlag>,
  { env }: CommandContext,
): TransportOptions | undefined {
  const address = server ?? (url === undefined ? env.HOLDFAST_SERVER || undefined : undefined)
  if (address === undefined) return undefined
  if (url !== undefined) throw usageError('--server and --url exclude each other.', 'Give only one of them.')
  if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
    throw usageError(
      `${server === undefined ? 'HOLDFAST_SERVER' : '--server'} is not the address of a server: "${address}".`,
      'Write it like http://localhost:8080 or https://jobs.example.org.',
    )
  const key = env.HOLDFAST_KEY || undefined
  return {
    url: address,
    ...(key === undefined ? {} : { key }),
    // The key decides the tenant; only a key for every tenant can choose one.
    ...(tenant === undefined || tenant === 'default' ? {} : { tenant }),
  }
}

const EXAMPLES = new WeakMap<Command, readonly string[]>()

export function withExamples(command: Command, ...examples: string[]): Command {
  if (examples.length === 0) return command
  EXAMPLES.set(command, examples)
  const heading = examples.length === 1 ? 'Example' : 'Examples'
  return command.addHelpText('after', `\n${heading}:\n${examples.map((line) => `  ${line}`).join('\n')}`)
}

const GROUP_EXAMPLES_MAX = 3

/** A command that only groups others shows the first examples of these. */
export function withExamplesBelow(command: Command): void {
  if (command.commands.length === 0 || EXAMPLES.has(command)) return
  const below = command.commands.flatMap((each) => EXAMPLES.get(each)?.slice(0, 1) ?? [])
  withExamples(command, ...below.slice(0, GROUP_EXAMPLES_MAX))
}

export interface TenantFlag {
  readonly tenant: string
}

export function withTenant(command: Command): Command {
  return command.option('--tenant <name>', 'tenant of the queues and jobs', 'default')
}

export interface AttributionFlags {
  readonly reason?: string
  readonly actor?: string
}

/** Actor and reason are stored with the event. */
export function withAttribution(command: Command): Command {
  return command
    .option('--reason <text>', 'why; stored with the event')
    .option('--actor <name>', 'who did it (default: your user name)')
}

export function attributionOf({ reason, actor }: AttributionFlags): Attribution {
  return { actor: actor ?? userName(), ...(reason === undefined ? {} : { reason }) }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id without a name.
    return 'cli'
  }
}

/** Configuration keys that flags of a command set. */
export type FlagKeys = Partial<Record<ConfigKey, { readonly flag: string; readonly value: unknown }>>

export function configOf(
  { url, schema, config }: DatabaseFlags,
  { env }: CommandContext,
  extra: FlagKeys = {},
): Config {
  return loadConfig({
    env,
    file: config,
    flags: {
      ...extra,
      'database.url': { flag: '--url', value: url },
      'database.schema': { flag: '--schema', value: schema },
    },
  })
}

/** A commander parser for a whole number within bounds. Commander adds the name of the flag or argument to the error. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It must be a whole number ${range}.`)
  }
}

/**
 * A commander parser for a number or a name that stands for null, like `none`. Commander turns null into an empty string, so the name is kept until
 * `orNull`.
 */
export function numberOr<Name extends string>(name: Name, number: (text: string) => number) {
  return (text: string): number | Name => (text === name ? name : number(text))
}

export function orNull(value: number | string | undefined): number | null | undefined {
  return typeof value === 'string' ? null : value
}

/** Parses job ids, with or without the # that output shows them with. */
export function jobIds(texts: readonly string[]): number[] {
  return texts.map((text) => {
    const id = Number(/^#?(\d+)$/.exec(text)?.[1])
    if (id >= 1 && id <= Number.MAX_SAFE_INTEGER) return id
    throw usageError(
      `"${text}" is not the id of a job.`,
      'Give the number that `holdfast jobs list` shows, like 42.',
    )
  })
}

export function usageError(message: string, remedy: string): CommandError {
  return new CommandError({ code: 'usage', message, remedy, exitCode: EXIT.usage })
}

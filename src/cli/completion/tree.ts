/** What a shell can complete, read from the commands themselves: subcommands, flags, and values of flags and arguments. */
import type { Command, Option } from 'commander'
import { SCOPES } from '../../contract/endpoint.js'
import { STATES } from '../../domain/states/states.js'
import { PRESETS } from '../../presets/presets.js'

export interface Described {
  readonly name: string
  readonly description: string
}

export interface CompletedFlag extends Described {
  /** `-q` and `--queue`. */
  readonly names: readonly string[]
  /** What to complete after the flag: nothing follows, one of a list, a file, or anything. */
  readonly value: 'none' | 'file' | 'any' | readonly string[]
}

export interface CompletedCommand {
  /** The names from the program on: `holdfast jobs list`. */
  readonly path: string
  readonly subcommands: readonly Described[]
  readonly flags: readonly CompletedFlag[]
  /** Values of its arguments. */
  readonly values: readonly string[]
}

/** Values of flags that the engine checks, so that the command itself has no list of them. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--state': STATES,
  '--if-state': STATES,
  '--scope': SCOPES,
  '--preset': Object.keys(PRESETS),
}

/** The command and all below it, parents first. */
export function commandTree(command: Command, above = ''): CompletedCommand[] {
  const help = command.createHelp()
  const path = `${above}${command.name()}`
  const own = {
    path,
    subcommands: help
      .visibleCommands(command)
      .map((each) => ({ name: each.name(), description: each.description() })),
    flags: help.visibleOptions(command).map(flagOf),
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }
  return [own, ...command.commands.flatMap((each) => commandTree(each, `${path} `))]
}

function flagOf(option: Option): CompletedFlag {
  const names = [option.short, option.long].filter((name) => name !== undefined)
  return { name: names.at(-1) ?? '', names, description: option.description, value: completedValue(option) }
}

function completedValue({
  flags,
  long = '',
  argChoices,
  required,
  optional,
}: Option): CompletedFlag['value'] {
  if (!required && !optional) return 'none'
  if (/<(file|folder)>/.test(flags)) return 'file'
  return argChoices ?? VALUES[long] ?? 'any'
}

/** In single quotes, for bash and zsh; fish also accepts it unless the text has a backslash. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

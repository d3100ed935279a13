/** Turns what commander reports about a wrong command line into sentences, with a remedy that names the command. */
import type { Command } from 'commander'

export interface Usage {
  readonly message: string
  readonly remedy: string
}

/** Commander's texts, and the sentences that replace them. `--limit` is enough: the reader has typed it. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^missing required argument '(.+)'$/, 'The argument <$1> is missing.'],
  [/^required option '(?:-\w, )?(.+)' not specified$/, 'The flag $1 is required.'],
  [/^option '(?:-\w, )?(--\S+).*' argument missing$/, 'The flag $1 needs a value.'],
  [/^option '(?:-\w, )?(--\S+).*' argument '(.*)' is invalid\. (.+?)\.?$/s, '$1 cannot be "$2". $3.'],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+)'\. (.+?)\.?$/s,
    'The argument <$2> cannot be "$1". $3.',
  ],
  [/^unknown (?:option|flag) '(.+?)'$/s, 'There is no flag $1.'],
  [/^unknown command '(.+?)'$/s, 'There is no command "$1".'],
  [
    /^too many arguments(?: for '.+')?\. Expected (\d+) .* but got (\d+)\.$/,
    '$2 arguments were given; $1 fit.',
  ],
]

export function usageOf(command: Command, text: string, isSubcommandMissing: boolean): Usage {
  const name = nameOf(command)
  if (isSubcommandMissing)
    return { message: `\`${name}\` needs a command.`, remedy: `Run \`${name} --help\` to list its commands.` }
  const [, reported = '', nearest] =
    /^(?:error: )?(.*?)(?:\n\(Did you mean (?:one of )?(.+)\?\))?$/s.exec(text) ?? []
  const found = SENTENCES.find(([pattern]) => pattern.test(reported))
  const message = found === undefined ? reported : reported.replace(...found)
  return {
    message: nearest === undefined ? message : `${message} Did you mean ${nearest}?`,
    remedy:
      command.commands.length > 0
        ? `Run \`${name} --help\` to list its commands.`
        : `Write it as \`${name} ${command.usage()}\`; \`${name} --help\` lists the flags, with an example.`,
  }
}

/** As one types it: `holdfast jobs list`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}

/** The completion script for fish 3.0 and later: one line for each subcommand, flag and value. */
import { type CompletedCommand, type CompletedFlag, quoted } from './tree.js'

export function fishScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => quoted(path))
  return `# fish completion for holdfast
set -g __holdfast_paths ${paths.join(' \\\n  ')}
function __holdfast_at
  set -l at holdfast
  for name in (commandline -opc)[2..-1]
    if contains -- "$at $name" $__holdfast_paths
      set at "$at $name"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c holdfast -e
${tree.flatMap(linesOf).join('\n')}`
}

function linesOf({ path, subcommands, flags, values }: CompletedCommand): string[] {
  const start = `complete -c holdfast -n ${quoted(`__holdfast_at "${path}"`)}`
  return [
    ...subcommands.map(({ name, description }) => `${start} -f -a ${name} -d ${textOf(description)}`),
    ...(values.length === 0 ? [] : [`${start} -f -a ${quoted(values.join(' '))}`]),
    ...flags.map((flag) => `${start}${flagNames(flag)}${valuePart(flag)} -d ${textOf(flag.description)}`),
  ]
}

function flagNames({ names }: CompletedFlag): string {
  return names
    .map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`))
    .join('')
}

function valuePart({ value }: CompletedFlag): string {
  if (value === 'none') return ''
  if (value === 'file') return ' -r -F'
  return value === 'any' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`
}

/** In fish, a backslash before a quote or a backslash is an escape inside of single quotes. */
function textOf(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

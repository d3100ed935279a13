/** The completion script for zsh, with descriptions. It works as a file in \`fpath\` and when it is sourced. */
import { type CompletedCommand, type CompletedFlag, type Described, quoted } from './tree.js'

export function zshScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => quoted(path))
  return `#compdef holdfast
_holdfast() {
  local at=holdfast i
  local -a names flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${paths.join(' | \\\n      ')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${tree.flatMap(({ path, flags }) => flags.flatMap((flag) => valueCase(path, flag))).join('\n')}
  esac
  case "$at" in
${tree.map(commandCase).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o 'flag' flags
  elif (( \${#names} )); then
    _describe 'command' names
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi`
}

function valueCase(path: string, { names, value }: CompletedFlag): string[] {
  if (value === 'none') return []
  const places = names.map((name) => quoted(`${path} ${name}`)).join(' | ')
  if (value === 'file') return [`    ${places}) _files; return ;;`]
  const reply = value === 'any' ? `_message 'value'` : `compadd -- ${value.map(quoted).join(' ')}`
  return [`    ${places}) ${reply}; return ;;`]
}

function commandCase({ path, subcommands, flags, values }: CompletedCommand): string {
  const names = [...subcommands.map(described), ...values.map(quoted)]
  const all = flags.flatMap((flag) =>
    flag.names.map((name) => described({ name, description: flag.description })),
  )
  return `    ${quoted(path)})\n      names=(${names.join(' ')})\n      flags=(${all.join(' ')}) ;;`
}

/** A colon ends the name. */
function described({ name, description }: Described): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${description}`)
}

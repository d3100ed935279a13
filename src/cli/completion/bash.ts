/** The completion script for bash 3.2 and later: one function with the whole tree in `case` statements. */
import { type CompletedCommand, type CompletedFlag, quoted } from './tree.js'

export function bashScript(tree: readonly CompletedCommand[]): string {
  const paths = tree.slice(1).map(({ path }) => quoted(path))
  return `# bash completion for holdfast
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at=holdfast names='' flags='' i
  # bash takes --flag=value apart.
  if [[ $current == '=' ]]; then current=''; elif [[ $previous == '=' ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${paths.join(' | \\\n      ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $previous" in
${tree.flatMap(({ path, flags }) => flags.flatMap((flag) => valueCase(path, flag))).join('\n')}
  esac
  case "$at" in
${tree.map(commandCase).join('\n')}
  esac
  if [[ $current == -* ]]; then names=$flags; fi
  COMPREPLY=($(compgen -W "$names" -- "$current"))
}
complete -o default -F _holdfast holdfast`
}

function valueCase(path: string, { names, value }: CompletedFlag): string[] {
  if (value === 'none') return []
  const places = names.map((name) => quoted(`${path} ${name}`)).join(' | ')
  // Without names of its own, bash completes files.
  if (value === 'file') return [`    ${places}) return ;;`]
  const reply =
    value === 'any'
      ? 'compopt +o default 2>/dev/null'
      : `COMPREPLY=($(compgen -W ${quoted(value.join(' '))} -- "$current"))`
  return [`    ${places}) ${reply}; return ;;`]
}

function commandCase({ path, subcommands, flags, values }: CompletedCommand): string {
  const names = [...subcommands.map(({ name }) => name), ...values]
  const all = flags.flatMap((flag) => flag.names)
  return `    ${quoted(path)}) names=${quoted(names.join(' '))} flags=${quoted(all.join(' '))} ;;`
}

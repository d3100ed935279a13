/** `holdfast completion`: prints a script with which a shell completes commands, flags and values. */
import { Argument, Command } from 'commander'
import { withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { bashScript } from './bash.js'
import { fishScript } from './fish.js'
import { type CompletedCommand, commandTree } from './tree.js'
import { zshScript } from './zsh.js'

const SCRIPTS: Readonly<Record<string, (tree: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** The program must hold every command: the script is made from all of them. */
export function completionCommand({ terminal }: CommandContext): Command {
  const command = new Command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .option('--json', 'print JSON: every command with its flags')
  return withExamples(
    command,
    'holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast',
    'holdfast completion zsh > ~/.zfunc/_holdfast',
    'holdfast completion fish > ~/.config/fish/completions/holdfast.fish',
  ).action((shell: string, { json }: { json?: boolean }) => {
    const tree = commandTree(command.parent ?? command)
    const script = SCRIPTS[shell]?.(tree) ?? ''
    terminal.out(json ? JSON.stringify({ shell, commands: tree, script }) : script)
  })
}

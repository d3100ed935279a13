/** `holdfast jobs`: the commands that show jobs and change them. */
import { Command } from 'commander'
import type { CommandContext } from '../program.js'
import { jobCommands } from './commands.js'
import { explainCommand } from './explain.js'
import { historyCommand } from './history.js'
import { listCommand } from './list.js'
import { priorityCommands } from './priority.js'
import { showCommand } from './show.js'
import { tailCommand } from './tail.js'

export function jobsCommand(context: CommandContext): Command {
  const command = new Command('jobs').description('list, explain, retry, cancel and follow jobs')
  const readers = [listCommand, showCommand, explainCommand, historyCommand, tailCommand]
  for (const reader of readers) command.addCommand(reader(context))
  for (const change of [...jobCommands(context), ...priorityCommands(context)]) command.addCommand(change)
  return command
}

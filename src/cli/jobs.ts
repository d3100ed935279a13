/** `holdfast jobs`: look at jobs, and do to them what an operator may. Each command is in the file of its name. */
import { Command } from 'commander'
import { actCommands } from './jobs/act.js'
import { explainCommand } from './jobs/explain.js'
import { listCommand } from './jobs/list.js'
import { priorityCommands } from './jobs/priority.js'
import { reportCommand } from './jobs/report.js'
import { showCommand } from './jobs/show.js'
import { tailCommand } from './jobs/tail.js'
import type { Context } from './program.js'

export function jobsCommand(context: Context): Command {
  const command = new Command('jobs').description('list, explain, retry, cancel and follow jobs')
  const looks = [listCommand, showCommand, explainCommand, reportCommand, tailCommand]
  for (const look of looks) command.addCommand(look(context))
  for (const act of [...actCommands(context), ...priorityCommands(context)]) command.addCommand(act)
  return command
}

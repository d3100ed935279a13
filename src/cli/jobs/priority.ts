/** `holdfast jobs priority` and `boost`: change the priority of jobs. */
import type { Command } from 'commander'
import {
  type AttributionFlags,
  consoleCommand,
  type DatabaseFlags,
  wholeNumber,
  withAttribution,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { runOnAll } from './commands.js'

export function priorityCommands(context: CommandContext): Command[] {
  const priority = consoleCommand(
    'priority',
    'set the priority of jobs, 0 to 100',
    'holdfast jobs priority 90 42 43',
  )
    .argument('<priority>', '0 to 100; higher goes first', wholeNumber(0, 100))
    .argument('<ids...>', 'ids of the jobs')
    .action((value: number, ids: string[], flags: DatabaseFlags & AttributionFlags) =>
      runOnAll(
        ids,
        async (console, id, act) => {
          await console.commands.setPriority(id, value, act)
          return { facts: { priority: value }, sentence: `has priority ${value}` }
        },
        flags,
        context,
      ),
    )
  const boost = consoleCommand('boost', 'raise the priority of jobs', 'holdfast jobs boost 42 --by 20')
    .argument('<ids...>', 'ids of the jobs')
    .option('--by <n>', 'how much; the priority stays at most 100', wholeNumber(1, 100), 10)
    .action((ids: string[], flags: DatabaseFlags & AttributionFlags & { by: number }) =>
      runOnAll(
        ids,
        async (console, id, act) => {
          const value = await console.commands.boost(id, flags.by, act)
          return { facts: { priority: value }, sentence: `has priority ${value}` }
        },
        flags,
        context,
      ),
    )
  return [withAttribution(priority), withAttribution(boost)]
}

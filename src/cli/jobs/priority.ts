/** `holdfast jobs priority` and `boost`: who goes first. */
import type { Command } from 'commander'
import { type ActFlags, type DatabaseFlags, eitherCommand, wholeNumber, withAct } from '../flags.js'
import type { Context } from '../program.js'
import { actOnAll } from './act.js'

export function priorityCommands(context: Context): Command[] {
  const priority = eitherCommand(
    'priority',
    'set the priority of jobs, 0 to 100',
    'holdfast jobs priority 90 42 43',
  )
    .argument('<priority>', '0 to 100; higher goes first', wholeNumber(0, 100))
    .argument('<ids...>', 'the jobs')
    .action((value: number, ids: string[], flags: DatabaseFlags & ActFlags) =>
      actOnAll(
        ids,
        async (store, id, act) => {
          await store.operate.setPriority(id, value, act)
          return { facts: { priority: value }, sentence: `has priority ${value}` }
        },
        flags,
        context,
      ),
    )
  const boost = eitherCommand('boost', 'raise the priority of jobs', 'holdfast jobs boost 42 --by 20')
    .argument('<ids...>', 'the jobs')
    .option('--by <n>', 'how much, up to 100 in all', wholeNumber(1, 100), 10)
    .action((ids: string[], flags: DatabaseFlags & ActFlags & { by: number }) =>
      actOnAll(
        ids,
        async (store, id, act) => {
          const value = await store.operate.boost(id, flags.by, act)
          return { facts: { priority: value }, sentence: `has priority ${value}` }
        },
        flags,
        context,
      ),
    )
  return [withAct(priority), withAct(boost)]
}

/** `holdfast upkeep`: lists background chores with their last results, and runs one now. */
import { Command } from 'commander'
import type { ChoreStatus } from '../../domain/chores.js'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags } from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, many, span } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

export function upkeepCommand(context: CommandContext): Command {
  const command = new Command('upkeep').description('list background chores, and run one now')
  command.addCommand(
    consoleCommand('list', 'list chores with interval, last run and result', 'holdfast upkeep list').action(
      (flags: DatabaseFlags) => list(flags, context),
    ),
    { isDefault: true },
  )
  command.addCommand(
    consoleCommand('run', 'run one pass of a chore now', 'holdfast upkeep run prune')
      .argument('<name>', 'name of the chore')
      .action((name: string, flags: DatabaseFlags) => runOne(name, flags, context)),
  )
  return command
}

async function list(flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const rows = await console.upkeep.list()
    if (flags.json) return terminal.out(JSON.stringify({ chores: rows }))
    if (rows.length === 0) return terminal.out('No process does upkeep: start a worker or a server.')
    const { red, dim } = terminal.paint
    printTable(terminal, rows, [
      { title: 'chore', value: ({ name }) => name },
      { title: 'every', value: ({ everyMs }) => span(everyMs), right: true },
      { title: 'last', value: ({ lastRunAt }) => ago(lastRunAt) || 'never', right: true },
      {
        title: 'took',
        value: ({ durationMs }) => (durationMs === null ? '' : span(durationMs)),
        right: true,
      },
      { title: 'rows', value: ({ rows: count }) => (count === null ? '' : String(count)), right: true },
      { title: 'next', value: ({ nextDueAt }) => ago(nextDueAt), right: true },
      {
        title: '',
        value: (chore) => chore.error ?? chore.of,
        shrinks: true,
        paint: (text, { error }) => (error === null ? dim(text) : red(text)),
      },
    ])
    for (const chore of rows.filter(({ error }) => error !== null)) terminal.out(red(failureText(chore)))
  })
}

function failureText({ name, error, failedAt, failures, node }: ChoreStatus): string {
  return `${name} failed ${ago(failedAt)} on ${node} (${many(failures, 'failure')} so far): ${error}`
}

async function runOne(name: string, flags: DatabaseFlags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const pass = await console.upkeep.run(name)
    if (flags.json) return context.terminal.out(JSON.stringify(pass))
    const more = pass.more ? '; there is more to do' : ''
    const summary = pass.rows === 0 ? 'nothing to do' : many(pass.rows, 'row')
    context.terminal.out(`${name}: ${summary}, in ${span(pass.durationMs)}${more}.`)
  })
}

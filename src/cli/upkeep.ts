/** `holdfast upkeep`: what the system does by itself, how that went, and having it done now. */
import { Command } from 'commander'
import { ChoreDesk } from '../app/chores/desk.js'
import { Client } from '../client/client.js'
import type { ChoreStatus, Chores } from '../domain/chores.js'
import { withDatabase } from './connect.js'
import { type DatabaseFlags, eitherCommand, serverOf } from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { ago, many, span } from './words.js'

export function upkeepCommand(context: Context): Command {
  const command = new Command('upkeep').description('what the system does by itself, and how that goes')
  command.addCommand(
    eitherCommand(
      'list',
      'every chore: how often, when last, with what result',
      'holdfast upkeep list',
    ).action((flags: DatabaseFlags) => list(flags, context)),
    { isDefault: true },
  )
  command.addCommand(
    eitherCommand('run', 'one pass of a chore, now', 'holdfast upkeep run prune')
      .argument('<name>', 'the chore')
      .action((name: string, flags: DatabaseFlags) => runOne(name, flags, context)),
  )
  return command
}

/** The chores of a database, done by this very process, or those of a server. */
async function withChores(
  flags: DatabaseFlags,
  context: Context,
  work: (chores: Chores) => Promise<void>,
): Promise<void> {
  const server = serverOf(flags, context)
  if (server === undefined)
    return withDatabase(flags, context, ({ store, config }) =>
      work(new ChoreDesk(store, config.localSettings())),
    )
  return work(new Client(server).upkeep)
}

async function list(flags: DatabaseFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withChores(flags, context, async (chores) => {
    const rows = await chores.list()
    if (flags.json) return terminal.out(JSON.stringify({ chores: rows }))
    if (rows.length === 0) return terminal.out('Nobody does any upkeep: start a worker or a server.')
    const { red, dim } = terminal.paint
    printTable(terminal, rows, [
      { title: 'chore', of: ({ name }) => name },
      { title: 'every', of: ({ everyMs }) => span(everyMs), right: true },
      { title: 'last', of: ({ lastRunAt }) => ago(lastRunAt) || 'never', right: true },
      { title: 'took', of: ({ durationMs }) => (durationMs === null ? '' : span(durationMs)), right: true },
      { title: 'rows', of: ({ rows: did }) => (did === null ? '' : String(did)), right: true },
      { title: 'next', of: ({ nextDueAt }) => ago(nextDueAt), right: true },
      {
        title: '',
        of: (chore) => chore.error ?? chore.of,
        gives: true,
        paint: (text, { error }) => (error === null ? dim(text) : red(text)),
      },
    ])
    for (const chore of rows.filter(({ error }) => error !== null)) terminal.out(red(failureText(chore)))
  })
}

function failureText({ name, error, failedAt, failures, node }: ChoreStatus): string {
  return `${name} failed ${ago(failedAt)} on ${node} (${many(failures, 'failure')} so far): ${error}`
}

async function runOne(name: string, flags: DatabaseFlags, context: Context): Promise<void> {
  await withChores(flags, context, async (chores) => {
    const done = await chores.run(name)
    if (flags.json) return context.terminal.out(JSON.stringify(done))
    const more = done.more ? '; there is more to do' : ''
    const did = done.rows === 0 ? 'nothing to do' : many(done.rows, 'row')
    context.terminal.out(`${name}: ${did}, in ${span(done.durationMs)}${more}.`)
  })
}

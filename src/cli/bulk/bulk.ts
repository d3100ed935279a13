/** `holdfast bulk`: one command for every job that a search finds. run-bulk.ts starts and watches an operation. */
import { Command } from 'commander'
import { BULK_COMMANDS, type BulkCommand } from '../../domain/bulk.js'
import { withConsole } from '../console/connect.js'
import type { ShownBulk } from '../console/console.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  wholeNumber,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, many, moment } from '../terminal/format.js'
import { type Column, printFacts, printTable } from '../terminal/table.js'
import { type RunFlags, runBulk } from './run-bulk.js'

type Flags = DatabaseFlags & AttributionFlags & TenantFlag

const DOES: Readonly<Record<BulkCommand, string>> = {
  retry: 'run all ended jobs that match again, and delayed ones now',
  cancel: 'cancel all jobs that match',
  resume: 'resume all paused, errored and parked jobs that match',
  boost: 'raise the priority of all jobs that match',
  discard: 'fail all jobs that match and would be retried',
  skip: 'skip all jobs that match and block or wait for their target',
  priority: 'set the priority of all jobs that match',
}

const id = wholeNumber(1)

const COLUMNS: readonly Column<ShownBulk>[] = [
  { title: 'id', value: (row) => String(row.id), right: true },
  { title: 'command', value: (row) => row.command },
  { title: 'is', value: (row) => row.state },
  { title: 'matched', value: (row) => String(row.matched), right: true },
  { title: 'done', value: (row) => String(row.done), right: true },
  { title: 'refused', value: (row) => String(row.failed), right: true },
  { title: 'by', value: (row) => row.createdBy ?? '' },
  { title: 'started', value: (row) => ago(row.createdAt) },
  { title: 'search', value: (row) => row.q, shrinks: true },
]

export function bulkCommand(context: CommandContext): Command {
  const command = new Command('bulk').description('change every job that a search finds')
  for (const name of BULK_COMMANDS) command.addCommand(changes(name, context))
  command.addCommand(
    withTenant(consoleCommand('list', 'list bulk operations, newest first', 'holdfast bulk list'))
      .option('--limit <n>', 'most rows to show', wholeNumber(1, 500), 20)
      .action((flags: Flags & { limit: number }) => list(flags, context)),
    { isDefault: true },
  )
  command.addCommand(
    consoleCommand('show', 'show an operation and the jobs that refused', 'holdfast bulk show 3')
      .argument('<id>', 'id of the operation', id)
      .option('--limit <n>', 'most refusals to show', wholeNumber(1, 500), 20)
      .action((operation: number, flags: Flags & { limit: number }) => show(operation, flags, context)),
  )
  command.addCommand(
    withAttribution(consoleCommand('abort', 'abort an operation', 'holdfast bulk abort 3'))
      .argument('<id>', 'id of the operation', id)
      .action((operation: number, flags: Flags) => abort(operation, flags, context)),
  )
  return command
}

function changes(name: BulkCommand, context: CommandContext): Command {
  const example = `holdfast bulk ${name} --search 'state:failed kind:charge'${name === 'priority' ? ' --to 90' : ''}`
  const command = withAttribution(withTenant(consoleCommand(name, DOES[name], example)))
    .requiredOption('--search <text>', 'which jobs, as in `jobs list --search`')
    .option('--yes', 'do not ask')
  if (name === 'boost')
    command.option('--by <n>', 'by how much, up to a priority of 100', wholeNumber(1, 100), 10)
  if (name === 'priority') command.requiredOption('--to <n>', 'the new priority', wholeNumber(0, 100))
  return command.action((flags: RunFlags) => runBulk(name, flags, context))
}

async function list(flags: Flags & { limit: number }, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const operations = await console.bulk.list({ tenant: flags.tenant, limit: flags.limit })
    if (flags.json) context.terminal.out(JSON.stringify({ operations }))
    else if (operations.length === 0) context.terminal.out('There are no bulk operations.')
    else printTable(context.terminal, operations, COLUMNS)
  })
}

async function show(
  operationId: number,
  flags: Flags & { limit: number },
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const operation = await console.bulk.get(operationId)
    const refusals = await console.bulk.results(operationId, { ok: false, limit: flags.limit })
    if (flags.json) {
      terminal.out(JSON.stringify({ operation, refusals }))
      return
    }
    printFacts(terminal, factsOf(operation))
    if (refusals.length === 0) return
    terminal.out('')
    printTable(terminal, refusals, [
      { title: 'job', value: ({ jobId }) => String(jobId), right: true },
      { title: 'is', value: ({ state }) => state ?? '' },
      { title: 'refused', value: ({ code }) => code ?? '' },
      { title: 'because', value: ({ detail }) => detail ?? '', shrinks: true },
    ])
  })
}

function factsOf(operation: ShownBulk): [string, string | null][] {
  const { expected, expectedCapped } = operation
  const total = expected === null ? '' : ` of ${expected}${expectedCapped ? ' and more' : ''}`
  return [
    ['operation', `${operation.id}, ${operation.command}`],
    ['search', operation.q],
    ['state', operation.state + (operation.limitReached ? ', ended at its limit; more jobs may match' : '')],
    ['matched', `${operation.matched}${total}`],
    ['done', String(operation.done)],
    ['refused', String(operation.failed)],
    ['started', `${moment(operation.createdAt)}${operation.createdBy ? ` by ${operation.createdBy}` : ''}`],
    ['reason', operation.reason],
    ['ended', moment(operation.endedAt)],
    ['aborted', operation.abortedBy && `by ${operation.abortedBy}. ${operation.abortReason ?? ''}`.trim()],
    ['error', operation.error],
  ]
}

async function abort(operationId: number, flags: Flags, context: CommandContext): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const operation = await console.bulk.abort(operationId, attributionOf(flags))
    if (flags.json) context.terminal.out(JSON.stringify({ operation }))
    else
      context.terminal.out(
        `Aborted bulk operation ${operationId}. ${many(operation.done, 'job')} had been changed before.`,
      )
  })
}

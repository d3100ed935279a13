/** `holdfast items`: exports the items that jobs have reported. */
import { Command, Option } from 'commander'
import { given } from '../../json/given.js'
import type { ItemFormat } from '../../store/export-items.js'
import { withConsole } from '../console/connect.js'
import {
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  usageError,
  wholeNumber,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly collection?: string
  readonly job?: number
  readonly format: ItemFormat
}

export function itemsCommand(context: CommandContext): Command {
  const command = new Command('items').description('export the items that jobs have reported')
  const export_ = consoleCommand(
    'export',
    'write the items of a job or a queue to stdout',
    'holdfast items export --queue leads --format csv > leads.csv',
    'holdfast items export --job 7 --json',
  )
    .option('-q, --queue <name>', 'items of this queue')
    .option('--collection <name>', 'collection of the queue (default: the name of the queue)')
    .option('--job <id>', 'items of this job', wholeNumber(1))
    .addOption(
      new Option('--format <format>', 'file format; --json means json')
        .choices(['json', 'csv'])
        .default('json'),
    )
  command.addCommand(withTenant(export_).action((flags: Flags) => exportAll(flags, context)))
  return command
}

async function exportAll(flags: Flags, context: CommandContext): Promise<void> {
  const { queue, collection, job, tenant, json } = flags
  if ((queue === undefined) === (job === undefined))
    throw usageError(
      queue === undefined ? 'No queue or job is given.' : '--queue and --job exclude each other.',
      'Give either --queue or --job.',
    )
  const where =
    job === undefined ? { queue: queue as string, tenant, ...given({ collection }) } : { jobId: job }
  await withConsole(flags, context, async ({ console }) => {
    for await (const piece of console.read.exportItems(where, json ? 'json' : flags.format)) {
      if (context.signal.aborted) return
      await context.terminal.write(piece)
    }
  })
}

/** `holdfast items`: what jobs have found, as a file. */
import { Command, Option } from 'commander'
import { given } from '../domain/given.js'
import type { ItemFormat } from '../store/export-items.js'
import { withStore } from './connect.js'
import {
  type DatabaseFlags,
  eitherCommand,
  type TenantFlag,
  usageError,
  wholeNumber,
  withTenant,
} from './flags.js'
import type { Context } from './program.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly collection?: string
  readonly job?: number
  readonly format: ItemFormat
}

export function itemsCommand(context: Context): Command {
  const command = new Command('items').description('what jobs have found')
  const export_ = eitherCommand(
    'export',
    'items of a job, or of a queue, as a file on stdout',
    'holdfast items export --queue leads --format csv > leads.csv',
    'holdfast items export --job 7 --json',
  )
    .option('-q, --queue <name>', 'of this queue')
    .option('--collection <name>', 'of this collection of the queue (default: named like it)')
    .option('--job <id>', 'of this job', wholeNumber(1))
    .addOption(
      new Option('--format <format>', 'of the file; --json is json').choices(['json', 'csv']).default('json'),
    )
  command.addCommand(withTenant(export_).action((flags: Flags) => exportAll(flags, context)))
  return command
}

async function exportAll(flags: Flags, context: Context): Promise<void> {
  const { queue, collection, job, tenant, json } = flags
  if ((queue === undefined) === (job === undefined))
    throw usageError('Whose items?', 'Name either a queue with --queue or a job with --job.')
  const where =
    job === undefined ? { queue: queue as string, tenant, ...given({ collection }) } : { jobId: job }
  await withStore(flags, context, async ({ store }) => {
    for await (const piece of store.read.exportItems(where, json ? 'json' : flags.format)) {
      if (context.signal.aborted) return
      await context.terminal.write(piece)
    }
  })
}

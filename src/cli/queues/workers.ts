/** `holdfast workers`: lists workers by their heartbeats, and drains one. */
import { Command } from 'commander'
import { withConsole } from '../console/connect.js'
import type { ShownWorker } from '../console/console.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  withAttribution,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, span } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

type Flags = DatabaseFlags & { readonly tenant?: string }

export function workersCommand(context: CommandContext): Command {
  const command = new Command('workers').description('list and drain workers')
  command.addCommand(
    consoleCommand('list', 'list workers with load and last heartbeat', 'holdfast workers list')
      .option('--tenant <name>', 'only of this tenant')
      .action((flags: Flags) => list(flags, context)),
    { isDefault: true },
  )
  const drain = consoleCommand(
    'drain',
    'let a worker finish its jobs and stop',
    'holdfast workers drain web-1-4711 --reason "new version"',
  )
  command.addCommand(
    withAttribution(drain)
      .argument('<worker>', 'name of the worker')
      .action((worker: string, flags: DatabaseFlags & AttributionFlags) =>
        drainWorker(worker, flags, context),
      ),
  )
  return command
}

async function list(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const workers = await console.workers.list(flags.tenant === undefined ? {} : { tenant: flags.tenant })
    if (flags.json) return terminal.out(JSON.stringify({ workers }))
    if (workers.length === 0) return terminal.out('No worker: start one with `holdfast worker <module>`.')
    const { green, red, yellow } = terminal.paint
    const tint = { working: green, idle: green, draining: yellow, silent: red }
    printTable(terminal, workers, [
      { title: 'worker', value: ({ worker }) => worker },
      { title: 'is', value: stateOf, paint: (text, row) => tint[stateOf(row)](text) },
      { title: 'busy', value: ({ busy, slots }) => `${busy}/${slots}`, right: true },
      { title: 'lag', value: ({ lagMs }) => span(lagMs), right: true },
      { title: 'heartbeat', value: ({ heartbeatAt }) => ago(heartbeatAt), right: true },
      { title: 'queues', value: ({ queues }) => queues.join(' '), shrinks: true },
    ])
  })
}

export function stateOf({
  alive,
  draining,
  drainRequestedAt,
  busy,
}: ShownWorker): 'working' | 'idle' | 'draining' | 'silent' {
  if (!alive) return 'silent'
  if (draining || drainRequestedAt !== null) return 'draining'
  return busy > 0 ? 'working' : 'idle'
}

async function drainWorker(
  worker: string,
  flags: DatabaseFlags & AttributionFlags,
  context: CommandContext,
): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const requested = await console.workers.drain(worker, attributionOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ worker, requested }))
    context.terminal.out(requested ? `${worker} will drain.` : `${worker} is draining already.`)
  })
}

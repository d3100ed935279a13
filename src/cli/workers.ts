/** `holdfast workers`: who works here, as they say themselves; and asking one to drain. */
import { Command } from 'commander'
import type { WorkerSeen } from '../store/fleet.js'
import { withStore } from './connect.js'
import { type ActFlags, actOf, type DatabaseFlags, eitherCommand, withAct } from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { ago, span } from './words.js'

type Flags = DatabaseFlags & { readonly tenant?: string }

export function workersCommand(context: Context): Command {
  const command = new Command('workers').description('who works here; ask one to stop when it is done')
  command.addCommand(
    eitherCommand(
      'list',
      'workers with what they do and when they were last heard of',
      'holdfast workers list',
    )
      .option('--tenant <name>', 'only of this tenant')
      .action((flags: Flags) => list(flags, context)),
    { isDefault: true },
  )
  const drain = eitherCommand(
    'drain',
    'ask a worker to take no more jobs, end those it has, and go',
    'holdfast workers drain web-1-4711 --reason "new version"',
  )
  command.addCommand(
    withAct(drain)
      .argument('<worker>', 'its name')
      .action((worker: string, flags: DatabaseFlags & ActFlags) => drainOne(worker, flags, context)),
  )
  return command
}

async function list(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const workers = await store.workers.list(flags.tenant === undefined ? {} : { tenant: flags.tenant })
    if (flags.json) return terminal.out(JSON.stringify({ workers }))
    if (workers.length === 0) return terminal.out('No worker: start one with `holdfast worker <module>`.')
    const { green, red, yellow } = terminal.paint
    const tint = { working: green, idle: green, draining: yellow, silent: red }
    printTable(terminal, workers, [
      { title: 'worker', of: ({ worker }) => worker },
      { title: 'is', of: stateOf, paint: (text, row) => tint[stateOf(row)](text) },
      { title: 'busy', of: ({ busy, slots }) => `${busy}/${slots}`, right: true },
      { title: 'lag', of: ({ lagMs }) => span(lagMs), right: true },
      { title: 'heard', of: ({ heardAt }) => ago(heardAt), right: true },
      { title: 'queues', of: ({ queues }) => queues.join(' '), gives: true },
    ])
  })
}

function stateOf({
  alive,
  draining,
  drainAskedAt,
  busy,
}: WorkerSeen): 'working' | 'idle' | 'draining' | 'silent' {
  if (!alive) return 'silent'
  if (draining || drainAskedAt !== null) return 'draining'
  return busy > 0 ? 'working' : 'idle'
}

async function drainOne(worker: string, flags: DatabaseFlags & ActFlags, context: Context): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const asked = await store.workers.drain(worker, actOf(flags))
    if (flags.json) return context.terminal.out(JSON.stringify({ worker, asked }))
    context.terminal.out(asked ? `${worker} is asked to drain.` : `${worker} was asked already.`)
  })
}

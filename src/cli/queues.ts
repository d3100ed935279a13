/** `holdfast queues`: what is in each queue, and pausing one. */
import { Command } from 'commander'
import { COUNTED_AT_MOST, type QueueCounts } from '../store/listing.js'
import type { Queue } from '../store/queues.js'
import type { Store } from '../store/store.js'
import { withStore } from './connect.js'
import {
  type ActFlags,
  actOf,
  type DatabaseFlags,
  eitherCommand,
  type TenantFlag,
  withAct,
  withTenant,
} from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { ago } from './words.js'

type Flags = DatabaseFlags & TenantFlag

export function queuesCommand(context: Context): Command {
  const command = new Command('queues').description('what is in each queue; pause and resume one')
  const list = eitherCommand('list', 'queues with how many jobs are where', 'holdfast queues list')
  command.addCommand(withTenant(list).action((flags: Flags) => listQueues(flags, context)))
  for (const name of ['pause', 'resume'] as const) {
    const does = name === 'pause' ? 'give out no more jobs of a queue' : 'let a paused queue go on'
    const change = eitherCommand(name, does, `holdfast queues ${name} mail --reason "the provider is down"`)
    command.addCommand(
      withAct(withTenant(change))
        .argument('<queue>', 'its name')
        .action((queue: string, flags: Flags & ActFlags) => flip(name, queue, flags, context)),
    )
  }
  return command
}

async function listQueues(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const rows = await countedQueues(store, flags.tenant)
    if (flags.json) return terminal.out(JSON.stringify({ queues: rows, countedAtMost: COUNTED_AT_MOST }))
    if (rows.length === 0) return terminal.out('No queues yet: the first job makes its queue.')
    const { red, yellow } = terminal.paint
    const number = (name: Exclude<keyof QueueCounts, 'queueId'>) => ({
      title: name,
      of: (row: QueueCounts) => counted(row[name]),
      right: true,
    })
    printTable(terminal, rows, [
      { title: 'queue', of: ({ name }) => name },
      { title: 'preset', of: ({ preset }) => preset },
      number('queued'),
      number('running'),
      number('delayed'),
      number('waiting'),
      { ...number('blocked'), paint: (text, { blocked }) => (blocked > 0 ? red(text) : text) },
      { title: '', of: ({ pausedAt }) => (pausedAt === null ? '' : 'paused'), paint: yellow },
    ])
    for (const queue of rows) if (queue.pausedAt !== null) terminal.out(yellow(pausedText(queue)))
  })
}

type CountedQueue = Queue & QueueCounts

async function countedQueues(store: Store, tenant: string): Promise<CountedQueue[]> {
  const [queues, counts] = await Promise.all([store.queues.list({ tenant }), store.list.queueCounts(tenant)])
  const byId = new Map(counts.map((count) => [count.queueId, count]))
  // One made between the two looks has nothing in it that we know of.
  return queues.flatMap((queue) => {
    const count = byId.get(queue.id)
    return count === undefined ? [] : [{ ...queue, ...count }]
  })
}

const counted = (n: number): string => (n === 0 ? '·' : n >= COUNTED_AT_MOST ? `${n}+` : String(n))

function pausedText({ name, pausedAt, pausedBy, pauseReason }: Queue): string {
  const who = pausedBy === null ? '' : ` by ${pausedBy}`
  return `${name} was paused ${ago(pausedAt)}${who}${pauseReason === null ? '' : `: ${pauseReason}`}`
}

async function flip(
  verb: 'pause' | 'resume',
  queue: string,
  flags: Flags & ActFlags,
  context: Context,
): Promise<void> {
  await withStore(flags, context, async ({ store }) => {
    const changed = await store.queues[verb](queue, { ...actOf(flags), tenant: flags.tenant })
    const paused = verb === 'pause'
    if (flags.json) return context.terminal.out(JSON.stringify({ queue, paused, changed }))
    const state = paused ? 'paused' : 'not paused'
    context.terminal.out(changed ? `Queue ${queue} is ${state} now.` : `Queue ${queue} was ${state} already.`)
  })
}

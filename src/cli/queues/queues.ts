/** `holdfast queues`: lists queues with their job counts, and pauses or resumes one. change.ts has what changes a queue itself. */
import { Command } from 'commander'
import { COUNT_MAX, type CountedPlace, type QueueCounts } from '../../store/list/listing.js'
import type { Queue } from '../../store/queues.js'
import { withConsole } from '../console/connect.js'
import type { Console } from '../console/console.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'
import { queueChangeCommands } from './change.js'

type Flags = DatabaseFlags & TenantFlag

export function queuesCommand(context: CommandContext): Command {
  const command = new Command('queues').description('list, create, change, pause and remove queues')
  const list = consoleCommand('list', 'list queues with their job counts', 'holdfast queues list')
  command.addCommand(withTenant(list).action((flags: Flags) => listQueues(flags, context)))
  for (const name of ['pause', 'resume'] as const) {
    const does = name === 'pause' ? 'stop claiming from a queue' : 'resume a paused queue'
    const change = consoleCommand(name, does, `holdfast queues ${name} mail --reason "the provider is down"`)
    command.addCommand(
      withAttribution(withTenant(change))
        .argument('<queue>', 'name of the queue')
        .action((queue: string, flags: Flags & AttributionFlags) => flip(name, queue, flags, context)),
    )
  }
  for (const change of queueChangeCommands(context)) command.addCommand(change)
  return command
}

async function listQueues(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const rows = await countedQueues(console, flags.tenant)
    if (flags.json) return terminal.out(JSON.stringify({ queues: rows, countedMax: COUNT_MAX }))
    if (rows.length === 0) return terminal.out('No queues yet: the first job creates its queue.')
    const { red, yellow } = terminal.paint
    const number = (name: CountedPlace) => ({
      title: name,
      value: (row: QueueCounts) => counted(row[name], row.capped.includes(name)),
      right: true,
    })
    printTable(terminal, rows, [
      { title: 'queue', value: ({ name }) => name },
      { title: 'preset', value: ({ preset }) => preset },
      number('queued'),
      number('running'),
      number('delayed'),
      number('waiting'),
      { ...number('blocked'), paint: (text, { blocked }) => (blocked > 0 ? red(text) : text) },
      { title: '', value: ({ pausedAt }) => (pausedAt === null ? '' : 'paused'), paint: yellow },
    ])
    for (const queue of rows) if (queue.pausedAt !== null) terminal.out(yellow(pausedText(queue)))
  })
}

type CountedQueue = Queue & QueueCounts

async function countedQueues(console: Console, tenant: string): Promise<CountedQueue[]> {
  const [queues, counts] = await Promise.all([
    console.queues.list({ tenant }),
    console.list.queueCounts(tenant),
  ])
  const byId = new Map(counts.map((count) => [count.queueId, count]))
  // A queue created between the two queries has no counts.
  return queues.flatMap((queue) => {
    const count = byId.get(queue.id)
    return count === undefined ? [] : [{ ...queue, ...count }]
  })
}

const counted = (n: number, capped: boolean): string => (capped ? `${n}+` : n === 0 ? '·' : String(n))

function pausedText({ name, pausedAt, pausedBy, pauseReason }: Queue): string {
  const by = pausedBy === null ? '' : ` by ${pausedBy}`
  return `${name} was paused ${ago(pausedAt)}${by}${pauseReason === null ? '' : `: ${pauseReason}`}`
}

async function flip(
  verb: 'pause' | 'resume',
  queue: string,
  flags: Flags & AttributionFlags,
  context: CommandContext,
): Promise<void> {
  await withConsole(flags, context, async ({ console }) => {
    const changed = await console.queues[verb](queue, { ...attributionOf(flags), tenant: flags.tenant })
    const paused = verb === 'pause'
    if (flags.json) return context.terminal.out(JSON.stringify({ queue, paused, changed }))
    const state = paused ? 'paused' : 'not paused'
    context.terminal.out(changed ? `Queue ${queue} is ${state} now.` : `Queue ${queue} was ${state} already.`)
  })
}

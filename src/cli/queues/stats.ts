/** `holdfast stats`: shows depth, failures, retries and waits of queues over the last 15 minutes, hour or day. */
import { type Command, Option } from 'commander'
import { COUNT_MAX } from '../../store/list/listing.js'
import { type QueueStats, WINDOWS } from '../../store/stats.js'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags, type TenantFlag, withTenant } from '../flags.js'
import type { CommandContext } from '../program.js'
import { span } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

type WindowName = keyof typeof WINDOWS

interface Flags extends DatabaseFlags, TenantFlag {
  readonly window: WindowName
}

export function statsCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'stats',
    'show depth, failures, retries and waits of queues',
    'holdfast stats',
    'holdfast stats --window 24h',
  )
  return withTenant(command)
    .addOption(
      new Option('--window <span>', 'period')
        .choices(Object.keys(WINDOWS))
        .default('1h' satisfies WindowName),
    )
    .action((flags: Flags) => stats(flags, context))
}

async function stats(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const queues = await console.stats.byQueue({ tenant: flags.tenant })
    if (flags.json) return terminal.out(JSON.stringify({ queues }))
    if (queues.length === 0) return terminal.out('No queues yet: the first job creates its queue.')
    const count = (name: 'enqueued' | 'started' | 'succeeded' | 'failed') => ({
      title: name,
      value: (row: QueueStats) => counted(row.windows[flags.window]?.[name] ?? 0),
      right: true,
    })
    printTable(terminal, queues, [
      { title: 'queue', value: ({ queue }) => queue, shrinks: true },
      { title: 'depth', value: (row) => `${counted(row.depth)}${isCapped(row) ? '+' : ''}`, right: true },
      count('enqueued'),
      count('started'),
      count('succeeded'),
      {
        ...count('failed'),
        paint: (text, row) => (failedSome(row, flags.window) ? terminal.paint.red(text) : text),
      },
      { title: 'failed %', value: (row) => percent(row.windows[flags.window]?.failedRate), right: true },
      {
        title: 'retries ok',
        value: (row) => percent(row.windows[flags.window]?.retrySuccessRate),
        right: true,
      },
      { title: 'wait', value: (row) => average(row.windows[flags.window]?.averageWaitMs), right: true },
    ])
    for (const { queue, priorities } of queues.filter(({ depth }) => depth > 0))
      terminal.out(terminal.paint.dim(`${queue} by priority: ${histogram(priorities)}`))
  })
}

const failedSome = ({ windows }: QueueStats, window: WindowName) => (windows[window]?.failed ?? 0) > 0
const isCapped = ({ priorities }: QueueStats) => Object.values(priorities).some((n) => n >= COUNT_MAX)
const counted = (n: number) => (n === 0 ? '·' : String(n))
const percent = (rate: number | null | undefined) => (rate == null ? '·' : `${(rate * 100).toFixed(1)} %`)
const average = (ms: number | null | undefined) => (ms == null ? '·' : span(ms))

/** In claim order: the highest first. */
function histogram(priorities: QueueStats['priorities']): string {
  const sorted = Object.entries(priorities).sort(([a], [b]) => Number(b) - Number(a))
  return sorted.map(([priority, jobs]) => `${priority}: ${jobs}${jobs >= COUNT_MAX ? '+' : ''}`).join(' · ')
}

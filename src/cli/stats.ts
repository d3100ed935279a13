/** `holdfast stats`: how queues are doing, over the last 15 minutes, hour and day. */
import { type Command, Option } from 'commander'
import { type QueueStats, WINDOWS } from '../store/stats.js'
import { withStore } from './connect.js'
import { type DatabaseFlags, eitherCommand, type TenantFlag, withTenant } from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { span } from './words.js'

type WindowName = keyof typeof WINDOWS

interface Flags extends DatabaseFlags, TenantFlag {
  readonly window: WindowName
}

export function statsCommand(context: Context): Command {
  const command = eitherCommand(
    'stats',
    'how queues are doing: depth, failures, retries, waits',
    'holdfast stats',
    'holdfast stats --window 24h',
  )
  return withTenant(command)
    .addOption(
      new Option('--window <span>', 'over how long')
        .choices(Object.keys(WINDOWS))
        .default('1h' satisfies WindowName),
    )
    .action((flags: Flags) => stats(flags, context))
}

async function stats(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const queues = await store.stats.byQueue({ tenant: flags.tenant })
    if (flags.json) return terminal.out(JSON.stringify({ queues }))
    if (queues.length === 0) return terminal.out('No queues yet: the first job makes its queue.')
    const count = (name: 'enqueued' | 'started' | 'succeeded' | 'failed') => ({
      title: name,
      of: (row: QueueStats) => counted(row.windows[flags.window]?.[name] ?? 0),
      right: true,
    })
    printTable(terminal, queues, [
      { title: 'queue', of: ({ queue }) => queue, gives: true },
      { title: 'depth', of: ({ depth }) => counted(depth), right: true },
      count('enqueued'),
      count('started'),
      count('succeeded'),
      {
        ...count('failed'),
        paint: (text, row) => (failedSome(row, flags.window) ? terminal.paint.red(text) : text),
      },
      { title: 'failed %', of: (row) => percent(row.windows[flags.window]?.failedRate), right: true },
      { title: 'retries ok', of: (row) => percent(row.windows[flags.window]?.retrySuccessRate), right: true },
      { title: 'wait', of: (row) => average(row.windows[flags.window]?.averageWaitMs), right: true },
    ])
    for (const { queue, priorities } of queues.filter(({ depth }) => depth > 0))
      terminal.out(terminal.paint.dim(`${queue} by priority: ${histogram(priorities)}`))
  })
}

const failedSome = ({ windows }: QueueStats, window: WindowName) => (windows[window]?.failed ?? 0) > 0
const counted = (n: number) => (n === 0 ? '·' : String(n))
const percent = (rate: number | null | undefined) => (rate == null ? '·' : `${(rate * 100).toFixed(1)} %`)
const average = (ms: number | null | undefined) => (ms == null ? '·' : span(ms))

/** The highest first, as they are claimed. */
function histogram(priorities: QueueStats['priorities']): string {
  const sorted = Object.entries(priorities).sort(([a], [b]) => Number(b) - Number(a))
  return sorted.map(([priority, jobs]) => `${priority}: ${jobs}`).join(' · ')
}

/** `holdfast top`: a live view of everything in the terminal, or one frame of it for a pipe. */
import type { Command } from 'commander'
import { withConsole } from '../console/connect.js'
import {
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  usageError,
  wholeNumber,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { widthOf } from '../terminal/table.js'
import { wholeFrame } from './frame.js'
import { paintLine } from './line.js'
import { readSnapshot } from './snapshot.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly every: number
  readonly once?: boolean
}

/** Seconds between two refreshes. */
export const EVERY_SECONDS = { min: 1, default: 2, max: 3600 } as const

export function topCommand(context: CommandContext): Command {
  const { min, max, default: every } = EVERY_SECONDS
  const command = consoleCommand(
    'top',
    'watch states, rates, queues, workers and alerts, live',
    'holdfast top',
    'holdfast top --every 10 --server https://jobs.example.com',
    'holdfast top --once',
    'holdfast top --json',
  )
    .option('--every <seconds>', `refresh interval, ${min} to ${max}`, wholeNumber(min, max), every)
    .option('--once', 'print one frame as text')
  return withTenant(command).action((flags: Flags) => top(flags, context))
}

async function top(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const isLive = flags.once !== true && flags.json !== true
  if (isLive) requireTerminal(context)
  await withConsole(flags, context, async ({ console, name }) => {
    const { tenant } = flags
    const snapshot = await readSnapshot(console, tenant)
    if (flags.json) return terminal.out(JSON.stringify({ name, ...snapshot }))
    if (flags.once) {
      const link = { name, tenant, status: { text: '', style: 'plain' } } as const
      for (const line of wholeFrame(snapshot, link, widthOf(terminal)))
        terminal.out(paintLine(line, widthOf(terminal), terminal.paint))
      return
    }
    const { runLive } = await import('./live.js')
    const everyMs = flags.every * 1000
    await runLive({ console, name, tenant, everyMs, act: attributionOf({}), first: snapshot }, context)
  })
}

/** The view needs a screen to draw on, and keys. */
function requireTerminal({ terminal, env }: CommandContext): void {
  if (terminal.interactive && process.stdin.isTTY === true && env.TERM !== 'dumb') return
  throw usageError(
    '`holdfast top` needs a terminal for its live view.',
    'Use --once for one frame as text, or --json for one as JSON.',
  )
}

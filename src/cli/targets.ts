/** `holdfast targets`: targets that stand still, with the job that blocks each of them, and since when. */
import type { Command } from 'commander'
import { COUNTED_AT_MOST } from '../store/listing.js'
import { withStore } from './connect.js'
import { type DatabaseFlags, eitherCommand, type TenantFlag, wholeNumber, withTenant } from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { many, paintState, span } from './words.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly limit: number
}

export function targetsCommand(context: Context): Command {
  const command = eitherCommand(
    'targets',
    'targets that stand still: which job blocks them, why, since when',
    'holdfast targets --queue deploys',
  )
    .option('-q, --queue <name>', 'only of this queue')
    .option('-n, --limit <n>', 'how many, up to 500', wholeNumber(1, 500), 50)
  return withTenant(command).action((flags: Flags) => targets(flags, context))
}

async function targets(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  const { queue, limit, tenant, json } = flags
  await withStore(flags, context, async ({ store }) => {
    if (queue !== undefined) await store.queues.get(queue, { tenant })
    const blocked = await store.list.blockedTargets({
      tenant,
      limit,
      ...(queue === undefined ? {} : { queue }),
    })
    if (json) return terminal.out(JSON.stringify({ targets: blocked, countedAtMost: COUNTED_AT_MOST }))
    if (blocked.length === 0) return terminal.out('No target is blocked.')
    const { paint } = terminal
    printTable(terminal, blocked, [
      { title: 'target', of: ({ target }) => target },
      { title: 'queue', of: (row) => row.queue },
      { title: 'job', of: ({ jobId }) => String(jobId), right: true },
      {
        title: 'state',
        of: ({ state }) => state,
        paint: (text, { state }) => paintState(paint, state)(text),
      },
      { title: 'blocked', of: ({ blockedMs }) => span(blockedMs), right: true },
      {
        title: 'behind',
        of: ({ behind }) => (behind >= COUNTED_AT_MOST ? `${behind}+` : String(behind)),
        right: true,
      },
      { title: 'cause', of: ({ reason, lastError }) => lastError ?? reason ?? '', gives: true },
    ])
    const [first] = blocked
    terminal.out(paint.dim(`\n${many(blocked.length, 'target')} blocked. To let one go on:`))
    terminal.out(paint.dim(`  holdfast jobs resume ${first?.jobId}   or skip, or cancel`))
  })
}

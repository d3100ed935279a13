/** `holdfast targets`: lists blocked targets with the job that blocks each, and since when. */
import type { Command } from 'commander'
import { COUNT_MAX } from '../../store/list/listing.js'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags, type TenantFlag, wholeNumber, withTenant } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many, paintState, span, stateAndStatus } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly limit: number
}

export function targetsCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'targets',
    'list blocked targets: by which job, why, since when',
    'holdfast targets --queue deploys',
  )
    .option('-q, --queue <name>', 'only of this queue')
    .option('-n, --limit <n>', 'most rows to show, up to 500', wholeNumber(1, 500), 50)
  return withTenant(command).action((flags: Flags) => targets(flags, context))
}

async function targets(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const { queue, limit, tenant, json } = flags
  await withConsole(flags, context, async ({ console }) => {
    if (queue !== undefined) await console.queues.get(queue, { tenant })
    const blocked = await console.list.blockedTargets({
      tenant,
      limit,
      ...(queue === undefined ? {} : { queue }),
    })
    if (json) return terminal.out(JSON.stringify({ targets: blocked, countedMax: COUNT_MAX }))
    if (blocked.length === 0) return terminal.out('No target is blocked.')
    const { paint } = terminal
    printTable(terminal, blocked, [
      { title: 'target', value: ({ target }) => target },
      { title: 'queue', value: (row) => row.queue },
      { title: 'job', value: ({ jobId }) => String(jobId), right: true },
      {
        title: 'state',
        value: stateAndStatus,
        paint: (text, { state }) => paintState(paint, state)(text),
      },
      { title: 'blocked', value: ({ blockedMs }) => span(blockedMs), right: true },
      {
        title: 'behind',
        value: ({ behind }) => (behind >= COUNT_MAX ? `${behind}+` : String(behind)),
        right: true,
      },
      { title: 'cause', value: ({ reason, lastError }) => lastError ?? reason ?? '', shrinks: true },
    ])
    const [first] = blocked
    terminal.out(paint.dim(`\n${many(blocked.length, 'target')} blocked. To unblock one:`))
    terminal.out(paint.dim(`  holdfast jobs resume ${first?.jobId}   or skip, or cancel`))
  })
}

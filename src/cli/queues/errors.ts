/** `holdfast errors`: groups of errors, the last seen first, and one group with its last jobs. */
import { Command } from 'commander'
import type { ErrorGroup } from '../../store/charts/error-groups.js'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags, type TenantFlag, wholeNumber, withTenant } from '../flags.js'
import type { CommandContext } from '../program.js'
import { printTable } from '../terminal/table.js'

interface ListFlags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly kind?: string
  readonly limit: number
}

type ShowFlags = DatabaseFlags & TenantFlag

export function errorsCommand(context: CommandContext): Command {
  const command = new Command('errors').description('list groups of errors, show one')
  const list = consoleCommand(
    'list',
    'list groups of errors, the last seen first',
    'holdfast errors list --kind charge-card',
  )
    .option('-q, --queue <name>', 'only of this queue')
    .option('-k, --kind <name>', 'only of this kind')
    .option('-n, --limit <n>', 'most rows to show, up to 500', wholeNumber(1, 500), 20)
  command.addCommand(
    withTenant(list).action((flags: ListFlags) => listGroups(flags, context)),
    { isDefault: true },
  )
  const show = consoleCommand(
    'show',
    'show a group of errors with its last jobs',
    'holdfast errors show 5d41402abc4b2a76',
  ).argument('<fingerprint>', 'fingerprint of the group')
  command.addCommand(
    withTenant(show).action((fingerprint: string, flags: ShowFlags) =>
      showGroup(fingerprint, flags, context),
    ),
  )
  return command
}

async function listGroups(flags: ListFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const { queue, kind, limit, tenant, json } = flags
  await withConsole(flags, context, async ({ console }) => {
    const { rows, next } = await console.errors.list({
      tenant,
      limit,
      ...(queue === undefined ? {} : { queue }),
      ...(kind === undefined ? {} : { kind }),
    })
    if (json) return terminal.out(JSON.stringify({ groups: rows, next }))
    if (rows.length === 0) return terminal.out('No errors.')
    printTable(terminal, rows, [
      { title: 'fingerprint', value: ({ fingerprint }) => (fingerprint === '' ? 'others' : fingerprint) },
      { title: 'last seen', value: ({ lastSeenAt }) => minuteOf(lastSeenAt) },
      { title: '24 h', value: ({ count24h }) => String(count24h), right: true },
      { title: 'count', value: ({ count }) => String(count), right: true },
      { title: 'kinds', value: ({ kinds }) => kinds.join(', ') },
      { title: 'error', value: ({ message }) => firstLine(message), shrinks: true },
    ])
  })
}

async function showGroup(fingerprint: string, flags: ShowFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const { tenant, json } = flags
  await withConsole(flags, context, async ({ console }) => {
    const group = await console.errors.get(fingerprint, { tenant })
    const samples = await console.errors.samples(fingerprint, { tenant })
    if (json) return terminal.out(JSON.stringify({ ...group, samples }))
    for (const line of linesOf(group)) terminal.out(line)
    if (samples.length === 0) return
    terminal.out('')
    printTable(terminal, samples, [
      { title: 'job', value: ({ jobId }) => String(jobId), right: true },
      { title: 'at', value: ({ at }) => minuteOf(at) },
      { title: 'kind', value: ({ kind }) => kind },
      { title: 'state', value: ({ state }) => state ?? '' },
      { title: 'worker', value: ({ worker }) => worker ?? '' },
      { title: 'error', value: ({ message }) => firstLine(message ?? ''), shrinks: true },
    ])
  })
}

function linesOf(group: ErrorGroup): string[] {
  const { errorClass, message, count, count24h, kinds, queues, firstSeenAt, lastSeenAt, firstVersion } = group
  return [
    `${errorClass ?? 'Error'}: ${firstLine(message)}`,
    `${count} attempts, ${count24h} in the last 24 hours`,
    `first seen ${minuteOf(firstSeenAt)}${firstVersion === null ? '' : ` with version ${firstVersion}`}, last ${minuteOf(lastSeenAt)}`,
    `kinds: ${kinds.join(', ')}; queues: ${queues.join(', ')}`,
  ]
}

function minuteOf(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

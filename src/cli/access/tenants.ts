/** `holdfast tenants`: lists tenants and sets their limits. */
import { Command } from 'commander'
import { LIMITS } from '../../domain/limits.js'
import { given } from '../../json/given.js'
import type { Tenant, TenantLimits } from '../../store/access/tenants.js'
import { withConsole } from '../console/connect.js'
import {
  type AttributionFlags,
  attributionOf,
  consoleCommand,
  type DatabaseFlags,
  numberOr,
  orNull,
  usageError,
  wholeNumber,
  withAttribution,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { type Column, printTable } from '../terminal/table.js'

type Flags = DatabaseFlags & AttributionFlags
type LimitFlags = Flags & { readonly [Name in keyof TenantLimits]?: number | 'none' }

const LIMIT_MAX = 1_000_000
const LISTED_MAX = 500

const limit = (max: number) => numberOr('none', wholeNumber(1, max))

export function tenantsCommand(context: CommandContext): Command {
  const command = new Command('tenants').description('list tenants and set their limits')
  command.addCommand(
    consoleCommand('list', 'list tenants that have queues or limits', 'holdfast tenants list').action(
      (flags: DatabaseFlags) => list(flags, context),
    ),
    { isDefault: true },
  )
  const set = consoleCommand(
    'limit',
    'set limits of a tenant; "none" removes one',
    'holdfast tenants limit acme --max-running 20 --max-live-jobs none',
  )
    .argument('<name>', 'name of the tenant')
    .option('--max-running <n>', 'running jobs at once', limit(LIMIT_MAX))
    .option('--max-live-jobs <n>', 'jobs that have not ended', limit(LIMIT_MAX))
    .option('--enqueues-per-second <n>', 'jobs enqueued a second, at each server', limit(LIMIT_MAX))
    .option('--payload-bytes-max <n>', 'size of the input of a job', limit(LIMITS.payloadBytesMax.hardMax))
  command.addCommand(
    withAttribution(set).action((name: string, flags: LimitFlags) => setLimits(name, flags, context)),
  )
  return command
}

const COLUMNS: Column<Tenant>[] = [
  { title: 'tenant', value: ({ name }) => name, shrinks: true },
  { title: 'running', value: ({ maxRunning }) => limitText(maxRunning), right: true },
  { title: 'live jobs', value: ({ maxLiveJobs }) => limitText(maxLiveJobs), right: true },
  { title: 'enqueues/s', value: ({ enqueuesPerSecond }) => limitText(enqueuesPerSecond), right: true },
  { title: 'payload bytes', value: ({ payloadBytesMax }) => limitText(payloadBytesMax), right: true },
]

function limitText(max: number | null): string {
  return max === null ? 'any' : String(max)
}

async function list(flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const tenants = await console.tenants.list({ limit: LISTED_MAX })
    if (flags.json) return terminal.out(JSON.stringify({ tenants }))
    if (tenants.length === 0) return terminal.out('No tenant has a queue or a limit yet.')
    printTable(terminal, tenants, COLUMNS)
  })
}

async function setLimits(name: string, flags: LimitFlags, context: CommandContext): Promise<void> {
  const { maxRunning, maxLiveJobs, enqueuesPerSecond, payloadBytesMax } = flags
  const limits = given({
    maxRunning: orNull(maxRunning),
    maxLiveJobs: orNull(maxLiveJobs),
    enqueuesPerSecond: orNull(enqueuesPerSecond),
    payloadBytesMax: orNull(payloadBytesMax),
  })
  if (Object.keys(limits).length === 0)
    throw usageError(
      'No limit given.',
      'Give one, like --max-running 20; `holdfast tenants limit --help` lists them.',
    )
  await withConsole(flags, context, async ({ console }) => {
    await console.tenants.setLimits(name, limits, attributionOf(flags))
    const tenant = await console.tenants.get(name)
    if (flags.json) return context.terminal.out(JSON.stringify(tenant))
    printTable(context.terminal, [tenant], COLUMNS)
  })
}

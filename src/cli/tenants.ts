/** `holdfast tenants`: tenants, and what each may have. */
import { Command } from 'commander'
import { given } from '../domain/given.js'
import { LIMITS } from '../domain/limits.js'
import type { Tenant, TenantLimits } from '../store/tenants.js'
import { withStore } from './connect.js'
import {
  type ActFlags,
  actOf,
  type DatabaseFlags,
  eitherCommand,
  orNull,
  orWord,
  usageError,
  wholeNumber,
  withAct,
} from './flags.js'
import type { Context } from './program.js'
import { type Column, printTable } from './table.js'

type Flags = DatabaseFlags & ActFlags
type LimitFlags = Flags & { readonly [Name in keyof TenantLimits]?: number | 'none' }

const MOST = 1_000_000
const LISTED_MAX = 500

const limit = (most: number) => orWord('none', wholeNumber(1, most))

export function tenantsCommand(context: Context): Command {
  const command = new Command('tenants').description('tenants, and what each may have')
  command.addCommand(
    eitherCommand('list', 'tenants that have queues or limits', 'holdfast tenants list').action(
      (flags: DatabaseFlags) => list(flags, context),
    ),
    { isDefault: true },
  )
  const set = eitherCommand(
    'limit',
    'set limits; "none" lifts one, the others stay',
    'holdfast tenants limit acme --max-running 20 --max-live-jobs none',
  )
    .argument('<name>', 'the tenant')
    .option('--max-running <n>', 'jobs at work at once', limit(MOST))
    .option('--max-live-jobs <n>', 'jobs that have not ended', limit(MOST))
    .option('--enqueues-per-second <n>', 'jobs made a second, at each server', limit(MOST))
    .option('--payload-bytes-max <n>', 'of the input of a job', limit(LIMITS.payloadBytesMax.hardMax))
  command.addCommand(
    withAct(set).action((name: string, flags: LimitFlags) => setLimits(name, flags, context)),
  )
  return command
}

const COLUMNS: Column<Tenant>[] = [
  { title: 'tenant', of: ({ name }) => name, gives: true },
  { title: 'running', of: ({ maxRunning }) => shown(maxRunning), right: true },
  { title: 'live jobs', of: ({ maxLiveJobs }) => shown(maxLiveJobs), right: true },
  { title: 'enqueues/s', of: ({ enqueuesPerSecond }) => shown(enqueuesPerSecond), right: true },
  { title: 'payload bytes', of: ({ payloadBytesMax }) => shown(payloadBytesMax), right: true },
]

function shown(most: number | null): string {
  return most === null ? 'any' : String(most)
}

async function list(flags: DatabaseFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const tenants = await store.tenants.list({ limit: LISTED_MAX })
    if (flags.json) return terminal.out(JSON.stringify({ tenants }))
    if (tenants.length === 0) return terminal.out('No tenant has a queue or a limit yet.')
    printTable(terminal, tenants, COLUMNS)
  })
}

async function setLimits(name: string, flags: LimitFlags, context: Context): Promise<void> {
  const { maxRunning, maxLiveJobs, enqueuesPerSecond, payloadBytesMax } = flags
  const limits = given({
    maxRunning: orNull(maxRunning),
    maxLiveJobs: orNull(maxLiveJobs),
    enqueuesPerSecond: orNull(enqueuesPerSecond),
    payloadBytesMax: orNull(payloadBytesMax),
  })
  if (Object.keys(limits).length === 0)
    throw usageError(
      'No limit was named.',
      'Name one, like --max-running 20; `holdfast tenants limit --help` lists them.',
    )
  await withStore(flags, context, async ({ store }) => {
    await store.tenants.setLimits(name, limits, actOf(flags))
    const tenant = await store.tenants.get(name)
    if (flags.json) return context.terminal.out(JSON.stringify(tenant))
    printTable(context.terminal, [tenant], COLUMNS)
  })
}

/** `holdfast sqs`: jobs that are told through SQS. What a worker does with it is in `holdfast worker --sqs`. */

import { Command } from 'commander'
import { watchAll } from '../app/engine.js'
import type { Config } from '../config/resolve.js'
import { given } from '../domain/given.js'
import { connectSqs, type SqsBridge, type SqsDepth } from '../triggers/sqs/connect.js'
import { type WithStore, withDatabase } from './connect.js'
import {
  type ActFlags,
  actOf,
  configOf,
  type DatabaseFlags,
  databaseCommand,
  type FlagKeys,
  jobIds,
  type TenantFlag,
  usageError,
  wholeNumber,
  withAct,
  withTenant,
} from './flags.js'
import { type Log, openLog } from './log.js'
import { type MetricsFlags, metricsKeys, startMetrics, withMetrics } from './measuring.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { ago, many } from './words.js'
import { openApp } from './working.js'

export interface SqsFlags {
  readonly sqs?: string
  readonly sqsDeadLetter?: string
}

type Flags = DatabaseFlags & TenantFlag & SqsFlags

/** For commands whose workers are told of jobs. */
export function withSqsQueues(command: Command): Command {
  return command
    .option('--sqs <url>', 'run what this SQS queue tells of, and tell it of jobs (docs/sqs.md)')
    .option('--sqs-dead-letter <url>', 'the SQS queue for jobs that failed')
}

/** Flags over [sqs] of the configuration. */
export function sqsKeys({ sqs, sqsDeadLetter }: SqsFlags): FlagKeys {
  return {
    'sqs.queue_url': { flag: '--sqs', value: sqs },
    'sqs.dead_letter_url': { flag: '--sqs-dead-letter', value: sqsDeadLetter },
  }
}

/** Undefined: no queue is configured. */
export async function sqsOf(config: Config): Promise<SqsBridge | undefined> {
  const queueUrl = config.get('sqs.queue_url')
  if (queueUrl === undefined) return undefined
  const [deadLetterUrl, endpoint, region] = [
    config.get('sqs.dead_letter_url'),
    config.get('sqs.endpoint'),
    config.get('sqs.region'),
  ]
  return connectSqs({
    queueUrl,
    ...given({ deadLetterUrl, endpoint, region }),
    trigger: config.get('sqs.trigger'),
    resendMs: config.get('sqs.resend_seconds') * 1000,
    netMs: config.get('sqs.net_seconds') * 1000,
    reconcileMs: config.get('sqs.reconcile_seconds') * 1000,
  })
}

/** When no worker uses it any more. Of several processes each has a bridge of its own, and this one's has done nothing. */
export function endSqs(sqs: SqsBridge | undefined, processes: number, log: Log): void {
  if (sqs !== undefined && processes === 1) log.info({ ...sqs.counts() }, 'messages of SQS')
  sqs?.close()
}

export function sqsCommand(context: Context): Command {
  const command = new Command('sqs').description('jobs that are told through SQS: look, send, put right')
  const made = (name: string, does: string, example: string) =>
    withTenant(databaseCommand(name, does, example))
      .option('--sqs <url>', 'the SQS queue (default: sqs.queue_url)')
      .option('--sqs-dead-letter <url>', 'its dead-letter queue (default: sqs.dead_letter_url)')
  command.addCommand(
    made('status', 'what is in the outbox and in the queues', 'holdfast sqs status').action((flags: Flags) =>
      status(flags, context),
    ),
  )
  const relaying = made(
    'relay',
    'send what the outbox holds, until told to stop; workers with --sqs do it, too',
    'holdfast sqs relay',
  )
  command.addCommand(withMetrics(relaying).action((flags: RelayFlags) => relay(flags, context)))
  const limit = ['-n, --limit <n>', 'messages to look at, at most', wholeNumber(1, 100_000), 1_000] as const
  command.addCommand(
    made('reconcile', 'compare the dead-letter queue with the jobs, both ways', 'holdfast sqs reconcile')
      .option(...limit)
      .action((flags: Flags & { limit: number }) => reconcile(flags, context)),
  )
  const redrive = made(
    'redrive',
    'send failed jobs of the dead-letter queue back to work',
    'holdfast sqs redrive --reason "the bucket is back"',
  )
  command.addCommand(
    withAct(redrive)
      .argument('[jobs...]', 'only these jobs')
      .option(...limit)
      .action((jobs: string[], flags: RedriveFlags) => redriveJobs(jobs, flags, context)),
  )
  return command
}

async function withSqs(
  flags: Flags,
  context: Context,
  work: (bridge: SqsBridge, opened: WithStore) => Promise<void>,
): Promise<void> {
  const bridge = await bridgeOf(configOf(flags, context, sqsKeys(flags)))
  try {
    await withDatabase(flags, context, (opened) => work(bridge, opened))
  } finally {
    bridge.close()
  }
}

async function bridgeOf(config: Config): Promise<SqsBridge> {
  const bridge = await sqsOf(config)
  if (bridge !== undefined) return bridge
  throw usageError(
    'No SQS queue is named.',
    'Name it with --sqs, or set sqs.queue_url or HOLDFAST_SQS_QUEUE_URL.',
  )
}

async function status(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withSqs(flags, context, async (bridge, { store }) => {
    const found = await bridge.status(store, flags)
    if (flags.json) return terminal.out(JSON.stringify(found))
    const { outbox, queue, deadLetters } = found
    const oldest = outbox.oldestAt === null ? '' : `, the oldest since ${ago(outbox.oldestAt)}`
    terminal.out(
      `outbox: ${many(outbox.unsent, 'job')} to tell of${oldest}; ${outbox.sent} told and not looked at since`,
    )
    const rows: (SqsDepth & { name: string })[] = [{ name: 'queue', ...queue }]
    if (deadLetters !== null) rows.push({ name: 'dead letters', ...deadLetters })
    printTable(terminal, rows, [
      { title: 'SQS', of: ({ name }) => name },
      { title: 'visible', of: ({ visible }) => String(visible), right: true },
      { title: 'in flight', of: ({ inFlight }) => String(inFlight), right: true },
      { title: 'delayed', of: ({ delayed }) => String(delayed), right: true },
    ])
  })
}

type RelayFlags = Flags & MetricsFlags

async function relay(flags: RelayFlags, context: Context): Promise<void> {
  const config = configOf(flags, context, { ...sqsKeys(flags), ...metricsKeys(flags) })
  const log = openLog(config, context.terminal, flags.json === true)
  const bridge = await bridgeOf(config)
  const metrics = await startMetrics(config, 1, log)
  metrics?.joinTrigger(bridge)
  const app = await openApp(config, context, { log: log.below })
  const unwatch = metrics === undefined ? () => {} : watchAll([app.store], metrics)
  const { signal, interruption } = context
  try {
    const sending = await bridge.relay(app.store, { tenant: flags.tenant, log })
    log.info(
      { queue: config.get('sqs.queue_url'), trigger: config.get('sqs.trigger') },
      'telling SQS of jobs',
    )
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await sending.stop()
    log.info({ ...bridge.counts() }, 'messages of SQS')
    interruption.drainedCleanly()
  } finally {
    unwatch()
    await app.stop()
    bridge.close()
  }
}

async function reconcile(flags: Flags & { limit: number }, context: Context): Promise<void> {
  const { terminal } = context
  await withSqs(flags, context, async (bridge, { store }) => {
    const found = await bridge.reconcile(store, flags)
    if (flags.json) return terminal.out(JSON.stringify(found))
    terminal.out(`${many(found.looked, 'dead letter')} looked at${found.complete ? '' : '; there are more'}`)
    terminal.out(`  ${found.agreed} of failed jobs: they stay`)
    terminal.out(`  ${found.retold} of jobs that can run: told again`)
    terminal.out(`  ${found.settled + found.unknown} of jobs that need nothing, or are gone: removed`)
    if (found.doubled > 0) terminal.out(`  ${found.doubled} of failed jobs that have another: removed`)
    if (found.foreign > 0) terminal.out(`  ${found.foreign} not ours: they stay`)
    terminal.out(`${many(found.announced, 'failed job')} had no dead letter and got one`)
  })
}

type RedriveFlags = Flags & ActFlags & { readonly limit: number }

async function redriveJobs(jobs: readonly string[], flags: RedriveFlags, context: Context): Promise<void> {
  const { terminal } = context
  await withSqs(flags, context, async (bridge, { store }) => {
    const { tenant, limit } = flags
    const ids = jobs.length === 0 ? {} : { jobIds: jobIds(jobs) }
    const done = await bridge.redrive(store, { tenant, limit, ...actOf(flags), ...ids })
    if (flags.json) return terminal.out(JSON.stringify(done))
    for (const { jobId, as } of done.retried)
      terminal.out(
        as === jobId ? `job ${jobId} goes back to work` : `job ${jobId} is made again as job ${as}`,
      )
    for (const { jobId, problem } of done.refused) terminal.err(`job ${jobId} cannot: ${problem}`)
    const more = done.complete ? '' : '; there are more dead letters'
    terminal.out(`${many(done.retried.length, 'job')} sent back to work${more}`)
  })
}

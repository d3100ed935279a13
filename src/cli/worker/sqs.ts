/** `holdfast sqs`: inspects and repairs the SQS trigger of jobs. Workers use SQS with `holdfast worker --sqs`. */

import { Command } from 'commander'
import { watchAll } from '../../app/engine.js'
import type { Config } from '../../config/resolve.js'
import { given } from '../../json/given.js'
import { connectSqs, type SqsBridge, type SqsDepth } from '../../triggers/sqs/connect.js'
import { type OpenDatabase, withDatabase } from '../console/connect.js'
import {
  type AttributionFlags,
  attributionOf,
  configOf,
  type DatabaseFlags,
  databaseCommand,
  type FlagKeys,
  jobIds,
  type TenantFlag,
  usageError,
  wholeNumber,
  withAttribution,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, many } from '../terminal/format.js'
import { type CommandLog, openLog } from '../terminal/log.js'
import { printTable } from '../terminal/table.js'
import { openApp } from './app.js'
import { type MetricsFlags, metricsKeys, startMetrics, withMetricsOptions } from './metrics-endpoint.js'

export interface SqsFlags {
  readonly sqs?: string
  readonly sqsDeadLetter?: string
}

type Flags = DatabaseFlags & TenantFlag & SqsFlags

/** Flags of commands that run workers with SQS. */
export function withSqsOptions(command: Command): Command {
  return command
    .option('--sqs <url>', 'trigger jobs through this SQS queue (docs/sqs.md)')
    .option('--sqs-dead-letter <url>', 'SQS dead-letter queue for failed jobs')
}

/** Flags that override [sqs] of the configuration. */
export function sqsKeys({ sqs, sqsDeadLetter }: SqsFlags): FlagKeys {
  return {
    'sqs.queue_url': { flag: '--sqs', value: sqs },
    'sqs.dead_letter_url': { flag: '--sqs-dead-letter', value: sqsDeadLetter },
  }
}

/** Returns undefined when no SQS queue is configured. */
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
    fallbackPollMs: config.get('sqs.fallback_poll_seconds') * 1000,
    reconcileMs: config.get('sqs.reconcile_seconds') * 1000,
  })
}

/** Closes the bridge once the workers have stopped. With several processes each has its own bridge, and the parent's is unused. */
export function closeSqs(sqs: SqsBridge | undefined, processes: number, log: CommandLog): void {
  if (sqs !== undefined && processes === 1)
    log.info({ event: 'sqs_messages', ...sqs.counts() }, 'messages of SQS')
  sqs?.close()
}

export function sqsCommand(context: CommandContext): Command {
  const command = new Command('sqs').description('inspect and repair the SQS trigger of jobs')
  const made = (name: string, does: string, example: string) =>
    withTenant(databaseCommand(name, does, example))
      .option('--sqs <url>', 'SQS queue (default: sqs.queue_url)')
      .option('--sqs-dead-letter <url>', 'dead-letter queue (default: sqs.dead_letter_url)')
  command.addCommand(
    made('status', 'show the depth of the outbox and of the SQS queues', 'holdfast sqs status').action(
      (flags: Flags) => status(flags, context),
    ),
  )
  const relaying = made(
    'relay',
    'send jobs from the outbox until stopped; workers with --sqs do so too',
    'holdfast sqs relay',
  )
  command.addCommand(withMetricsOptions(relaying).action((flags: RelayFlags) => relay(flags, context)))
  const limit = [
    '-n, --limit <n>',
    'read at most this many messages',
    wholeNumber(1, 100_000),
    1_000,
  ] as const
  command.addCommand(
    made(
      'reconcile',
      'compare the dead-letter queue with the failed jobs, both ways',
      'holdfast sqs reconcile',
    )
      .option(...limit)
      .action((flags: Flags & { limit: number }) => reconcile(flags, context)),
  )
  const redrive = made(
    'redrive',
    'retry failed jobs of the dead-letter queue',
    'holdfast sqs redrive --reason "the bucket is back"',
  )
  command.addCommand(
    withAttribution(redrive)
      .argument('[jobs...]', 'only these jobs')
      .option(...limit)
      .action((jobs: string[], flags: RedriveFlags) => redriveJobs(jobs, flags, context)),
  )
  return command
}

async function withSqs(
  flags: Flags,
  context: CommandContext,
  work: (bridge: SqsBridge, opened: OpenDatabase) => Promise<void>,
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
    'No SQS queue is configured.',
    'Give --sqs, or set sqs.queue_url or HOLDFAST_SQS_QUEUE_URL.',
  )
}

async function status(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withSqs(flags, context, async (bridge, { store }) => {
    const found = await bridge.status(store, flags)
    if (flags.json) return terminal.out(JSON.stringify(found))
    const { outbox, queue, deadLetters } = found
    const oldest = outbox.oldestAt === null ? '' : `, the oldest from ${ago(outbox.oldestAt)}`
    terminal.out(
      `outbox: ${many(outbox.unsent, 'job')} to send${oldest}; ${outbox.sent} sent and not claimed yet`,
    )
    const rows: (SqsDepth & { name: string })[] = [{ name: 'queue', ...queue }]
    if (deadLetters !== null) rows.push({ name: 'dead letters', ...deadLetters })
    printTable(terminal, rows, [
      { title: 'SQS', value: ({ name }) => name },
      { title: 'visible', value: ({ visible }) => String(visible), right: true },
      { title: 'in flight', value: ({ inFlight }) => String(inFlight), right: true },
      { title: 'delayed', value: ({ delayed }) => String(delayed), right: true },
    ])
  })
}

type RelayFlags = Flags & MetricsFlags

async function relay(flags: RelayFlags, context: CommandContext): Promise<void> {
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
      { event: 'sqs_relay_started', queue: config.get('sqs.queue_url'), trigger: config.get('sqs.trigger') },
      'relaying jobs to SQS',
    )
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await sending.stop()
    log.info({ event: 'sqs_messages', ...bridge.counts() }, 'messages of SQS')
    interruption.drainedCleanly()
  } finally {
    unwatch()
    await app.stop()
    bridge.close()
  }
}

async function reconcile(flags: Flags & { limit: number }, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withSqs(flags, context, async (bridge, { store }) => {
    const found = await bridge.reconcile(store, flags)
    if (flags.json) return terminal.out(JSON.stringify(found))
    terminal.out(`${many(found.examined, 'dead letter')} checked${found.complete ? '' : '; there are more'}`)
    terminal.out(`  ${found.kept} of failed jobs: kept`)
    terminal.out(`  ${found.redriven} of jobs that can run: sent again`)
    terminal.out(`  ${found.settled + found.unknown} of jobs that have ended or were pruned: removed`)
    if (found.duplicates > 0) terminal.out(`  ${found.duplicates} duplicates: removed`)
    if (found.unrecognized > 0) terminal.out(`  ${found.unrecognized} not from Holdfast: kept`)
    terminal.out(`${many(found.deadLettersAdded, 'failed job')} without a dead letter: sent`)
  })
}

type RedriveFlags = Flags & AttributionFlags & { readonly limit: number }

async function redriveJobs(
  jobs: readonly string[],
  flags: RedriveFlags,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  await withSqs(flags, context, async (bridge, { store }) => {
    const { tenant, limit } = flags
    const ids = jobs.length === 0 ? {} : { jobIds: jobIds(jobs) }
    const done = await bridge.redrive(store, { tenant, limit, ...attributionOf(flags), ...ids })
    if (flags.json) return terminal.out(JSON.stringify(done))
    for (const { jobId, as } of done.retried)
      terminal.out(as === jobId ? `job ${jobId} is retried` : `job ${jobId} is retried as job ${as}`)
    for (const { jobId, problem } of done.refused) terminal.err(`job ${jobId} cannot be retried: ${problem}`)
    const more = done.complete ? '' : '; there are more dead letters'
    terminal.out(`${many(done.retried.length, 'job')} retried${more}`)
  })
}

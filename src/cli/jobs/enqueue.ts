/** `holdfast enqueue`: enqueues a job, or one for each line of JSON. */
import type { Command } from 'commander'
import { HoldfastError } from '../../domain/errors/errors.js'
import { parsePreset } from '../../presets/presets.js'
import type { NewJob } from '../../store/enqueue/new-job.js'
import { withConsole } from '../console/connect.js'
import { CommandError, EXIT } from '../failure.js'
import { consoleCommand, type DatabaseFlags, type TenantFlag, wholeNumber, withTenant } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'
import { parseInputs, readInput } from '../terminal/input.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly preset?: string
  readonly key?: string
  readonly target?: string
  readonly subject?: string
  readonly priority?: number
  readonly delay?: number
  readonly at?: string
  readonly pending?: boolean
  readonly maxRetries?: number
  readonly idempotencyKey?: string
  readonly lines?: boolean
}

export function enqueueCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'enqueue',
    'enqueue a job, or one for each line of JSON',
    `holdfast enqueue mail welcome '{"to":"ada@example.org"}'`,
    'holdfast enqueue mail welcome - --lines < customers.jsonl',
  )
    .argument('<queue>', 'queue; created if missing')
    .argument('<kind>', 'kind of the job')
    .argument('[input]', 'JSON; - reads it from stdin, @file from a file')
    .option('--preset <name>', 'of the queue, if it is created now')
    .option('--key <key>', 'at most one live job with this key in the queue')
    .option('--target <target>', 'jobs of one target run one at a time')
    .option('--subject <subject>', 'what the job is about; in a crawl queue one live job each')
    .option('--priority <n>', '0 to 100; higher goes first', wholeNumber(0, 100))
    .option('--delay <seconds>', 'run after this many seconds', wholeNumber(0))
    .option('--at <time>', 'run at this time, like 2030-01-31T12:00:00Z')
    .option('--pending', 'hold the job until it is published')
    .option('--max-retries <n>', 'instead of the default of the queue', wholeNumber(0, 1000))
    .option('--idempotency-key <key>', 'a repeated call with this key enqueues nothing')
    .option('--lines', 'read one JSON value a line, one job each')
  return withTenant(command).action((queue: string, kind: string, input: string | undefined, flags: Flags) =>
    enqueue({ queue, kind }, input, flags, context),
  )
}

async function enqueue(
  base: Pick<NewJob, 'queue' | 'kind'>,
  input: string | undefined,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  const inputs = parseInputs(await readInput(input), flags.lines === true, input)
  const jobs = inputs.map((each) => ({ ...base, ...extrasOf(flags), input: each }))
  const { tenant, idempotencyKey } = flags
  await withConsole(flags, context, async ({ console }) => {
    const options = { tenant, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
    const enqueued = await console.enqueueMany(jobs, options).catch((error: unknown) => {
      throw flags.lines === true ? aboutLines(error, jobs.length) : error
    })
    if (flags.json) return terminal.out(JSON.stringify({ jobs: enqueued }))
    const { bold, dim } = terminal.paint
    const [first] = enqueued
    if (enqueued.length > 1)
      return terminal.out(
        `${many(enqueued.length, 'job')} enqueued, ${first?.jobId} to ${enqueued.at(-1)?.jobId}.`,
      )
    terminal.out(
      first?.deduplicated
        ? `${bold(`Job ${first.jobId}`)}  has this key already; nothing was enqueued`
        : `${bold(`Job ${first?.jobId}`)}  enqueued in ${base.queue}`,
    )
    terminal.out(dim(`  holdfast jobs tail ${first?.jobId}`))
  })
}

/** A refusal of the list as a whole: all lines are one call, which a database and a server limit differently. */
function aboutLines(error: unknown, lines: number): unknown {
  if (!(error instanceof HoldfastError) || error.details.path !== '/jobs' || lines === 0) return error
  return new CommandError({
    code: error.code,
    message: `${lines} lines are too many for one call; nothing was enqueued.`,
    remedy: 'Split the input, as with `split -l 1000`, and enqueue each part.',
    exitCode: EXIT.failed,
  })
}

function extrasOf({
  preset,
  key,
  target,
  subject,
  priority,
  delay,
  at,
  pending,
  maxRetries,
}: Flags): Partial<NewJob> {
  return {
    ...(preset !== undefined && { preset: parsePreset(preset, '--preset') }),
    ...(key !== undefined && { key }),
    ...(target !== undefined && { target }),
    ...(subject !== undefined && { subject }),
    ...(priority !== undefined && { priority }),
    ...(delay !== undefined && { delayMs: delay * 1000 }),
    ...(at !== undefined && { runAt: at }),
    ...(pending !== undefined && { pending }),
    ...(maxRetries !== undefined && { maxRetries }),
  }
}

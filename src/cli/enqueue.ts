/** `holdfast enqueue`: makes a job, or many from lines of JSON. */
import type { Command } from 'commander'
import type { NewJob } from '../store/new-job.js'
import { withStore } from './connect.js'
import { type DatabaseFlags, eitherCommand, type TenantFlag, wholeNumber, withTenant } from './flags.js'
import { parseInputs, readInput } from './input.js'
import type { Context } from './program.js'
import { many } from './words.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly key?: string
  readonly target?: string
  readonly priority?: number
  readonly delay?: number
  readonly at?: string
  readonly pending?: boolean
  readonly maxRetries?: number
  readonly idempotencyKey?: string
  readonly lines?: boolean
}

export function enqueueCommand(context: Context): Command {
  const command = eitherCommand(
    'enqueue',
    'make a job, or one of each line of JSON',
    `holdfast enqueue mail welcome '{"to":"ada@example.org"}'`,
    'holdfast enqueue mail welcome - --lines < customers.jsonl',
  )
    .argument('<queue>', 'made if it is not there')
    .argument('<kind>', 'which handler runs it')
    .argument('[input]', 'JSON; - reads it from stdin, @file from a file')
    .option('--key <key>', 'at most one live job with this key in the queue')
    .option('--target <target>', 'jobs of one target go one after the other')
    .option('--priority <n>', '0 to 100; higher goes first', wholeNumber(0, 100))
    .option('--delay <seconds>', 'not before this many seconds', wholeNumber(0))
    .option('--at <time>', 'not before this time, like 2030-01-31T12:00:00Z')
    .option('--pending', 'make it now, let it go later')
    .option('--max-retries <n>', 'instead of what the queue says', wholeNumber(0, 1000))
    .option('--idempotency-key <key>', 'the same call with the same key makes nothing new')
    .option('--lines', 'the input is one JSON value a line, each of them a job')
  return withTenant(command).action((queue: string, kind: string, input: string | undefined, flags: Flags) =>
    enqueue({ queue, kind }, input, flags, context),
  )
}

async function enqueue(
  base: Pick<NewJob, 'queue' | 'kind'>,
  input: string | undefined,
  flags: Flags,
  context: Context,
): Promise<void> {
  const { terminal } = context
  const inputs = parseInputs(await readInput(input), flags.lines === true)
  const jobs = inputs.map((each) => ({ ...base, ...extrasOf(flags), input: each }))
  const { tenant, idempotencyKey } = flags
  await withStore(flags, context, async ({ store }) => {
    const made = await store.enqueueMany(jobs, {
      tenant,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
    if (flags.json) return terminal.out(JSON.stringify({ jobs: made }))
    const { bold, dim } = terminal.paint
    const [first] = made
    if (made.length > 1)
      return terminal.out(`${many(made.length, 'job')} made, ${first?.jobId} to ${made.at(-1)?.jobId}.`)
    terminal.out(
      first?.deduplicated
        ? `${bold(`Job ${first.jobId}`)}  has this key already; nothing was made`
        : `${bold(`Job ${first?.jobId}`)}  made in ${base.queue}`,
    )
    terminal.out(dim(`  holdfast jobs tail ${first?.jobId}`))
  })
}

function extrasOf({ key, target, priority, delay, at, pending, maxRetries }: Flags): Partial<NewJob> {
  return {
    ...(key !== undefined && { key }),
    ...(target !== undefined && { target }),
    ...(priority !== undefined && { priority }),
    ...(delay !== undefined && { delayMs: delay * 1000 }),
    ...(at !== undefined && { runAt: at }),
    ...(pending !== undefined && { pending }),
    ...(maxRetries !== undefined && { maxRetries }),
  }
}

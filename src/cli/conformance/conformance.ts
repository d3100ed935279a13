/** `holdfast conformance`: checks that a server implements the worker protocol, and prints the cases for clients in other languages. */
import { Command } from 'commander'
import { CommandError, EXIT } from '../failure.js'
import { usageError, withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'
import type { ConformanceCase } from './case.js'
import { CLAIMS } from './claims.js'
import { ENDINGS } from './endings.js'
import { LEASES } from './leases.js'
import { OTHERS } from './others.js'
import { reserveQueue } from './own-queue.js'
import { type CaseResult, runCase } from './run.js'

/** Each case stands alone and has its own queue. */
const CASES: readonly ConformanceCase[] = [...CLAIMS, ...ENDINGS, ...LEASES, ...OTHERS]

interface Flags {
  readonly server?: string
  readonly key?: string
  readonly only?: string[]
  readonly cases?: boolean
  readonly record?: boolean
  readonly json?: boolean
}

export function conformanceCommand(context: CommandContext): Command {
  const command = new Command('conformance')
    .description('check that a server implements the worker protocol')
    .option('--server <url>', 'address of the server (default: HOLDFAST_SERVER)')
    .option('--key <key>', 'key with scopes work, enqueue and read (default: HOLDFAST_KEY)')
    .option('--only <ids...>', 'only these cases')
    .option('--cases', 'print the cases as JSON without running them')
    .option('--record', 'print all requests and responses as JSON, for clients to replay')
    .option('--json', 'print JSON')
  return withExamples(
    command,
    'holdfast conformance --server http://localhost:4000',
    'holdfast conformance --cases > cases.json',
  ).action((flags: Flags) => conformance(flags, context))
}

async function conformance(flags: Flags, { terminal, env, signal }: CommandContext): Promise<void> {
  const chosen = CASES.filter(({ id }) => flags.only === undefined || flags.only.includes(id))
  if (chosen.length === 0)
    throw usageError('There is no such case.', `Use some of ${CASES.map(({ id }) => id).join(', ')}.`)
  if (flags.cases) return terminal.out(JSON.stringify({ cases: chosen }, null, 2))
  const url = flags.server ?? (env.HOLDFAST_SERVER || undefined)
  if (url === undefined) throw usageError('No server given.', 'Give it with --server or HOLDFAST_SERVER.')
  const key = flags.key ?? (env.HOLDFAST_KEY || undefined)
  const verdicts: CaseResult[] = []
  const quiet = flags.json === true || flags.record === true
  const unreachable = (error: Error) => {
    throw new CommandError({
      code: 'server_unreachable',
      message: `Cannot reach the server at ${url}: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
      remedy: 'Check the address and that the server runs.',
      exitCode: EXIT.unavailable,
    })
  }
  const queue = await reserveQueue({ url, key }).catch(unreachable)
  try {
    for (const each of chosen) {
      signal.throwIfAborted()
      const verdict = await runCase({ url, key }, each, queue.name).catch(unreachable)
      verdicts.push(verdict)
      if (!quiet) print(terminal, verdict)
    }
  } finally {
    await queue.giveBack().catch(() => {})
  }
  if (flags.record) terminal.out(JSON.stringify({ cases: verdicts }, null, 2))
  else if (flags.json)
    terminal.out(JSON.stringify({ cases: verdicts.map(({ exchanges: _calls, ...rest }) => rest) }))
  const failed = verdicts.filter(({ ok }) => !ok)
  if (failed.length > 0)
    throw new CommandError({
      code: 'not_conformant',
      message: `${failed.length} of ${many(verdicts.length, 'case')} failed.`,
      remedy: 'docs/worker-protocol.md describes what each call must do.',
      exitCode: EXIT.failed,
    })
}

function print(terminal: CommandContext['terminal'], { ok, id, title, problems }: CaseResult): void {
  const { green, red, dim } = terminal.paint
  terminal.out(`${ok ? green('ok') : red('no')}  ${id.padEnd(18)} ${dim(title)}`)
  for (const problem of problems) terminal.out(`      ${problem}`)
}

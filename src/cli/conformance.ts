/** `holdfast conformance`: does a server speak the worker protocol? Also the cases themselves, for clients in other languages. */
import { Command } from 'commander'
import { CASES } from './conformance/cases.js'
import { takeQueue } from './conformance/own-queue.js'
import { runCase, type Verdict } from './conformance/run.js'
import { CommandError, EXIT } from './failure.js'
import { usageError, withExamples } from './flags.js'
import type { Context } from './program.js'
import { many } from './words.js'

interface Flags {
  readonly server?: string
  readonly key?: string
  readonly only?: string[]
  readonly cases?: boolean
  readonly record?: boolean
  readonly json?: boolean
}

export function conformanceCommand(context: Context): Command {
  const command = new Command('conformance')
    .description('check that a server speaks the worker protocol')
    .option('--server <url>', 'the server (default: HOLDFAST_SERVER)')
    .option('--key <key>', 'a key with the scopes work, enqueue and read (default: HOLDFAST_KEY)')
    .option('--only <ids...>', 'only these cases')
    .option('--cases', 'print the cases as JSON, and run none')
    .option('--record', 'print every call with its whole answer as JSON, for clients to replay')
    .option('--json', 'answer in JSON')
  return withExamples(
    command,
    'holdfast conformance --server http://localhost:4000',
    'holdfast conformance --cases > cases.json',
  ).action((flags: Flags) => conformance(flags, context))
}

async function conformance(flags: Flags, { terminal, env, signal }: Context): Promise<void> {
  const chosen = CASES.filter(({ id }) => flags.only === undefined || flags.only.includes(id))
  if (chosen.length === 0)
    throw usageError('There is no such case.', `Use some of ${CASES.map(({ id }) => id).join(', ')}.`)
  if (flags.cases) return terminal.out(JSON.stringify({ cases: chosen }, null, 2))
  const url = flags.server ?? (env.HOLDFAST_SERVER || undefined)
  if (url === undefined) throw usageError('Which server?', 'Name it with --server or HOLDFAST_SERVER.')
  const key = flags.key ?? (env.HOLDFAST_KEY || undefined)
  const verdicts: Verdict[] = []
  const quiet = flags.json === true || flags.record === true
  const unreachable = (error: Error) => {
    throw new CommandError({
      code: 'server_unreachable',
      message: `The server at ${url} cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
      remedy: 'Check the address and that the server runs.',
      exitCode: EXIT.unavailable,
    })
  }
  const queue = await takeQueue({ url, key }).catch(unreachable)
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
      remedy: 'docs/worker-protocol.md says what each call must do.',
      exitCode: EXIT.failed,
    })
}

function print(terminal: Context['terminal'], { ok, id, title, problems }: Verdict): void {
  const { green, red, dim } = terminal.paint
  terminal.out(`${ok ? green('ok') : red('no')}  ${id.padEnd(18)} ${dim(title)}`)
  for (const problem of problems) terminal.out(`      ${problem}`)
}

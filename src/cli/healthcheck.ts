/** `holdfast healthcheck`: for containers and scripts that start when a server is ready. */
import { Command } from 'commander'
import { CommandError, EXIT } from './failure.js'
import { configOf, type DatabaseFlags, wholeNumber, withExamples } from './flags.js'
import type { Context } from './program.js'
import { addressOf } from './serving.js'

interface Flags extends DatabaseFlags {
  readonly timeoutMs: number
}

export function healthcheckCommand(context: Context): Command {
  const command = new Command('healthcheck')
    .description('whether a server is ready: exit code 0, else 1')
    .option('--server <url>', 'of the server (HOLDFAST_SERVER; default: where `server` would listen)')
    .option('--timeout-ms <n>', 'how long it may take to answer', wholeNumber(1, 60_000), 3_000)
    .option('--config <file>', 'another file than ./holdfast.toml')
    .option('--json', 'answer in JSON')
  return withExamples(
    command,
    'holdfast healthcheck',
    'holdfast healthcheck --server http://localhost:8080',
  ).action((flags: Flags) => healthcheck(flags, context))
}

async function healthcheck({ timeoutMs, ...flags }: Flags, context: Context): Promise<void> {
  const config = configOf(flags, context)
  const given = flags.server ?? (context.env.HOLDFAST_SERVER || undefined)
  const server = given ?? addressOf(config.get('server.host'), config.get('server.port'))
  const problem = await problemAt(server, timeoutMs)
  if (problem !== undefined)
    throw new CommandError({
      code: 'not_ready',
      message: `The server at ${server} is not ready: ${problem}`,
      remedy: 'Look at its log; `holdfast doctor` says what is wrong with its database.',
      exitCode: EXIT.failed,
    })
  context.terminal.out(
    flags.json ? JSON.stringify({ server, ready: true }) : `The server at ${server} is ready.`,
  )
}

/** Undefined: there is none. */
async function problemAt(server: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`${server.replace(/\/+$/, '')}/readyz`, {
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (answer.ok) return undefined
    const { detail = '' } = (await answer.json().catch(() => ({}))) as { detail?: string }
    return detail === '' ? `it answered ${answer.status}.` : detail
  } catch (error) {
    const { name, message, cause } = error as Error
    if (name === 'TimeoutError') return `no answer within ${timeoutMs} ms.`
    return `${(cause as Error | undefined)?.message || message}.`
  }
}

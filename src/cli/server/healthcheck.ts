/** `holdfast healthcheck`: exits with 0 when a server is ready, for containers and scripts. */
import { Command } from 'commander'
import { CommandError, EXIT } from '../failure.js'
import { configOf, type DatabaseFlags, wholeNumber, withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { addressOf } from './serve.js'

interface Flags extends DatabaseFlags {
  readonly timeoutMs: number
}

export function healthcheckCommand(context: CommandContext): Command {
  const command = new Command('healthcheck')
    .description('check that a server is ready: exit code 0, else 1')
    .option('--server <url>', 'address (HOLDFAST_SERVER; default: where `server` listens)')
    .option('--timeout-ms <n>', 'time limit for the response', wholeNumber(1, 60_000), 3_000)
    .option('--config <file>', 'configuration file (default: ./holdfast.toml)')
    .option('--json', 'print JSON')
  return withExamples(
    command,
    'holdfast healthcheck',
    'holdfast healthcheck --server http://localhost:8080',
  ).action((flags: Flags) => healthcheck(flags, context))
}

async function healthcheck({ timeoutMs, ...flags }: Flags, context: CommandContext): Promise<void> {
  const config = configOf(flags, context)
  const given = flags.server ?? (context.env.HOLDFAST_SERVER || undefined)
  const server = given ?? addressOf(config.get('server.host'), config.get('server.port'))
  const problem = await problemAt(server, timeoutMs)
  if (problem !== undefined)
    throw new CommandError({
      code: 'not_ready',
      message: `The server at ${server} is not ready: ${problem}`,
      remedy: 'Read its log, and check its database with `holdfast doctor`.',
      exitCode: EXIT.failed,
    })
  context.terminal.out(
    flags.json ? JSON.stringify({ server, ready: true }) : `The server at ${server} is ready.`,
  )
}

/** Returns undefined when the server is ready. */
async function problemAt(server: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`${server.replace(/\/+$/, '')}/readyz`, {
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (answer.ok) return undefined
    const { detail = '' } = (await answer.json().catch(() => ({}))) as { detail?: string }
    return detail === '' ? `it responded with ${answer.status}.` : detail
  } catch (error) {
    const { name, message, cause } = error as Error
    if (name === 'TimeoutError') return `no response within ${timeoutMs} ms.`
    return `${(cause as Error | undefined)?.message || message}.`
  }
}

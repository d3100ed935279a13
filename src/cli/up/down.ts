/** `holdfast down`: stops the `up` of this folder, and an embedded database that a killed `up` left running. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { findEmbedded } from '../../embedded/find.js'
import { isAlive, type ProcessMark, signal as sendSignal } from '../../embedded/process.js'
import { startEmbedded } from '../../embedded/start.js'
import { CommandError, EXIT } from '../failure.js'
import { configOf, type DatabaseFlags, wholeNumber, withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { findRunning } from './pid-file.js'

interface Flags extends Pick<DatabaseFlags, 'config' | 'json'> {
  readonly now?: boolean
  readonly wait: number
}

export function downCommand(context: CommandContext): Command {
  const command = new Command('down')
    .description('stop the `up` of this folder after its running jobs')
    .option('--now', 'release running jobs at once')
    .option('--wait <seconds>', 'how long to wait', wholeNumber(1, 86_400), 600)
    .option('--config <file>', 'configuration file (default: ./holdfast.toml)')
    .option('--json', 'print JSON')
  return withExamples(command, 'holdfast down', 'holdfast down --now').action((flags: Flags) =>
    down(flags, context),
  )
}

async function down(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const folder = configOf(flags, context).get('database.folder')
  const up = findRunning(folder)
  if (up !== undefined) await end(up, flags, context)
  // A killed `up` leaves its database server running.
  const dir = join(folder, 'pg')
  const left = await findEmbedded({ dir })
  if (left !== undefined && left.ownerPid === undefined) await (await startEmbedded({ dir })).stop()
  const stopped = { pid: up?.pid ?? null, leftOver: left !== undefined && left.ownerPid === undefined }
  if (flags.json) terminal.out(JSON.stringify({ folder, ...stopped }))
  else if (up !== undefined) terminal.out(`Stopped process ${up.pid}. The data is kept in ${folder}.`)
  else if (stopped.leftOver) terminal.out(`Stopped a database that was left running in ${folder}.`)
  else if (left !== undefined)
    terminal.out(
      `Process ${left.ownerPid} uses the database in ${folder}; it is not an \`up\`, so it was not stopped.`,
    )
  else terminal.out('Nothing is up here.')
}

async function end(
  up: ProcessMark,
  { now, wait: seconds }: Flags,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const until = performance.now() + seconds * 1000
  sendSignal(up, 'SIGTERM')
  let hurried = now !== true
  while (isAlive(up)) {
    terminal.status(`process ${up.pid} is waiting for its jobs …`)
    await wait(200, undefined, { signal })
    // Two signals at the same moment may arrive as one, so the second is sent later.
    if (!hurried) sendSignal(up, 'SIGTERM')
    hurried = true
    if (performance.now() > until)
      throw new CommandError({
        code: 'still_up',
        message: `Process ${up.pid} is still waiting for its jobs after ${seconds} s.`,
        remedy: 'Wait longer, or release the jobs with `holdfast down --now`.',
        exitCode: EXIT.temporary,
      })
  }
}

/** `holdfast down`: ends the `up` of this folder, and a database server that one left behind. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { findEmbedded } from '../store/embedded/find.js'
import { isAlive, type ProcessMark, signal as sendSignal } from '../store/embedded/process.js'
import { startEmbedded } from '../store/embedded/start.js'
import { CommandError, EXIT } from './failure.js'
import { configOf, type DatabaseFlags, wholeNumber, withExamples } from './flags.js'
import type { Context } from './program.js'
import { runningUp } from './up/mark.js'

interface Flags extends Pick<DatabaseFlags, 'config' | 'json'> {
  readonly now?: boolean
  readonly wait: number
}

export function downCommand(context: Context): Command {
  const command = new Command('down')
    .description('end the `up` of this folder; running jobs may end first')
    .option('--now', 'give running jobs back at once')
    .option('--wait <seconds>', 'how long to wait for its end', wholeNumber(1, 86_400), 600)
    .option('--config <file>', 'another file than ./holdfast.toml')
    .option('--json', 'answer in JSON')
  return withExamples(command, 'holdfast down', 'holdfast down --now').action((flags: Flags) =>
    down(flags, context),
  )
}

async function down(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  const folder = configOf(flags, context).get('database.folder')
  const up = runningUp(folder)
  if (up !== undefined) await end(up, flags, context)
  // An owner that was killed leaves its server running.
  const dir = join(folder, 'pg')
  const left = await findEmbedded({ dir })
  if (left !== undefined && left.ownerPid === undefined) await (await startEmbedded({ dir })).stop()
  const stopped = { pid: up?.pid ?? null, leftOver: left !== undefined && left.ownerPid === undefined }
  if (flags.json) terminal.out(JSON.stringify({ folder, ...stopped }))
  else if (up !== undefined) terminal.out(`Stopped process ${up.pid}. The data stays in ${folder}.`)
  else if (stopped.leftOver) terminal.out(`Stopped a database that was left running in ${folder}.`)
  else if (left !== undefined)
    terminal.out(
      `Process ${left.ownerPid} uses the database in ${folder}; it is no \`up\`, so it was left alone.`,
    )
  else terminal.out('Nothing is up here.')
}

async function end(
  up: ProcessMark,
  { now, wait: seconds }: Flags,
  { terminal, signal }: Context,
): Promise<void> {
  const until = performance.now() + seconds * 1000
  sendSignal(up, 'SIGTERM')
  let hurried = now !== true
  while (isAlive(up)) {
    terminal.passing(`process ${up.pid} lets its jobs end …`)
    await wait(200, undefined, { signal })
    // Two signals in the same moment may arrive as one.
    if (!hurried) sendSignal(up, 'SIGTERM')
    hurried = true
    if (performance.now() > until)
      throw new CommandError({
        code: 'still_up',
        message: `Process ${up.pid} still lets its jobs end after ${seconds} s.`,
        remedy: 'Wait on, or give the jobs back at once with `holdfast down --now`.',
        exitCode: EXIT.temporary,
      })
  }
}

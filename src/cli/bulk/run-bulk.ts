/**
 * Starts a bulk operation and watches it: preview, confirmation, progress. On Ctrl-C it offers to abort the operation or to leave it running.
 * Through a server, the server carries the operation out; on a database, this process does, together with any worker that runs there.
 */
import { createInterface } from 'node:readline/promises'
import type { BulkCommand } from '../../domain/bulk.js'
import { given } from '../../json/given.js'
import { withConsole } from '../console/connect.js'
import type { Console, ShownBulk } from '../console/console.js'
import { CommandError, EXIT } from '../failure.js'
import {
  type AttributionFlags,
  attributionOf,
  type DatabaseFlags,
  type TenantFlag,
  usageError,
} from '../flags.js'
import { refuseMistake } from '../jobs/list.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'
import { shorten, widthOf } from '../terminal/table.js'
import type { Terminal } from '../terminal/terminal.js'

export type RunFlags = DatabaseFlags &
  AttributionFlags &
  TenantFlag & {
    readonly search: string
    readonly yes?: boolean
    readonly by?: number
    readonly to?: number
  }

type Preview = Awaited<ReturnType<Console['bulk']['preview']>>

export async function runBulk(command: BulkCommand, flags: RunFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  refuseMistake(flags.search)
  const request = {
    tenant: flags.tenant,
    command,
    q: flags.search,
    ...given({ by: flags.by, priority: flags.to }),
  }
  await withConsole(flags, context, async ({ console }) => {
    const preview = await console.bulk.preview(request)
    if (!flags.json) terminal.out(sentenceOf(command, preview))
    if (preview.matched === 0) {
      if (flags.json) terminal.out(JSON.stringify({ preview, operation: null }))
      return
    }
    if (!flags.yes && !(await isConfirmed(command, preview, flags, context))) return
    const started = await console.bulk.start({
      ...request,
      ...attributionOf(flags),
      until: preview.until,
      expected: { matched: preview.matched, capped: preview.matchedCapped },
    })
    const operation = await watch(console, started.operation, flags, context)
    if (flags.json) terminal.out(JSON.stringify({ operation }))
    else terminal.out(endOf(operation))
    if (operation.state === 'failed')
      throw new CommandError({
        code: 'conflict',
        message: `Bulk operation ${operation.id} failed: ${operation.error ?? 'no reason is known'}`,
        remedy: 'Correct the search and start another operation for the jobs that remain.',
        exitCode: EXIT.failed,
      })
  })
}

function countOf({ matched, matchedCapped }: Preview): string {
  return matchedCapped ? `${matched} and more jobs` : many(matched, 'job')
}

function sentenceOf(command: BulkCommand, preview: Preview): string {
  if (preview.matched === 0) return 'No job matches.'
  const states = preview.states.map(({ state, matched }) => `${matched} ${state}`).join(', ')
  const applies =
    preview.applicable === preview.matched
      ? 'applies to all of them'
      : `applies to ${preview.applicable} of them`
  return `${countOf(preview)} ${preview.matched === 1 ? 'matches' : 'match'}: ${states}. ${command} ${applies}.`
}

async function isConfirmed(
  command: BulkCommand,
  preview: Preview,
  { json }: RunFlags,
  context: CommandContext,
): Promise<boolean> {
  if (json || !context.terminal.interactive || process.stdin.isTTY !== true)
    throw usageError(
      `${countOf(preview)} would be changed, and there is no terminal to confirm it.`,
      'Add --yes to go on without a question.',
    )
  return ask(`${command} ${countOf(preview)}? [y/N] `, context.signal)
}

async function ask(question: string, signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  // Ctrl-C at the question ends it like a no; readline would swallow the signal.
  lines.on('SIGINT', () => lines.close())
  try {
    return /^y(es)?$/i.test((await lines.question(question, { signal })).trim())
  } catch {
    return false
  } finally {
    lines.close()
  }
}

async function watch(
  console: Console,
  started: ShownBulk,
  flags: RunFlags,
  context: CommandContext,
): Promise<ShownBulk> {
  const { terminal, interruption, signal } = context
  // The second Ctrl-C answers the question, and does not kill the process in the middle of a page.
  interruption.drains()
  for (let operation = started; ; operation = await console.bulk.get(started.id)) {
    if (operation.state !== 'waiting' && operation.state !== 'running') return operation
    terminal.status(barOf(operation, terminal))
    if (signal.aborted) return leave(console, operation, flags, context)
    await console.bulk.proceed(started.id, signal)
  }
}

/** Interrupted: the operation is aborted if the user wants it, and otherwise goes on without this command. */
async function leave(
  console: Console,
  operation: ShownBulk,
  flags: RunFlags,
  { terminal, interruption }: CommandContext,
): Promise<ShownBulk> {
  const isAsked = terminal.interactive && process.stdin.isTTY === true && !flags.json
  if (
    isAsked &&
    (await ask(`\nAbort bulk operation ${operation.id}? No leaves it running. [y/N] `, interruption.again))
  )
    return console.bulk.abort(operation.id, { ...attributionOf(flags), reason: 'interrupted' })
  return operation
}

const BAR = 24

function barOf(operation: ShownBulk, terminal: Terminal): string {
  const { progress, expected, expectedCapped, matched, failed, state } = operation
  const filled = Math.round((progress ?? 0) * BAR)
  const bar = progress === null ? '' : `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} `
  const total = expected === null ? '' : ` of ${expected}${expectedCapped ? '+' : ''}`
  const refused = failed === 0 ? '' : `, ${failed} refused`
  const error = operation.error === null ? '' : `; ${operation.error}`
  const waits = state === 'waiting' ? '; no process carries it out yet' : ''
  return shorten(`${bar}${matched}${total}${refused}${error}${waits}`, widthOf(terminal) - 1)
}

function endOf(operation: ShownBulk): string {
  const { id, state, done, failed, limitReached } = operation
  const counts = `${many(done, 'job')} changed${failed === 0 ? '' : `, ${failed} refused`}`
  if (state === 'waiting' || state === 'running')
    return `Bulk operation ${id} is left running: ${counts} so far. A server or a worker goes on with it; see \`holdfast bulk show ${id}\`.`
  const details = failed === 0 ? '' : ` \`holdfast bulk show ${id}\` lists the refusals.`
  const limit = limitReached ? ' It ended at its limit; run the command again for the rest.' : ''
  return `Bulk operation ${id} is ${state}: ${counts}.${limit}${details}`
}

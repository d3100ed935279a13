/** `holdfast doctor`: finds problems of a database and prints a fix for each. */
import type { Command } from 'commander'
import { type Examination, examine } from '../../doctor/examine.js'
import { DOCTOR_LIMITS, type Finding } from '../../doctor/finding.js'
import { unreachable } from '../../doctor/server.js'
import { CONNECT_SECONDS, connect, requireDatabase, waitFor } from '../console/connect.js'
import { CommandError, EXIT, failureOf } from '../failure.js'
import { configOf, type DatabaseFlags, databaseCommand, wholeNumber } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'
import { widthOf, wrap } from '../terminal/table.js'

interface DoctorFlags extends DatabaseFlags {
  readonly deep?: boolean
  readonly transactionSec: number
}

export function doctorCommand(context: CommandContext): Command {
  return databaseCommand(
    'doctor',
    'find problems of the database, and print a fix for each',
    'holdfast doctor',
    'holdfast doctor --json --deep',
  )
    .option('--deep', 'also check invariants, which reads whole tables')
    .option(
      '--transaction-sec <n>',
      'report transactions that are open for longer',
      wholeNumber(0),
      DOCTOR_LIMITS.transactionSec,
    )
    .addHelpText('after', '\nRead-only. Exit codes: 0 no problem or only notes, 1 findings, 69 no database.')
    .action((flags: DoctorFlags) => doctor(flags, context))
}

async function doctor(flags: DoctorFlags, context: CommandContext): Promise<void> {
  const config = configOf(flags, context)
  requireDatabase(config, context)
  const { terminal } = context
  const reached = await reach(flags, context)
  if ('unreachable' in reached) {
    const { finding, exitCode } = reached.unreachable
    printResult({ healthy: false, findings: [finding], checks: [] }, flags, context)
    throw new CommandError({ code: finding.code, message: '', remedy: '', exitCode, printed: true })
  }
  const { database, name, notes, close } = reached
  try {
    for (const note of notes) terminal.err(note)
    const examination = await examine(database, config.get('database.schema'), {
      limits: { transactionSec: flags.transactionSec },
      deep: flags.deep === true,
      onCheck: (title, nth, of) => terminal.status(`${nth}/${of}  checking ${title} …`),
    })
    printResult(examination, flags, context, name)
    if (!examination.healthy)
      throw new CommandError({
        code: 'unhealthy',
        message: '',
        remedy: '',
        exitCode: EXIT.failed,
        printed: true,
      })
  } finally {
    await close()
  }
}

/** Reports an unreachable database as a finding with possible causes, instead of failing. */
async function reach(flags: DoctorFlags, context: CommandContext) {
  const config = configOf(flags, context)
  const connected = await connect(config, context)
  try {
    await waitFor(connected, Math.min(CONNECT_SECONDS, config.get('database.wait_seconds')), context)
    return connected
  } catch (error) {
    await connected.close()
    context.signal.throwIfAborted()
    return { unreachable: { finding: unreachable(error), exitCode: failureOf(error).exitCode } }
  }
}

function printResult(
  { healthy, findings, checks }: Examination,
  flags: DoctorFlags,
  { terminal }: CommandContext,
  name?: string,
): void {
  if (flags.json) {
    terminal.out(JSON.stringify({ healthy, findings, checks }))
    return
  }
  const { green, dim } = terminal.paint
  for (const finding of findings) printFinding(finding, terminal)
  const skipped = checks.filter(({ result }) => result === 'skipped')
  for (const { name: check, reason = '' } of skipped)
    block(terminal, dim('skipped'), 9, `${check}: ${reason}`)
  const checked = checks.length - skipped.length
  if (healthy) terminal.out(`${green('✓')} ${name} is healthy: ${many(checked, 'check')} passed.`)
}

function printFinding({ severity, sentence, fix }: Finding, terminal: CommandContext['terminal']): void {
  const { red, yellow, dim } = terminal.paint
  const tint = { problem: red, warning: yellow, note: dim }[severity]
  block(terminal, tint(severity), severity.length + 2, sentence)
  // Not wrapped, so that it can be copied.
  for (const line of fix.split('\n')) terminal.out(`  ${dim('fix')}  ${line}`)
}

function block(terminal: CommandContext['terminal'], label: string, width: number, text: string): void {
  const [first = '', ...rest] = wrap(text, widthOf(terminal) - width)
  terminal.out(`${label}  ${first}`)
  for (const line of rest) terminal.out(`${' '.repeat(width)}${line}`)
}

/** `holdfast doctor`: what is not as it should be in a database, each with what mends it. */
import type { Command } from 'commander'
import { type Examination, examine } from '../store/doctor/examine.js'
import { DOCTOR_LIMITS, type Finding } from '../store/doctor/finding.js'
import { unreachable } from '../store/doctor/server.js'
import { connect, LOOK_SECONDS, refuseNothing, waitFor } from './connect.js'
import { CommandError, EXIT, failureOf } from './failure.js'
import { configOf, type DatabaseFlags, databaseCommand, wholeNumber } from './flags.js'
import type { Context } from './program.js'
import { widthOf, wrap } from './table.js'
import { many } from './words.js'

interface DoctorFlags extends DatabaseFlags {
  readonly deep?: boolean
  readonly transactionSec: number
}

export function doctorCommand(context: Context): Command {
  return databaseCommand(
    'doctor',
    'look for what is wrong with the database, and say what mends it',
    'holdfast doctor',
    'holdfast doctor --json --deep',
  )
    .option('--deep', 'also look for broken rules, which reads whole tables')
    .option(
      '--transaction-sec <n>',
      'how long a transaction may be open',
      wholeNumber(0),
      DOCTOR_LIMITS.transactionSec,
    )
    .addHelpText('after', '\nIt only reads. Exit codes: 0 nothing but notes, 1 findings, 69 no database.')
    .action((flags: DoctorFlags) => doctor(flags, context))
}

async function doctor(flags: DoctorFlags, context: Context): Promise<void> {
  const config = configOf(flags, context)
  refuseNothing(config)
  const { terminal } = context
  const reached = await reach(flags, context)
  if ('unreachable' in reached) {
    const { finding, exitCode } = reached.unreachable
    tell({ healthy: false, findings: [finding], checks: [] }, flags, context)
    throw new CommandError({ code: finding.code, message: '', remedy: '', exitCode, told: true })
  }
  const { database, name, notes, close } = reached
  try {
    for (const note of notes) terminal.err(note)
    const examination = await examine(database, config.get('database.schema'), {
      limits: { transactionSec: flags.transactionSec },
      deep: flags.deep === true,
      onCheck: (title, nth, of) => terminal.passing(`${nth}/${of}  looking at ${title} …`),
    })
    tell(examination, flags, context, name)
    if (!examination.healthy)
      throw new CommandError({
        code: 'unhealthy',
        message: '',
        remedy: '',
        exitCode: EXIT.failed,
        told: true,
      })
  } finally {
    await close()
  }
}

/** A database that does not answer is what a doctor is called for: it says what may be the cause. */
async function reach(flags: DoctorFlags, context: Context) {
  const config = configOf(flags, context)
  const connected = await connect(config, context)
  try {
    await waitFor(connected, Math.min(LOOK_SECONDS, config.get('database.wait_seconds')), context)
    return connected
  } catch (error) {
    await connected.close()
    context.signal.throwIfAborted()
    return { unreachable: { finding: unreachable(error), exitCode: failureOf(error).exitCode } }
  }
}

function tell(
  { healthy, findings, checks }: Examination,
  flags: DoctorFlags,
  { terminal }: Context,
  name?: string,
): void {
  if (flags.json) {
    terminal.out(JSON.stringify({ healthy, findings, checks }))
    return
  }
  const { green, dim } = terminal.paint
  for (const finding of findings) tellFinding(finding, terminal)
  const skipped = checks.filter(({ result }) => result === 'skipped')
  for (const { name: check, reason = '' } of skipped)
    block(terminal, dim('skipped'), 9, `${check}: ${reason}`)
  const looked = checks.length - skipped.length
  if (healthy) terminal.out(`${green('✓')} ${name} is well: ${many(looked, 'thing')} looked at.`)
}

function tellFinding({ severity, sentence, fix }: Finding, terminal: Context['terminal']): void {
  const { red, yellow, dim } = terminal.paint
  const tint = { problem: red, warning: yellow, note: dim }[severity]
  block(terminal, tint(severity), severity.length + 2, sentence)
  // As it is, so that it can be copied.
  for (const line of fix.split('\n')) terminal.out(`  ${dim('mend')}  ${line}`)
}

function block(terminal: Context['terminal'], word: string, width: number, text: string): void {
  const [first = '', ...rest] = wrap(text, widthOf(terminal) - width)
  terminal.out(`${word}  ${first}`)
  for (const line of rest) terminal.out(`${' '.repeat(width)}${line}`)
}

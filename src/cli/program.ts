/** The command line: which commands there are, and how each of them ends. What a command does is in the file of its name. */
import { Command, CommanderError } from 'commander'
import { PACKAGE_VERSION } from '../store/package.js'
import { alertsCommand } from './alerts.js'
import { auditCommand } from './audit.js'
import { configCommand } from './config.js'
import { conformanceCommand } from './conformance.js'
import { demoCommand } from './demo.js'
import { doctorCommand } from './doctor.js'
import { downCommand } from './down.js'
import { enqueueCommand } from './enqueue.js'
import { EXIT, failureOf, printFailure } from './failure.js'
import { healthcheckCommand } from './healthcheck.js'
import { type Interruption, listenForInterruption } from './interruption.js'
import { itemsCommand } from './items.js'
import { jobsCommand } from './jobs.js'
import { keysCommand } from './keys.js'
import { kindsCommand } from './kinds.js'
import { migrateCommand } from './migrate.js'
import { queuesCommand } from './queues.js'
import { schedulesCommand } from './schedules.js'
import { serverCommand } from './server.js'
import { settingsCommand } from './settings.js'
import { sqsCommand } from './sqs.js'
import { statsCommand } from './stats.js'
import { subjectsCommand } from './subjects.js'
import { targetsCommand } from './targets.js'
import { tenantsCommand } from './tenants.js'
import { openTerminal, type Terminal } from './terminal.js'
import { upCommand } from './up.js'
import { upkeepCommand } from './upkeep.js'
import { webhooksCommand } from './webhooks.js'
import { workerCommand } from './worker.js'
import { workersCommand } from './workers.js'

export interface Context {
  readonly terminal: Terminal
  /** Aborts when the user interrupts or nobody reads our output any more. */
  readonly signal: AbortSignal
  readonly interruption: Interruption
  readonly env: NodeJS.ProcessEnv
}

const FOOTER = `
Start here:
  holdfast up --demo     database, workers and something to do
  holdfast worker FILE   runs your own jobs
  holdfast migrate up    puts the schema into the database of DATABASE_URL

Exit codes:
  0 done · 1 failed or refused · 2 wrong usage · 69 database unavailable
  75 try again · 78 wrong configuration · 130 interrupted · 143 terminated`

/** In the order of the help: to begin, to make and follow jobs, to look around, to set up. */
const COMMANDS = [
  upCommand,
  downCommand,
  workerCommand,
  serverCommand,
  demoCommand,
  enqueueCommand,
  jobsCommand,
  queuesCommand,
  schedulesCommand,
  statsCommand,
  targetsCommand,
  itemsCommand,
  subjectsCommand,
  kindsCommand,
  workersCommand,
  alertsCommand,
  webhooksCommand,
  settingsCommand,
  upkeepCommand,
  sqsCommand,
  keysCommand,
  tenantsCommand,
  auditCommand,
  migrateCommand,
  doctorCommand,
  healthcheckCommand,
  conformanceCommand,
  configCommand,
]

/** Answers the exit code; never throws. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const terminal = openTerminal(process.stdout, process.stderr, env)
  const interruption = listenForInterruption(env)
  const signal = AbortSignal.any([interruption.signal, terminal.unread])
  const json = argv.includes('--json')
  let complaint = ''
  const program = new Command('holdfast')
    .description('Durable jobs for TypeScript, on Postgres.')
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', FOOTER)
  const commands = COMMANDS.map((command) => command({ terminal, signal, interruption, env }))
  for (const command of [program, ...commands, ...commands.flatMap((parent) => parent.commands)]) {
    // Only the name: arguments and flags stand in the help of the command itself, and a line has 80 columns.
    command.configureHelp({ subcommandTerm: (each) => each.name() })
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => {
        complaint += text
      },
    })
  }
  for (const command of commands) program.addCommand(command)
  try {
    await program.parseAsync([...argv])
    return interruption.exitCode() ?? EXIT.ok
  } catch (error) {
    // An interrupted command fails in whatever it was doing; that is no news.
    const code = interruption.exitCode()
    if (code !== undefined) return code
    if (terminal.unread.aborted) return EXIT.ok
    if (error instanceof CommanderError) return usage(terminal, error, complaint.trimEnd(), json)
    const failure = failureOf(error)
    if (failure.told !== true) printFailure(terminal, failure, { json })
    return failure.exitCode
  } finally {
    interruption.release()
  }
}

function usage(terminal: Terminal, error: CommanderError, complaint: string, json: boolean): number {
  if (error.exitCode === 0) return EXIT.ok
  const message = complaint.replace(/^error: /, '')
  // Without a command, commander shows the help where an error would stand; it is more than a message.
  if (error.code === 'commander.help' && !json) terminal.err(complaint)
  else {
    const remedy =
      'Run `holdfast --help` to see the commands, and `holdfast <command> --help` for one of them.'
    printFailure(terminal, { code: 'usage', message, remedy, exitCode: EXIT.usage }, { json })
  }
  return EXIT.usage
}

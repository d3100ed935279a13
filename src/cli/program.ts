/** The command line: which commands there are, and how each of them ends. What a command does is in the file of its name. */
import { Command, CommanderError } from 'commander'
import { PACKAGE_VERSION } from '../store/package.js'
import { EXIT, failureOf, printFailure } from './failure.js'
import { type Interruption, listenForInterruption } from './interruption.js'
import { openTerminal, type Terminal } from './terminal.js'

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

/**
 * In the order of the help: to begin, to make and follow jobs, to look around, to set up. Each is loaded when it is asked for: all of them,
 * with the server and the worker among them, take twice as long.
 */
const COMMANDS: Readonly<Record<string, () => Promise<(context: Context) => Command>>> = {
  up: async () => (await import('./up.js')).upCommand,
  down: async () => (await import('./down.js')).downCommand,
  worker: async () => (await import('./worker.js')).workerCommand,
  server: async () => (await import('./server.js')).serverCommand,
  demo: async () => (await import('./demo.js')).demoCommand,
  enqueue: async () => (await import('./enqueue.js')).enqueueCommand,
  jobs: async () => (await import('./jobs.js')).jobsCommand,
  queues: async () => (await import('./queues.js')).queuesCommand,
  schedules: async () => (await import('./schedules.js')).schedulesCommand,
  stats: async () => (await import('./stats.js')).statsCommand,
  targets: async () => (await import('./targets.js')).targetsCommand,
  items: async () => (await import('./items.js')).itemsCommand,
  subjects: async () => (await import('./subjects.js')).subjectsCommand,
  kinds: async () => (await import('./kinds.js')).kindsCommand,
  workers: async () => (await import('./workers.js')).workersCommand,
  alerts: async () => (await import('./alerts.js')).alertsCommand,
  webhooks: async () => (await import('./webhooks.js')).webhooksCommand,
  settings: async () => (await import('./settings.js')).settingsCommand,
  upkeep: async () => (await import('./upkeep.js')).upkeepCommand,
  sqs: async () => (await import('./sqs.js')).sqsCommand,
  keys: async () => (await import('./keys.js')).keysCommand,
  tenants: async () => (await import('./tenants.js')).tenantsCommand,
  audit: async () => (await import('./audit.js')).auditCommand,
  migrate: async () => (await import('./migrate.js')).migrateCommand,
  doctor: async () => (await import('./doctor.js')).doctorCommand,
  healthcheck: async () => (await import('./healthcheck.js')).healthcheckCommand,
  conformance: async () => (await import('./conformance.js')).conformanceCommand,
  config: async () => (await import('./config.js')).configCommand,
}

/** The one that is named; or all, for the help and for whoever has made a mistake. */
async function wanted([named = '']: readonly string[], context: Context): Promise<Command[]> {
  if (named === '--version' || named === '-V') return []
  const load = Object.hasOwn(COMMANDS, named) ? COMMANDS[named] : undefined
  const loading = load === undefined ? Object.values(COMMANDS) : [load]
  const made = await Promise.all(loading.map((one) => one()))
  return made.map((command) => command(context))
}

type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr'>

/** Answers the exit code; never throws. */
export async function run(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  { stdout, stderr }: Streams = process,
): Promise<number> {
  const terminal = openTerminal(stdout, stderr, env)
  const interruption = listenForInterruption(env)
  const signal = AbortSignal.any([interruption.signal, terminal.unread])
  const json = argv.includes('--json')
  let complaint = ''
  const program = new Command('holdfast')
    .description('Durable jobs for TypeScript, on Postgres.')
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', FOOTER)
  const commands = await wanted(argv.slice(2), { terminal, signal, interruption, env })
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

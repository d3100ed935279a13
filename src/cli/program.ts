/** The command line: the list of commands, argument parsing, and exit codes. Each command is in the file of its name. */
import { Command, CommanderError } from 'commander'
import { PACKAGE_VERSION } from '../database/package.js'
import { EXIT, failureOf, printFailure } from './failure.js'
import { withExamplesBelow } from './flags.js'
import { type Interruption, listenForInterruption } from './terminal/interruption.js'
import { openTerminal, type Terminal } from './terminal/terminal.js'
import { usageOf } from './usage.js'

export interface CommandContext {
  readonly terminal: Terminal
  /** Aborts on an interrupt, and when the reader of stdout has closed the pipe. */
  readonly signal: AbortSignal
  readonly interruption: Interruption
  readonly env: NodeJS.ProcessEnv
}

const FOOTER = `
Start here:
  holdfast init my-app   create an app with jobs, a web process and a worker
  holdfast up --demo     start a database, workers and simulated jobs
  holdfast worker FILE   run your own jobs
  holdfast dashboard     look into the database of DATABASE_URL
  holdfast migrate up    install the schema in the database of DATABASE_URL

Exit codes:
  0 done · 1 failed or refused · 2 wrong usage · 69 database unavailable
  75 try again · 78 wrong configuration · 130 interrupted · 143 terminated`

/**
 * In the order of the help: start, run, jobs, queues, operations, access, database. Only the named command is imported: importing all of them,
 * server and worker included, would double the start-up time.
 */
const COMMANDS: Readonly<Record<string, () => Promise<(context: CommandContext) => Command>>> = {
  init: async () => (await import('./init/init.js')).initCommand,
  up: async () => (await import('./up/up.js')).upCommand,
  down: async () => (await import('./up/down.js')).downCommand,
  worker: async () => (await import('./worker/worker.js')).workerCommand,
  server: async () => (await import('./server/server.js')).serverCommand,
  dashboard: async () => (await import('./server/dashboard.js')).dashboardCommand,
  demo: async () => (await import('./demo/demo.js')).demoCommand,
  docs: async () => (await import('./server/docs.js')).docsCommand,
  enqueue: async () => (await import('./jobs/enqueue.js')).enqueueCommand,
  jobs: async () => (await import('./jobs/jobs.js')).jobsCommand,
  bulk: async () => (await import('./bulk/bulk.js')).bulkCommand,
  queues: async () => (await import('./queues/queues.js')).queuesCommand,
  schedules: async () => (await import('./schedules/schedules.js')).schedulesCommand,
  top: async () => (await import('./top/top.js')).topCommand,
  overview: async () => (await import('./queues/overview.js')).overviewCommand,
  errors: async () => (await import('./queues/errors.js')).errorsCommand,
  stats: async () => (await import('./queues/stats.js')).statsCommand,
  targets: async () => (await import('./queues/targets.js')).targetsCommand,
  items: async () => (await import('./jobs/items.js')).itemsCommand,
  subjects: async () => (await import('./queues/subjects.js')).subjectsCommand,
  kinds: async () => (await import('./queues/kinds.js')).kindsCommand,
  workers: async () => (await import('./queues/workers.js')).workersCommand,
  alerts: async () => (await import('./alerts/alerts.js')).alertsCommand,
  webhooks: async () => (await import('./alerts/webhooks.js')).webhooksCommand,
  settings: async () => (await import('./database/settings.js')).settingsCommand,
  upkeep: async () => (await import('./database/upkeep.js')).upkeepCommand,
  sqs: async () => (await import('./worker/sqs.js')).sqsCommand,
  keys: async () => (await import('./access/keys.js')).keysCommand,
  tenants: async () => (await import('./access/tenants.js')).tenantsCommand,
  audit: async () => (await import('./access/audit.js')).auditCommand,
  migrate: async () => (await import('./database/migrate.js')).migrateCommand,
  move: async () => (await import('./database/move.js')).moveCommand,
  doctor: async () => (await import('./database/doctor.js')).doctorCommand,
  healthcheck: async () => (await import('./server/healthcheck.js')).healthcheckCommand,
  conformance: async () => (await import('./conformance/conformance.js')).conformanceCommand,
  config: async () => (await import('./database/config.js')).configCommand,
  completion: async () => (await import('./completion/completion.js')).completionCommand,
}

/** Imports the named command; without a known name it imports all of them, for the help and for suggestions, and for `completion`. */
async function importCommands([name = '']: readonly string[], context: CommandContext): Promise<Command[]> {
  if (name === '--version' || name === '-V') return []
  const isAlone = Object.hasOwn(COMMANDS, name) && name !== 'completion'
  const load = isAlone ? COMMANDS[name] : undefined
  const loaders = load === undefined ? Object.values(COMMANDS) : [load]
  const factories = await Promise.all(loaders.map((loader) => loader()))
  return factories.map((command) => command(context))
}

type Streams = Pick<NodeJS.Process, 'stdout' | 'stderr'>

/** Returns the exit code; never throws. */
export async function run(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  { stdout, stderr }: Streams = process,
): Promise<number> {
  const terminal = openTerminal(stdout, stderr, env)
  const interruption = listenForInterruption(env)
  const signal = AbortSignal.any([interruption.signal, terminal.unread])
  const json = argv.includes('--json')
  let usageText = ''
  let misused: Command | undefined
  const program = new Command('holdfast')
    .description('Durable jobs for TypeScript, on Postgres.')
    .version(PACKAGE_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', FOOTER)
  const commands = await importCommands(argv.slice(2), { terminal, signal, interruption, env })
  for (const command of [program, ...commands, ...commands.flatMap((parent) => parent.commands)]) {
    // Lists subcommands by name alone, so that lines fit in 80 columns; each command's own help has its arguments.
    command.configureHelp({ subcommandTerm: (subcommand) => subcommand.name() })
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => {
        usageText += text
        misused = command
      },
    })
  }
  for (const command of commands) {
    withExamplesBelow(command)
    program.addCommand(command)
  }
  try {
    await program.parseAsync([...argv])
    return interruption.exitCode() ?? EXIT.ok
  } catch (error) {
    // An interrupted command fails with some abort error, which the user does not need to see.
    const code = interruption.exitCode()
    if (code !== undefined) return code
    if (terminal.unread.aborted) return EXIT.ok
    if (error instanceof CommanderError)
      return printUsage(terminal, error, { command: misused ?? program, text: usageText.trimEnd(), json })
    const failure = failureOf(error)
    if (failure.printed !== true) printFailure(terminal, failure, { json })
    return failure.exitCode
  } finally {
    interruption.release()
  }
}

interface Misuse {
  readonly command: Command
  /** What commander wrote about it. */
  readonly text: string
  readonly json: boolean
}

function printUsage(terminal: Terminal, error: CommanderError, { command, text, json }: Misuse): number {
  if (error.exitCode === 0) return EXIT.ok
  // Without a command, commander reports the whole help as the error.
  const isHelp = error.code === 'commander.help'
  if (isHelp && !json) terminal.err(text)
  else
    printFailure(
      terminal,
      { code: 'usage', ...usageOf(command, text, isHelp), exitCode: EXIT.usage },
      { json },
    )
  return EXIT.usage
}

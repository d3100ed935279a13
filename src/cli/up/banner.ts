/** The banner of `up`: addresses of dashboard, API and database, workers, and one command to try next. */
import { relative, sep } from 'node:path'
import type { App } from '../../app/holdfast.js'
import type { Config } from '../../config/resolve.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { DEFAULT_SCHEMA } from '../../database/schema.js'
import { DEMO_QUEUE } from '../demo/load.js'
import type { CommandContext } from '../program.js'
import type { Serving } from '../server/serve.js'
import { many, span } from '../terminal/format.js'
import type { CommandLog } from '../terminal/log.js'
import type { Terminal } from '../terminal/terminal.js'
import { databaseName } from '../worker/app.js'
import type { JobModules } from '../worker/job-module.js'

export async function printBanner(
  app: App,
  config: Config,
  started: JobModules & {
    readonly demo: boolean
    readonly tookMs: number
    /** The keys `o` and `q` work. */
    readonly keys: boolean
    readonly serving: Pick<Serving, 'url' | 'dashboard'> | undefined
  },
  { terminal }: CommandContext,
  log: CommandLog,
): Promise<void> {
  const place = databaseName(config)
  const { url: server = '', dashboard = '' } = started.serving ?? {}
  const postgres = await versionOf(app)
  const schema = config.get('database.schema')
  const kinds = started.jobs.map(({ kind }) => kind)
  for (const note of app.notes) log.warn({ event: 'database_notice' }, note)
  if (!log.pretty) {
    log.info(
      {
        event: 'up_started',
        version: PACKAGE_VERSION,
        database: place,
        postgres,
        schema,
        server,
        dashboard,
        kinds,
      },
      'up',
    )
    return
  }
  const { bold, dim, green } = terminal.paint
  const line = (label: string, text: string) =>
    terminal.out(`  ${green('✓')} ${dim(label.padEnd(10))} ${text}`)
  terminal.out(
    `\n  ${bold('holdfast')} ${PACKAGE_VERSION}  ${dim('durable jobs for TypeScript, on Postgres')}\n`,
  )
  line('dashboard', bold(dashboard))
  line('API', `${server}  ${dim(`docs at ${server}/docs`)}`)
  line('database', `Postgres ${postgres}, ready in ${span(started.tookMs)}`)
  line('data', schema === DEFAULT_SCHEMA ? place : `${place}, schema ${schema}`)
  if (kinds.length > 0) {
    const [countMin, countMax] = [config.get('workers.default_count'), config.get('workers.max_count')]
    line('workers', countMin === countMax ? String(countMax) : `${countMin}, up to ${countMax} under load`)
    line(
      'kinds',
      started.demo ? `${many(kinds.length, 'kind')} of work; see \`kinds --catalogue\`` : kinds.join(', '),
    )
  }
  printNext(started, terminal)
}

function printNext(
  started: JobModules & { readonly demo: boolean; readonly keys: boolean },
  terminal: Terminal,
): void {
  const { bold, dim } = terminal.paint
  const [purpose, command] = tryNext(started)
  terminal.out(`\n  ${dim(`${purpose} Paste this in another terminal, in this folder:`)}`)
  terminal.out(`    ${callOf()} ${command}\n`)
  const stops = 'waits for running jobs and stops; the data is kept'
  if (started.keys)
    terminal.out(`  ${bold('o')} ${dim('opens the dashboard')}   ${bold('q')} ${dim(stops)}\n`)
  else terminal.out(`  ${dim(`Ctrl-C ${stops}.`)}\n`)
}

/** What a person who sees the banner for the first time does next. */
function tryNext({ demo, jobs }: JobModules & { demo: boolean }): [purpose: string, command: string] {
  const [first] = jobs
  if (demo) return ['Enqueue a job.', `enqueue ${DEMO_QUEUE} send-email '{"to":"ada"}'`]
  if (first === undefined) return ['Run your jobs.', 'worker ./jobs.js']
  return ['Enqueue a job.', `enqueue ${first.queue} ${first.kind} '{}'`]
}

/** How this program was started, so that the printed commands can be pasted. */
function callOf(): string {
  const path = relative(process.cwd(), process.argv[1] ?? '')
  if (path.split(sep).includes('node_modules')) return 'npx holdfast'
  return path.startsWith('..') || path === '' ? 'holdfast' : `node ${path}`
}

async function versionOf({ store }: App): Promise<string> {
  const [row] = await store.database.query<{ version: string }>(
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  )
  return row?.version ?? ''
}

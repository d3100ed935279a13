/** `holdfast migrate`: brings a database to the schema this version needs, or says how far it is. */
import { Command } from 'commander'
import { type MigrationStatus, migrateUp, migrationSql, migrationStatus } from '../store/migrate.js'
import { DEFAULT_SCHEMA } from '../store/schema.js'
import { type Connected, connect, urlFrom } from './connect.js'
import type { Context } from './program.js'

interface Options {
  readonly url?: string
  readonly schema: string
  readonly json?: boolean
}

export function migrateCommand(context: Context): Command {
  const command = new Command('migrate').description('put the schema into a database, or look how far it is')
  command.addCommand(
    withOptions('up', 'bring the schema up to date; safe to run again, and from many places at once').action(
      (options: Options) => up(options, context),
    ),
  )
  command.addCommand(
    withOptions('status', 'say how far the schema is, change nothing').action((options: Options) =>
      status(options, context),
    ),
  )
  command.addCommand(
    withOptions('sql', 'print what `up` would run, for a database owner to apply')
      .addHelpText('after', '\nWithout --url and DATABASE_URL: the whole script, for a new database.')
      .action((options: Options) => sql(options, context)),
  )
  return command
}

function withOptions(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <url>', 'the database (default: DATABASE_URL, else the embedded one in ./.holdfast)')
    .option('--schema <name>', 'the schema Holdfast lives in', DEFAULT_SCHEMA)
    .option('--json', 'answer in JSON')
}

async function up({ url, schema, json }: Options, context: Context): Promise<void> {
  await withDatabase(url, context, async ({ database, name }) => {
    const result = await migrateUp(database, schema)
    const { terminal } = context
    if (json) return terminal.out(JSON.stringify({ database: name, ...result }))
    for (const migration of result.applied) terminal.out(`${terminal.paint.green('applied')}  ${migration}`)
    terminal.out(`The schema ${schema} is at version ${result.version} in ${name}.`)
    if (result.functions === 'newer')
      terminal.out('Its functions are of a later version and were left as they are.')
  })
}

async function status({ url, schema, json }: Options, context: Context): Promise<void> {
  await withDatabase(url, context, async ({ database, name }) => {
    const found = await migrationStatus(database, schema)
    const { terminal } = context
    if (json) return terminal.out(JSON.stringify({ database: name, ...found, state: stateOf(found) }))
    const row = (label: string, value: string) =>
      terminal.out(`${terminal.paint.dim(label.padEnd(10))} ${value}`)
    row('database', name)
    row('schema', schema)
    row('version', `${found.version} of ${found.latest}`)
    row('functions', found.functions)
    for (const migration of found.pending) row('pending', migration)
    terminal.out(SENTENCES[stateOf(found)])
  })
}

async function sql({ url, schema, json }: Options, context: Context): Promise<void> {
  const { terminal, env } = context
  const print = (text: string) => terminal.out(json ? JSON.stringify({ schema, sql: text }) : text)
  if (urlFrom(url, env) === undefined) return print(await migrationSql(undefined, schema))
  await withDatabase(url, context, async ({ database }) => print(await migrationSql(database, schema)))
}

type State = 'missing' | 'behind' | 'ahead' | 'current'

function stateOf({ version, latest, functions }: MigrationStatus): State {
  if (version === 0) return 'missing'
  if (version > latest) return 'ahead'
  return version < latest || functions === 'missing' || functions === 'stale' ? 'behind' : 'current'
}

const SENTENCES: Record<State, string> = {
  missing: 'Holdfast is not in this database yet: run `holdfast migrate up`.',
  behind: 'This database is behind: run `holdfast migrate up`.',
  ahead: 'This database is ahead of this program: use a newer holdfast.',
  current: 'Up to date.',
}

async function withDatabase(
  url: string | undefined,
  context: Context,
  work: (connected: Connected) => Promise<void>,
): Promise<void> {
  const connected = await connect(url, context)
  try {
    for (const note of connected.notes) context.terminal.err(note)
    await work(connected)
  } finally {
    await connected.close()
  }
}

/** `holdfast migrate`: installs or updates the schema, shows its version, or prints the SQL. */
import { Command } from 'commander'
import { type MigrationStatus, migrateUp, migrationSql, migrationStatus } from '../../database/migrate.js'
import { type Connected, connect, waitFor } from '../console/connect.js'
import { CommandError, EXIT } from '../failure.js'
import { configOf, type DatabaseFlags, databaseCommand } from '../flags.js'
import type { CommandContext } from '../program.js'

export function migrateCommand(context: CommandContext): Command {
  const command = new Command('migrate').description('install, update or inspect the schema')
  command.addCommand(
    databaseCommand(
      'up',
      'update the schema; safe to repeat and to run concurrently',
      'DATABASE_URL=postgres://localhost/shop holdfast migrate up',
    ).action((options: DatabaseFlags) => up(options, context)),
  )
  command.addCommand(
    databaseCommand(
      'status',
      'show the version of the schema',
      'holdfast migrate status --json',
      'holdfast migrate status --check || holdfast migrate up',
    )
      .option('--check', 'exit with 1 unless the schema is up to date')
      .action((options: StatusFlags) => status(options, context)),
  )
  command.addCommand(
    databaseCommand('sql', 'print the SQL that `up` would run', 'holdfast migrate sql > holdfast.sql')
      .addHelpText('after', '\nWithout --url and DATABASE_URL: the complete script for a new database.')
      .action((options: DatabaseFlags) => sql(options, context)),
  )
  return command
}

async function up(flags: DatabaseFlags, context: CommandContext): Promise<void> {
  await withDatabase(flags, context, async ({ database, name, schema }) => {
    const result = await migrateUp(database, schema)
    const { terminal } = context
    if (flags.json) return terminal.out(JSON.stringify({ database: name, ...result }))
    for (const migration of result.applied) terminal.out(`${terminal.paint.green('applied')}  ${migration}`)
    terminal.out(`The schema ${schema} is at version ${result.version} in ${name}.`)
    if (result.functions === 'newer')
      terminal.out('Its functions are of a newer version and were not replaced.')
  })
}

interface StatusFlags extends DatabaseFlags {
  readonly check?: boolean
}

async function status(flags: StatusFlags, context: CommandContext): Promise<void> {
  await withDatabase(flags, context, async ({ database, name, schema }) => {
    const found = await migrationStatus(database, schema)
    const { terminal } = context
    const state = stateOf(found)
    if (flags.json) terminal.out(JSON.stringify({ database: name, ...found, state }))
    else printStatus(context, name, schema, found)
    if (flags.check === true && state !== 'current')
      throw new CommandError({
        code: `schema_${state}`,
        message: SENTENCES[state],
        remedy: '',
        exitCode: EXIT.failed,
        printed: true,
      })
  })
}

function printStatus(
  { terminal }: CommandContext,
  name: string,
  schema: string,
  found: MigrationStatus,
): void {
  const row = (label: string, value: string) =>
    terminal.out(`${terminal.paint.dim(label.padEnd(10))} ${value}`)
  row('database', name)
  row('schema', schema)
  row('version', `${found.version} of ${found.latest}`)
  row('functions', found.functions)
  for (const migration of found.pending) row('pending', migration)
  terminal.out(SENTENCES[stateOf(found)])
}

async function sql(flags: DatabaseFlags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const config = configOf(flags, context)
  const schema = config.get('database.schema')
  const print = (text: string) => terminal.out(flags.json ? JSON.stringify({ schema, sql: text }) : text)
  if (config.get('database.url') === undefined) return print(await migrationSql(undefined, schema))
  await withDatabase(flags, context, async ({ database }) => print(await migrationSql(database, schema)))
}

type SchemaState = 'missing' | 'behind' | 'ahead' | 'current'

function stateOf({ version, latest, functions }: MigrationStatus): SchemaState {
  if (version === 0) return 'missing'
  if (version > latest) return 'ahead'
  return version < latest || functions === 'missing' || functions === 'stale' ? 'behind' : 'current'
}

const SENTENCES: Record<SchemaState, string> = {
  missing: 'Holdfast is not installed in this database: run `holdfast migrate up`.',
  behind: 'The schema of this database is outdated: run `holdfast migrate up`.',
  ahead: 'The schema of this database is newer than this program: use a newer holdfast.',
  current: 'Up to date.',
}

async function withDatabase(
  flags: DatabaseFlags,
  context: CommandContext,
  work: (connected: Connected & { schema: string }) => Promise<void>,
): Promise<void> {
  const config = configOf(flags, context)
  const connected = await connect(config, context)
  try {
    for (const note of connected.notes) context.terminal.err(note)
    await waitFor(connected, config.get('database.wait_seconds'), context)
    await work({ ...connected, schema: config.get('database.schema') })
  } finally {
    await connected.close()
  }
}

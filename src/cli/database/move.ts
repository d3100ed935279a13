/** `holdfast move`: copies the embedded database of a folder into an empty Postgres database, or takes the mark of a move off again. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import type { Database } from '../../database/database.js'
import { MoveRefused } from '../../database/move/checks.js'
import { unmarkSource } from '../../database/move/marks.js'
import { type MoveProgress, type MoveResult, moveDatabase } from '../../database/move/move.js'
import { openPostgres } from '../../database/postgres.js'
import { POSTGRES_ADDRESS } from '../../domain/validate.js'
import { EmbeddedInUse } from '../../embedded/errors.js'
import { openEmbedded } from '../../store/open-embedded.js'
import { CONNECT_SECONDS, waitFor } from '../console/connect.js'
import { CommandError, EXIT, failureOf } from '../failure.js'
import { configOf, type DatabaseFlags, usageError, withExamples } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'
import { maskAddress } from '../terminal/mask.js'
import { printTable } from '../terminal/table.js'
import type { Terminal } from '../terminal/terminal.js'

interface Flags extends Pick<DatabaseFlags, 'schema' | 'config' | 'json'> {
  readonly to?: string
  readonly undo?: boolean
}

export function moveCommand(context: CommandContext): Command {
  const command = new Command('move')
    .description('copy the embedded database into a Postgres of your own')
    .option('--to <url>', 'empty Postgres database to move to')
    .addOption(new Option('--undo', 'work on the embedded database again').conflicts('to'))
    .option('--schema <name>', 'schema of Holdfast (default: holdfast)')
    .option('--config <file>', 'configuration file (default: ./holdfast.toml)')
    .option('--json', 'print JSON')
  return withExamples(command, 'holdfast move --to "$DATABASE_URL"', 'holdfast move --undo').action(
    (flags: Flags) => (flags.undo === true ? undo(flags, context) : move(flags, context)),
  )
}

async function move(flags: Flags, context: CommandContext): Promise<void> {
  const { to } = flags
  if (to === undefined)
    throw usageError('The destination is missing.', 'Give it with --to, or take a move back with --undo.')
  if (!POSTGRES_ADDRESS.pattern.test(to))
    throw usageError(`--to must be ${POSTGRES_ADDRESS.must}.`, 'Correct the value and run the command again.')
  const schema = configOf(flags, context).get('database.schema')
  await withSource(flags, context, async (source, folder) => {
    const destination = openPostgres({ url: to, connections: 2, applicationName: 'holdfast move' })
    try {
      const name = maskAddress(to)
      await waitFor({ database: destination, name }, CONNECT_SECONDS, context)
      const result = await moveDatabase({
        source,
        destination,
        schema,
        from: `the embedded database in ${folder}`,
        to: name,
        signal: context.signal,
        onProgress: (progress) => context.terminal.status(progressLine(progress)),
      })
      print(result, { folder, to: name, schema }, flags, context)
    } catch (error) {
      if (context.signal.aborted)
        context.terminal.err(
          'Interrupted. What was copied stays at the destination, and neither side runs jobs: run the same command again to continue, or holdfast move --undo.',
        )
      throw aboutDestination(error)
    } finally {
      await destination.close()
    }
  })
}

const CONTINUE =
  'Check that Postgres runs there and that --to is its address, then run the same command again.'
/** The usual remedies are about DATABASE_URL, and promise to go on without a second run. */
const REMEDIES: Record<string, string> = {
  unavailable: CONTINUE,
  deadline_exceeded: CONTINUE,
  database_refused: 'Check the user, password and database name in --to, then run the same command again.',
}

function aboutDestination(error: unknown): unknown {
  if (error instanceof MoveRefused) return error
  const failure = failureOf(error)
  const remedy = REMEDIES[failure.code]
  return remedy === undefined ? error : new CommandError({ ...failure, remedy })
}

interface Moved {
  readonly folder: string
  readonly to: string
  readonly schema: string
}

function print(result: MoveResult, { folder, to, schema }: Moved, flags: Flags, context: CommandContext) {
  const { terminal } = context
  const { id, how, tables, ownTables } = result
  if (flags.json)
    return terminal.out(JSON.stringify({ id, how, from: folder, to, schema, tables, ownTables }))
  if (how === 'already moved') {
    terminal.out(`${folder} was moved to ${to} already; nothing was copied.`)
    return printOwnTables(terminal, ownTables)
  }
  printTable(terminal, tables, [
    { title: 'table', value: ({ table }) => table },
    { title: 'rows', value: ({ rows }) => String(rows), right: true },
    { title: 'checksum of both', value: ({ checksum }) => checksum },
  ])
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  terminal.out(`Moved ${many(rows, 'row')} of ${many(tables.length, 'table')} to ${to}.`)
  terminal.out(
    `Set DATABASE_URL to it and start your workers. ${folder} keeps its data, and no longer runs jobs.`,
  )
  printOwnTables(terminal, ownTables)
}

function printOwnTables(terminal: Terminal, names: readonly string[]): void {
  if (names.length === 0) return
  terminal.out(`Not copied: your own tables ${names.join(', ')}.`)
  terminal.out('docs/operate/move.md#your-own-tables has the steps.')
}

const BAR = 24

function progressLine({ step, table, rows, of }: MoveProgress): string {
  const share = of === 0 ? 1 : rows / of
  const full = Math.round(share * BAR)
  return `${step} ${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.floor(share * 100)} %  ${table}`
}

async function undo(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const schema = configOf(flags, context).get('database.schema')
  await withSource(flags, context, async (source, folder) => {
    const mark = await unmarkSource(source, schema)
    if (flags.json)
      return terminal.out(JSON.stringify({ folder, undone: mark !== undefined, peer: mark?.peer ?? null }))
    if (mark === undefined) return terminal.out(`${folder} was not moved; nothing to undo.`)
    terminal.out(`${folder} runs jobs again.`)
    if (mark.ended)
      terminal.out(`${mark.peer} has the same jobs: work on one of the two only, or they run twice.`)
  })
}

/** Opens the embedded database for this process alone: no other program can start on it meanwhile. */
async function withSource(
  flags: Flags,
  context: CommandContext,
  work: (source: Database, folder: string) => Promise<void>,
): Promise<void> {
  const home = configOf(flags, context).get('database.folder')
  if (!['pg', 'pglite'].some((kind) => existsSync(join(home, kind))))
    throw new CommandError({
      code: 'no_database',
      message: `There is no embedded database in ${home}.`,
      remedy: 'Change to the folder where it runs, or set HOLDFAST_FOLDER.',
      exitCode: EXIT.config,
    })
  context.terminal.status('starting the embedded database …')
  try {
    const { database, notes, folder, close } = await openEmbedded({ home, connections: 1 })
    try {
      for (const note of notes) context.terminal.err(note)
      await work(database, folder)
    } finally {
      await close()
    }
  } catch (error) {
    throw asCommandError(error)
  }
}

function asCommandError(error: unknown): unknown {
  if (error instanceof MoveRefused) {
    const { code, message, remedy, exit } = error
    return new CommandError({ code, message, remedy, exitCode: EXIT[exit] })
  }
  if (!(error instanceof EmbeddedInUse)) return error
  return new CommandError({
    code: 'move_source_in_use',
    message: error.message,
    remedy: 'Stop that program (`holdfast down` stops `holdfast up`), then run this again.',
    exitCode: EXIT.temporary,
  })
}

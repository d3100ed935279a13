/** Failures of commands: message, remedy and exit code. Exit codes follow sysexits.h where it has one. */
import { ConfigError } from '../config/error.js'
import { HoldfastError } from '../domain/errors/errors.js'
import { EmbeddedError } from '../embedded/errors.js'
import { mask } from './terminal/mask.js'
import type { Terminal } from './terminal/terminal.js'

export const EXIT = { ok: 0, failed: 1, usage: 2, unavailable: 69, temporary: 75, config: 78 } as const

export interface Failure {
  readonly code: string
  readonly message: string
  readonly remedy: string
  readonly exitCode: number
  /** The command has already printed it. */
  readonly printed?: true
}

/** Thrown by a command to fail with a message, a remedy and an exit code. */
export class CommandError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

const UNAVAILABLE = new Set([
  'unavailable',
  'server_unreachable',
  'deadline_exceeded',
  'embedded_in_use',
  'embedded_unavailable',
])
const CONFIG = new Set([
  'schema_missing',
  'schema_ahead',
  'schema_behind',
  'database_moved',
  'move_unfinished',
  'schema_name_invalid',
  'not_utf8',
  'postgres_too_old',
  'create_privilege_missing',
])

const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'])
/** Errors of the file system, the text of Postgres' own programs, and the SQLSTATE disk_full. */
const DISK_FULL = /^(ENOSPC|EDQUOT|53100)$|No space left on device|Disk quota exceeded/

export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return error.failure
  if (isDiskFull(error)) return diskFull(error as Error)
  if (error instanceof ConfigError) {
    const { code, message, remedy, exit } = error
    return { code, message, remedy, exitCode: EXIT[exit] }
  }
  if (error instanceof HoldfastError) {
    if (error.code === 'invalid_input') return invalidValue(error)
    const { code, message, remedy } = error
    return { code, message, remedy, exitCode: exitCodeOf(code) }
  }
  if (error instanceof EmbeddedError) {
    const { code, message, remedy, cause } = error
    if (UNWRITABLE.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '')) return unwritable(message)
    return { code, message, remedy, exitCode: code === 'embedded_missing' ? EXIT.config : EXIT.unavailable }
  }
  const { code = '', message } = error as Error & { code?: string }
  // SQLSTATE class 28: authentication failed; 3D000: no such database.
  if (/^28|^3D000$/.test(code)) {
    return {
      code: 'database_refused',
      message: `The database refused the connection: ${message}.`,
      remedy: 'Check the user, password and database name in DATABASE_URL or --url.',
      exitCode: EXIT.config,
    }
  }
  if (UNWRITABLE.has(code)) return unwritable(message)
  return {
    code: 'internal',
    message: message || String(error),
    remedy: 'This is a bug in Holdfast; please report it with the command you ran.',
    exitCode: EXIT.failed,
  }
}

/** The paths of the library and the API, as the command line has them. */
function invalidValue({ code, message, details: { path, problem } }: HoldfastError): Failure {
  const remedy = 'Correct the value and run the command again; --help has an example.'
  if (typeof path === 'string' && path.startsWith('--'))
    return {
      code,
      message: `${path} ${String(problem)}`.replace(/([^.?!])$/, '$1.'),
      remedy,
      exitCode: EXIT.usage,
    }
  // `enqueue` has one job unless there are lines of input.
  return { code, message: message.replace(' at /jobs/0/', ' at /'), remedy, exitCode: EXIT.failed }
}

function isDiskFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code = '', message } = each as NodeJS.ErrnoException
    if (DISK_FULL.test(code) || DISK_FULL.test(message)) return true
  }
  return false
}

function diskFull({ message }: Error): Failure {
  // A failed start has the log of the server behind its first sentence.
  const [first = '', ...log] = message.split('\n')
  const what = log.length === 0 ? first.replace(/\.$/, '') : first.replace(/: .*$/, '')
  return {
    code: 'disk_full',
    message: `There is no space left on the disk: ${what}.`,
    remedy:
      'Free some space (`df -h` shows how much is left), or set HOLDFAST_FOLDER to a folder on another disk. For a database of your own, free space on its server.',
    exitCode: EXIT.unavailable,
  }
}

function unwritable(message: string): Failure {
  return {
    code: 'folder_not_writable',
    message: `Holdfast cannot write to its data folder: ${message}.`,
    remedy: 'Give this user write permission, or set HOLDFAST_FOLDER to another folder.',
    exitCode: EXIT.config,
  }
}

function exitCodeOf(code: string): number {
  if (UNAVAILABLE.has(code)) return EXIT.unavailable
  return CONFIG.has(code) ? EXIT.config : EXIT.failed
}

export function printFailure(
  terminal: Terminal,
  { code, message, remedy }: Failure,
  { json }: { json: boolean },
): void {
  if (json) {
    terminal.err(JSON.stringify({ code, message: mask(message), remedy: mask(remedy) }))
    return
  }
  const { red, dim } = terminal.errorPaint
  terminal.err(`${red('error')}  ${message}`)
  terminal.err(`${dim('do')}     ${remedy}`)
}

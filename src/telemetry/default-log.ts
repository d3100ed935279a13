/** What is written where no logger was given: warnings and errors, one line each, to stderr. `log: false` turns it off. */
import { inspect } from 'node:util'

type Write = (fields: object, message: string) => void

interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  isLevelEnabled(level: string): boolean
}

const nothing = () => {}

export const DEFAULT_LOG: Log = {
  debug: nothing,
  info: nothing,
  warn: (fields, message) => write('warning', fields, message),
  error: (fields, message) => write('error', fields, message),
  isLevelEnabled: (level) => level === 'warn' || level === 'error',
}

/** The logger that was given, the one above if none was, and none for `false`. */
export function logOf<Given>(given: Given | false | undefined): Given | Log | undefined {
  return given === false ? undefined : (given ?? DEFAULT_LOG)
}

function write(severity: string, fields: object, message: string): void {
  const facts = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${shown(value)}`)
  const more = facts.length === 0 ? '' : ` (${facts.join(', ')})`
  process.stderr.write(`holdfast ${severity}: ${message}${more}\n`)
}

function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : inspect(value, { breakLength: Infinity })
}

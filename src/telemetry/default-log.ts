/** The logger that is used if none was given: writes warnings and errors to stderr, one line each. `log: false` turns it off. */
import { inspect } from 'node:util'
import type { Log } from '../domain/log.js'

const nothing = () => {}

export const DEFAULT_LOG: Log = {
  debug: nothing,
  info: nothing,
  warn: (fields, message) => write('warning', fields, message),
  error: (fields, message) => write('error', fields, message),
  isLevelEnabled: (level) => level === 'warn' || level === 'error',
}

/** The given logger; the default one if none was given; none for `false`. */
export function logOf(given: Log | false | undefined): Log | undefined {
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

/** The strict checks of what callers send. Each returns the value it accepted, or refuses with the path and the limit's name. */

import { invalidInput } from './errors/errors.js'
import { UNSTORABLE, unstorableProblem } from './json.js'
import {
  LIMITS,
  type Limit,
  type LimitName,
  NAME_PATTERN,
  SCHEDULE_NAME_PATTERN,
  SCHEDULE_NAME_PROBLEM,
} from './limits.js'
import { isState, STATES, type State } from './states/states.js'

export { checkJson } from './json.js'

/** A queue, kind, worker or tenant. */
export function checkName(value: unknown, path = '/name'): string {
  const name = checkLength(value, path, 'nameChars')
  if (NAME_PATTERN.test(name)) return name
  throw invalidInput(path, 'must consist of letters, digits and _ . : - only', 'nameChars')
}

export function checkScheduleName(value: unknown, path = '/name'): string {
  const name = checkLength(value, path, 'nameChars')
  if (SCHEDULE_NAME_PATTERN.test(name)) return name
  throw invalidInput(path, SCHEDULE_NAME_PROBLEM, 'nameChars')
}

export function checkState(value: unknown, path = '/state'): State {
  if (isState(value)) return value
  throw invalidInput(path, `must be one of ${STATES.join(', ')}`)
}

type FieldCheck<T> = (value: unknown, path?: string) => T

const textOf =
  (limit: LimitName, usualPath: string): FieldCheck<string> =>
  (value, path = usualPath) =>
    checkText(value, path, limit)

const wholeOf =
  (limit: LimitName, usualPath: string): FieldCheck<number> =>
  (value, path = usualPath) =>
    checkWholeOf(value, path, limit)

export const checkKey = textOf('keyChars', '/key')
export const checkTarget = textOf('targetChars', '/target')
export const checkIdempotencyKey = textOf('idempotencyKeyChars', '/idempotencyKey')
/** What a person writes beside a command. */
export const checkReason = textOf('reasonChars', '/reason')
export const checkDescription = textOf('descriptionChars', '/description')

export const checkPriority = wholeOf('priority', '/priority')
export const checkMaxRetries = wholeOf('maxRetries', '/maxRetries')
export const checkLeaseMs = wholeOf('leaseMs', '/leaseMs')
export const checkWaitMs = wholeOf('waitMs', '/waitMs')
export const checkDelayMs = wholeOf('delayMs', '/delayMs')
export const checkTimeoutMs = wholeOf('timeoutMs', '/timeoutMs')
export const checkPageSize = wholeOf('pageMax', '/pageSize')
export const checkSearchMatches = wholeOf('searchMatches', '/max')

/** Attempts count the first run, retries do not: N attempts are N − 1 retries. */
export function retriesFromAttempts(value: unknown, path = '/maxAttempts'): number {
  return checkWholeOf(value, path, 'maxAttempts') - 1
}

/**
 * A time to run: a Date or ISO text with a zone. The past means now, so only the far future is refused. `now` is the
 * caller's clock, which is good enough for a bound of ten years; when a job is due is decided by the database's.
 */
export function checkRunAt(value: unknown, now: Date, path = '/runAt'): Date {
  if (typeof value === 'string' && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(value)) {
    throw invalidInput(path, 'must be a time with a zone, like 2030-01-31T12:00:00Z', 'runAtAheadMs')
  }
  const time = value instanceof Date ? value : new Date(typeof value === 'string' ? value : Number.NaN)
  if (Number.isNaN(time.getTime())) {
    throw invalidInput(path, 'must be a valid time, like 2030-01-31T12:00:00Z', 'runAtAheadMs')
  }
  if (time.getTime() - now.getTime() > LIMITS.runAtAheadMs.hardMax) {
    throw invalidInput(path, 'must not be more than 10 years ahead', 'runAtAheadMs')
  }
  return time
}

/** Jobs, outcomes or items of one call; the caller splits what is larger. */
export function checkBatch<T>(
  value: readonly T[],
  path = '/jobs',
  max: number = LIMITS.batchMax.hardMax,
): readonly T[] {
  return checkCount(value, path, 'batchMax', max)
}

export function checkItems<T>(value: readonly T[], path = '/items'): readonly T[] {
  return checkCount(value, path, 'itemsPerReportMax')
}

/** Job ids of a bulk command, as decimal text or whole numbers. */
export function checkBulkIds(value: unknown, path = '/jobIds'): string[] {
  return checkCount(value, path, 'bulkIdsMax').map((id, index) => checkJobId(id, `${path}/${index}`))
}

/** Ids are bigints; text keeps them exact past 2^53. */
export function checkJobId(value: unknown, path = '/jobId'): string {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  if (typeof text === 'string' && /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= 9223372036854775807n)
    return text
  throw invalidInput(path, 'must be a job id: a whole number from 1')
}

/** Tags of a job, for people and filters: names to text. */
export function checkLabels(value: unknown, path = '/labels'): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput(path, 'must be an object')
  const entries = checkCount<[string, unknown]>(Object.entries(value), path, 'labelsMax')
  return Object.fromEntries(
    entries.map(([name, text]) => [
      checkName(name, `${path}/${name.slice(0, 100)}`),
      checkText(text, `${path}/${name}`, 'keyChars'),
    ]),
  )
}

function checkText(value: unknown, path: string, limit: LimitName): string {
  const text = checkLength(value, path, limit)
  if (UNSTORABLE.test(text)) throw invalidInput(path, unstorableProblem(text), limit)
  return text
}

function checkLength(value: unknown, path: string, limit: LimitName): string {
  const { min, hardMax } = LIMITS[limit]
  const problem = `must be text of ${min} to ${hardMax} characters`
  if (typeof value !== 'string' || value.length < min) throw invalidInput(path, problem, limit)
  // Postgres counts characters, JavaScript counts a character beyond the BMP twice.
  if (value.length > hardMax && (value.length > hardMax * 2 || [...value].length > hardMax)) {
    throw invalidInput(path, problem, limit)
  }
  return value
}

/** A whole number of a named limit. */
export function checkWholeOf(value: unknown, path: string, limit: LimitName): number {
  const { min, hardMax }: Limit = LIMITS[limit]
  return checkWhole(value, path, { min, max: hardMax, limit })
}

export function checkWhole(
  value: unknown,
  path: string,
  { min, max = Number.MAX_SAFE_INTEGER, limit }: { min: number; max?: number; limit?: LimitName },
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw invalidInput(path, `must be a whole number ${range}`, limit)
}

function checkCount<T>(
  value: unknown,
  path: string,
  limit: LimitName,
  max: number = LIMITS[limit].default,
): readonly T[] {
  const { min }: Limit = LIMITS[limit]
  if (!Array.isArray(value)) throw invalidInput(path, 'must be a list', limit)
  if (value.length >= min && value.length <= max) return value
  throw invalidInput(path, `must have ${min} to ${max} entries, not ${value.length}`, limit)
}

/** What the driver can parse: a password with an unescaped /, # or ? would end the address early. */
export const POSTGRES_ADDRESS = {
  pattern: /^postgres(ql)?:\/\/(?=.)([^/?#]*@)?(\[[^\]/?#]*\]|[^/?#@:]*)(:\d*)?([/?#]|$)/i,
  must: 'an address like postgres://user@host:5432/database, special characters of the password percent-encoded (%2F for /)',
} as const

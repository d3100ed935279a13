/** The strict checks of what callers send. Each returns the value it accepted, or refuses with the path and the limit's name. */
import { invalidInput } from './errors.js'
import { UNSTORABLE, unstorableProblem } from './json.js'
import { LIMITS, type Limit, type LimitName, NAME_PATTERN } from './limits.js'

export { checkJson } from './json.js'

/** A queue, kind, worker or tenant. */
export function checkName(value: unknown, path = '/name'): string {
  const name = checkLength(value, path, 'nameChars')
  if (NAME_PATTERN.test(name)) return name
  throw invalidInput(path, 'must consist of letters, digits and _ . : - only', 'nameChars')
}

export function checkKey(value: unknown, path = '/key'): string {
  return checkText(value, path, 'keyChars')
}

export function checkTarget(value: unknown, path = '/target'): string {
  return checkText(value, path, 'targetChars')
}

export function checkIdempotencyKey(value: unknown, path = '/idempotencyKey'): string {
  return checkText(value, path, 'idempotencyKeyChars')
}

/** What a person writes beside a command. */
export function checkReason(value: unknown, path = '/reason'): string {
  return checkText(value, path, 'reasonChars')
}

export function checkDescription(value: unknown, path = '/description'): string {
  return checkText(value, path, 'descriptionChars')
}

export function checkPriority(value: unknown, path = '/priority'): number {
  return checkWholeOf(value, path, 'priority')
}

export function checkMaxRetries(value: unknown, path = '/maxRetries'): number {
  return checkWholeOf(value, path, 'maxRetries')
}

/** Attempts count the first run, retries do not: N attempts are N − 1 retries. */
export function retriesFromAttempts(value: unknown, path = '/maxAttempts'): number {
  return checkWholeOf(value, path, 'maxAttempts') - 1
}

export function checkLeaseMs(value: unknown, path = '/leaseMs'): number {
  return checkWholeOf(value, path, 'leaseMs')
}

export function checkWaitMs(value: unknown, path = '/waitMs'): number {
  return checkWholeOf(value, path, 'waitMs')
}

export function checkDelayMs(value: unknown, path = '/delayMs'): number {
  return checkWholeOf(value, path, 'delayMs')
}

export function checkTimeoutMs(value: unknown, path = '/timeoutMs'): number {
  return checkWholeOf(value, path, 'timeoutMs')
}

export function checkPageSize(value: unknown, path = '/pageSize'): number {
  return checkWholeOf(value, path, 'pageMax')
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
  most: number = LIMITS.batchMax.hardMax,
): readonly T[] {
  return checkCount(value, path, 'batchMax', most)
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

/** Short words about a job, for people and filters: names to text. */
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
  return checkWhole(value, path, { least: min, most: hardMax, limit })
}

export function checkWhole(
  value: unknown,
  path: string,
  { least, most = Number.MAX_SAFE_INTEGER, limit }: { least: number; most?: number; limit?: LimitName },
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw invalidInput(path, `must be a whole number ${range}`, limit)
}

function checkCount<T>(
  value: unknown,
  path: string,
  limit: LimitName,
  most: number = LIMITS[limit].default,
): readonly T[] {
  const { min }: Limit = LIMITS[limit]
  if (!Array.isArray(value)) throw invalidInput(path, 'must be a list', limit)
  if (value.length >= min && value.length <= most) return value
  throw invalidInput(path, `must have ${min} to ${most} entries, not ${value.length}`, limit)
}

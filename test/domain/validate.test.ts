import { describe, expect, it } from 'vitest'
import { LIMITS, type LimitName } from '../../src/domain/limits.js'
import {
  checkBatch,
  checkBulkIds,
  checkDelayMs,
  checkIdempotencyKey,
  checkItems,
  checkJobId,
  checkKey,
  checkLabels,
  checkLeaseMs,
  checkMaxRetries,
  checkName,
  checkPageSize,
  checkPriority,
  checkReason,
  checkRunAt,
  checkTarget,
  checkTimeoutMs,
  checkWaitMs,
  retriesFromAttempts,
} from '../../src/domain/validate.js'
import { refusal } from '../support/refusal.js'

const list = (length: number) => Array.from({ length }, (_, index) => index + 1)

describe('limits', () => {
  const KIB = 1024
  it.each<[LimitName, number, number, number]>([
    ['payloadBytesMax', 0, 256 * KIB, 1024 * KIB],
    ['depthMax', 0, 64, 64],
    ['resultBytesMax', 0, 256 * KIB, 1024 * KIB],
    ['errorMessageBytesMax', 0, 8 * KIB, 8 * KIB],
    ['stackBytesMax', 0, 16 * KIB, 16 * KIB],
    ['logExcerptBytesMax', 0, 16 * KIB, 16 * KIB],
    ['progressBytesMax', 0, 16 * KIB, 16 * KIB],
    ['cursorBytesMax', 0, 16 * KIB, 16 * KIB],
    ['itemsPerReportMax', 0, 1000, 1000],
    ['itemBytesMax', 0, 64 * KIB, 64 * KIB],
    ['reportBytesMax', 0, 5120 * KIB, 5120 * KIB],
    ['nameChars', 1, 100, 100],
    ['keyChars', 1, 256, 256],
    ['targetChars', 1, 256, 256],
    ['idempotencyKeyChars', 1, 256, 256],
    ['priority', 0, 100, 100],
    ['leaseMs', 1000, 86_400_000, 86_400_000],
    ['waitMs', 0, 30_000, 30_000],
    ['batchMax', 1, 1000, 10_000],
    ['pageMax', 1, 500, 500],
    ['bulkIdsMax', 1, 1000, 1000],
    ['labelsMax', 0, 16, 16],
    ['maxRetries', 0, 1000, 1000],
    ['descriptionChars', 0, 1000, 1000],
    ['catchUpMax', 1, 1000, 1000],
    ['scheduleJitterMs', 0, 86_400_000, 86_400_000],
    ['previewMax', 1, 1000, 1000],
  ])('%s: %i to %i, at most %i', (name, min, most, hardMax) => {
    expect(LIMITS[name]).toMatchObject({ min, default: most, hardMax })
  })
})

describe('whole numbers', () => {
  it.each([
    ['priority', checkPriority, 0, 100],
    ['maxRetries', checkMaxRetries, 0, 1000],
    ['leaseMs', checkLeaseMs, 1000, 86_400_000],
    ['waitMs', checkWaitMs, 0, 30_000],
    ['delayMs', checkDelayMs, 0, 3652.5 * 86_400_000],
    ['timeoutMs', checkTimeoutMs, 1, 604_800_000],
    ['pageMax', checkPageSize, 1, 500],
  ] as const)('%s', (limit, check, min, max) => {
    for (const fine of [min, min + 1, max - 1, max]) expect(check(fine)).toBe(fine)
    for (const wrong of [min - 1, max + 1, min + 0.5, String(min), null, undefined, Number.NaN, Infinity]) {
      const error = refusal(() => check(wrong, '/here'))
      expect(error).toMatchObject({ code: 'invalid_input', status: 400 })
      expect(error.details).toMatchObject({ path: '/here', limit })
      expect(error.message).toContain(`from ${min} to ${max}`)
    }
  })

  it('N attempts are N − 1 retries', () => {
    expect([1, 5, 1001].map((attempts) => retriesFromAttempts(attempts))).toEqual([0, 4, 1000])
    for (const wrong of [0, -1, 1002])
      expect(refusal(() => retriesFromAttempts(wrong)).details.limit).toBe('maxAttempts')
  })
})

describe('text', () => {
  it.each([
    ['nameChars', checkName, 100],
    ['keyChars', checkKey, 256],
    ['targetChars', checkTarget, 256],
    ['idempotencyKeyChars', checkIdempotencyKey, 256],
  ] as const)('%s is 1 to the limit long', (limit, check, most) => {
    for (const length of [1, 2, most - 1, most]) expect(check('x'.repeat(length))).toHaveLength(length)
    for (const wrong of ['', 'x'.repeat(most + 1), 'x'.repeat(most * 2 + 1), 5, null, undefined, {}]) {
      expect(refusal(() => check(wrong, '/here')).details).toMatchObject({ path: '/here', limit })
    }
  })

  it('names consist of letters, digits and _ . : -', () => {
    expect(checkName('Mail_v2.send:fast-1')).toBe('Mail_v2.send:fast-1')
    for (const wrong of ['a b', 'a/b', 'é', 'a\n', '\0', 'a"', '<b>', '☃'])
      expect(refusal(() => checkName(wrong)).code).toBe('invalid_input')
  })

  it('counts characters as Postgres does', () => {
    expect(checkKey('😀'.repeat(256))).toBeTruthy()
    expect(refusal(() => checkKey('😀'.repeat(257))).details.limit).toBe('keyChars')
  })

  it('refuses what Postgres cannot store', () => {
    expect(refusal(() => checkKey('a\0b')).message).toContain('NUL')
    expect(refusal(() => checkTarget('a\ud800b')).message).toContain('surrogate')
    expect(checkTarget('subreddit/été 😀')).toBe('subreddit/été 😀')
  })

  it('a reason may be empty', () => {
    expect(checkReason('')).toBe('')
    expect(checkReason('x'.repeat(1000))).toHaveLength(1000)
    expect(refusal(() => checkReason('x'.repeat(1001))).details.limit).toBe('reasonChars')
  })
})

describe('times', () => {
  const now = new Date('2030-01-01T00:00:00Z')
  const edge = now.getTime() + 3652.5 * 86_400_000

  it('may be past, and up to ten years ahead', () => {
    for (const time of [0, now.getTime(), edge - 1, edge])
      expect(checkRunAt(new Date(time), now).getTime()).toBe(time)
    expect(refusal(() => checkRunAt(new Date(edge + 1), now)).details).toMatchObject({
      path: '/runAt',
      limit: 'runAtAheadMs',
    })
  })

  it('as text need a zone', () => {
    expect(checkRunAt('2030-01-31T12:00:00+02:00', now).toISOString()).toBe('2030-01-31T10:00:00.000Z')
    for (const wrong of ['2030-01-31T12:00:00', 'tomorrow', '', 'Z', 5, null, new Date(Number.NaN)]) {
      expect(refusal(() => checkRunAt(wrong, now)).code).toBe('invalid_input')
    }
  })
})

describe('lists', () => {
  it.each([
    ['batchMax', checkBatch, 1, 10_000],
    ['itemsPerReportMax', checkItems, 0, 1000],
    ['bulkIdsMax', checkBulkIds, 1, 1000],
  ] as const)('%s', (limit, check, min, max) => {
    for (const fine of [min, max - 1, max]) expect(check(list(fine))).toHaveLength(fine)
    if (min > 0) expect(refusal(() => check(list(min - 1))).details.limit).toBe(limit)
    expect(refusal(() => check(list(max + 1))).details.limit).toBe(limit)
    expect(refusal(() => check('1,2' as unknown as [])).message).toContain('list')
  })

  it('job ids are exact past 2^53 and end at 2^63 - 1', () => {
    expect(checkJobId(12)).toBe('12')
    expect(checkJobId('9223372036854775807')).toBe('9223372036854775807')
    for (const wrong of [
      '9223372036854775808',
      0,
      -1,
      1.5,
      '01',
      '1e3',
      ' 1',
      null,
      2 ** 70,
      '1'.repeat(1000),
    ]) {
      expect(refusal(() => checkJobId(wrong)).details.path).toBe('/jobId')
    }
    expect(refusal(() => checkBulkIds([1, 'x'])).details.path).toBe('/jobIds/1')
  })

  it('labels: at most 16 names with text', () => {
    const labels = (count: number) => Object.fromEntries(list(count).map((n) => [`l${n}`, 'x']))
    for (const count of [0, 15, 16]) expect(Object.keys(checkLabels(labels(count)))).toHaveLength(count)
    expect(refusal(() => checkLabels(labels(17))).details.limit).toBe('labelsMax')
    expect(refusal(() => checkLabels({ 'a b': 'x' })).details.path).toBe('/labels/a b')
    expect(refusal(() => checkLabels({ a: 5 })).details.path).toBe('/labels/a')
    for (const wrong of [null, [], 'x']) expect(refusal(() => checkLabels(wrong)).code).toBe('invalid_input')
  })
})

// The limits of what workers send. Items and cursors are data: refused beyond the edge. The rest is for people: cut and flagged.
import { HoldfastError } from 'holdfast'
import { expect, it } from 'vitest'
import { makeAndClaim } from '../support/claims.js'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'

const KIB = 1024
const MIB = 1024 * KIB

const text = (length: number) => 'x'.repeat(length)
/** A string whose JSON has this many bytes. */
const json = (bytes: number) => text(bytes - 2)

/** Items whose JSON together has exactly this many bytes: as many of 64 KiB as fit, and one with the rest. */
function itemsOf(bytes: number): string[] {
  const whole = 64 * KIB
  // Each item brings a comma or, the last one, a bracket; the other bracket comes on top.
  const count = Math.floor((bytes - 2 - 1_000) / (whole + 1))
  const rest = bytes - 1 - count * (whole + 1) - 1
  const items = [...Array.from({ length: count }, () => json(whole)), json(rest)]
  expect(Buffer.byteLength(JSON.stringify(items))).toBe(bytes)
  return items
}

const many = (count: number) => Array.from({ length: count }, (_, n) => n)

/** what, path, limit, code, largest that is taken, one more */
const REPORTS: [string, string, string, string, object, object][] = [
  [
    'items per report',
    '/items',
    'itemsPerReportMax',
    'invalid_input',
    { items: many(1_000) },
    { items: many(1_001) },
  ],
  [
    'an item',
    '/items/1',
    'itemBytesMax',
    'payload_too_large',
    { items: [1, json(64 * KIB)] },
    { items: [1, json(64 * KIB + 1)] },
  ],
  [
    'a report',
    '/items',
    'reportBytesMax',
    'payload_too_large',
    { items: itemsOf(5 * MIB) },
    { items: itemsOf(5 * MIB + 1) },
  ],
  [
    'a cursor',
    '/cursor',
    'cursorBytesMax',
    'payload_too_large',
    { cursor: json(16 * KIB) },
    { cursor: json(16 * KIB + 1) },
  ],
]

onEachDriver('a report', (driver) => {
  it.each(REPORTS)(
    'has a limit for %s: one more is refused and nothing of it is kept',
    async (_title, path, limit, code, most, more) => {
      const store = await freshStore(driver)
      const job = await makeAndClaim(store)
      const refused = await store.work.report({ ...job, ...more }).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(HoldfastError)
      expect(refused).toMatchObject({ code, details: { path, limit } })
      expect(await store.read.items({ jobId: job.jobId })).toEqual([])
      expect(await store.read.job(job.jobId)).toMatchObject({
        progressCount: 0,
        lastCursor: null,
        state: 'assigned',
      })
      expect(await store.work.report({ ...job, ...most })).toMatchObject({ done: false })
      await expectHealthy(store)
    },
  )

  it('keeps 16 KiB of progress; more is replaced by a mark, and neither the report nor the end is lost', async () => {
    const store = await freshStore(driver)
    const job = await makeAndClaim(store)
    const progressOf = async () => {
      const rows = await store.database.query<{ progress: unknown }>(
        'select progress from holdfast.progress where job_id = $1',
        [job.jobId],
      )
      return rows[0]?.progress
    }
    for (const bytes of [16 * KIB - 1, 16 * KIB]) {
      await store.work.report({ ...job, progress: json(bytes) })
      expect(await progressOf()).toBe(json(bytes))
    }
    await store.work.report({ ...job, progress: json(16 * KIB + 1) })
    expect(await progressOf()).toEqual({ _holdfast: { dropped: 'too large', bytesMax: 16 * KIB } })
    expect(await store.work.report({ ...job, progress: json(16 * KIB + 1), done: true })).toMatchObject({
      done: true,
    })
    expect(await store.read.attempts(job.jobId)).toMatchObject([
      { outcome: 'succeeded', cleaned: ['progress'] },
    ])
  })
})

onEachDriver('the end of an attempt', (driver) => {
  it('keeps a result of 256 KiB; a larger one is replaced by a mark and flagged, and the job is done', async () => {
    const store = await freshStore(driver)
    for (const bytes of [256 * KIB - 1, 256 * KIB, 256 * KIB + 1]) {
      const job = await makeAndClaim(store)
      const [ended] = await store.work.finish([{ ...job, outcome: 'succeeded', result: json(bytes) }])
      expect(ended).toMatchObject({ accepted: true, state: 'succeeded' })
      const fits = bytes <= 256 * KIB
      const mark = { _holdfast: { dropped: 'too large', bytesMax: 256 * KIB } }
      expect(await store.read.job(job.jobId)).toMatchObject({
        state: 'succeeded',
        result: fits ? json(bytes) : mark,
      })
      expect(await store.read.attempts(job.jobId)).toMatchObject([{ cleaned: fits ? null : ['result'] }])
    }
  })

  it('keeps the first 8 KiB of a message and 16 KiB of a stack, and the last 16 KiB of a log', async () => {
    const store = await freshStore(driver)
    const ended = async (message: string, stack: string, log: string) => {
      const job = await makeAndClaim(store)
      const error = Object.assign(new Error(message), { stack })
      const answers = await store.work.finish([{ ...job, outcome: 'failed', retryable: false, error, log }])
      expect(answers).toMatchObject([{ accepted: true, state: 'failed' }])
      const [attempt] = await store.read.attempts(job.jobId)
      return attempt
    }
    for (const less of [1, 0]) {
      const [message, stack, log] = [text(8 * KIB - less), text(16 * KIB - less), text(16 * KIB - less)]
      expect(await ended(message, stack, log)).toMatchObject({
        errorMessage: message,
        errorStack: stack,
        logExcerpt: log,
        cleaned: null,
      })
    }
    expect(await ended(`${text(8 * KIB)}!`, 's', 'l')).toMatchObject({
      errorMessage: text(8 * KIB),
      cleaned: ['error'],
    })
    expect(await ended('m', `${text(16 * KIB)}!`, 'l')).toMatchObject({
      errorStack: text(16 * KIB),
      cleaned: ['error'],
    })
    expect(await ended('m', 's', `!${text(16 * KIB)}`)).toMatchObject({
      logExcerpt: text(16 * KIB),
      cleaned: ['log'],
    })
    expect(await ended('m', 's', `${text(16 * KIB)}last`)).toMatchObject({
      logExcerpt: `${text(16 * KIB - 4)}last`,
    })
    // Four bytes each: the cut falls between two of them, never inside one.
    expect(await ended('😀'.repeat(2 * KIB + 1), 's', 'l')).toMatchObject({
      errorMessage: '😀'.repeat(2 * KIB),
    })
    await expectHealthy(store)
  })
})

it('ends at most 10,000 attempts in one call, and at least one', async () => {
  const store = await freshStore()
  const job = await makeAndClaim(store)
  for (const count of [0, 10_001]) {
    const endings = Array.from({ length: count }, () => ({ ...job, outcome: 'succeeded' as const }))
    await expect(store.work.finish(endings)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/endings', limit: 'batchMax' },
    })
  }
  expect(await store.read.job(job.jobId)).toMatchObject({ state: 'assigned' })
})

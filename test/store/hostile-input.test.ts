// What comes from outside may be anything. From a caller it is refused, naming the place, and nothing is written; from a worker
// that is through with a job it is made storable and flagged, because by then the work is done.
import { HoldfastError } from 'holdfast'
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { makeAndClaim } from '../support/claims.js'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'

const QUEUE = 'inbox'
// As a program reads 1e400 from JSON.
const HUGE = JSON.parse('1e400') as number
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic
const unreadable = {
  get x(): never {
    throw new Error('not today')
  },
}

/** title, value, code, path below the field */
const HOSTILE: [string, unknown, string, string][] = [
  ['a NUL', { a: ['x\0y'] }, 'invalid_input', '/a/0'],
  ['a NUL in a name', { 'b\0': 1 }, 'invalid_input', '/b\uFFFD'],
  ['a lone high surrogate', { a: '\ud800' }, 'invalid_input', '/a'],
  ['a lone low surrogate', { a: { b: 'x\udfffx' } }, 'invalid_input', '/a/b'],
  ['1e400', { n: [0, HUGE] }, 'invalid_input', '/n/1'],
  ['not a number', Number.NaN, 'invalid_input', ''],
  ['2^64 as a bigint', { n: 2n ** 64n }, 'invalid_input', '/n'],
  ['__proto__', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), 'invalid_input', '/a/__proto__'],
  ['65 levels', nested(65), 'too_deep', '/0'.repeat(64)],
  ['300 KB', 'x'.repeat(300_000), 'payload_too_large', ''],
  ['a cycle', cyclic, 'invalid_input', '/self'.repeat(64)],
  ['a function', { f: () => 1 }, 'invalid_input', '/f'],
  ['a hole', { list: [1, undefined] }, 'invalid_input', '/list/1'],
  ['a getter that throws', unreadable, 'invalid_input', ''],
]

const HARMLESS: [string, unknown][] = [
  [
    'constructor and prototype as names',
    { constructor: { prototype: 1 }, toString: 'x', hasOwnProperty: null },
  ],
  ['2^64 as a number', { n: 2 ** 64, m: -1.7976931348623157e308, tiny: 5e-324 }],
  ['unusual text', { '': '', a: '\u2028\u2029\u0001\u007f\ufffe', '😀': '👩‍👩‍👧 ‮rtl' }],
  ['64 levels', nested(64)],
  ['what looks like SQL', { q: `'; drop table holdfast.job; --`, w: '$1 %s {0} \\' }],
]

const TABLES = [
  'job',
  'ready',
  'held',
  'delayed',
  'running',
  'attempt',
  'queue',
  'dedup',
  'lane',
  'event',
  'item',
  'idempotency',
]

async function rowsIn(store: Store): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from holdfast.${table}) as ${table}`)
  const [row] = await store.database.query<Record<string, number>>(`select ${counts.join(', ')}`)
  return row as Record<string, number>
}

onEachDriver('what a caller sends', (driver) => {
  it('is refused with its path when it cannot be stored, and nothing is written', async () => {
    const store = await freshStore(driver)
    const before = await rowsIn(store)
    for (const [title, value, code, below] of HOSTILE) {
      const enqueued = store.enqueue({ queue: QUEUE, kind: 'k', input: value })
      await expect(enqueued, title).rejects.toMatchObject({ code, details: { path: `/input${below}` } })
      const batch = store.enqueueMany([
        { queue: QUEUE, kind: 'k' },
        { queue: QUEUE, kind: 'k', input: value },
      ])
      await expect(batch, title).rejects.toMatchObject({ code, details: { path: `/jobs/1/input${below}` } })
    }
    expect(await rowsIn(store)).toEqual(before)
  })

  it('is kept exactly as it came when it can be stored', async () => {
    const store = await freshStore(driver)
    for (const [title, input] of HARMLESS) {
      const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'k', input })
      expect((await store.read.job(jobId)).input, title).toEqual(input)
      expect((await store.work.claimById(jobId, { worker: 'w1' }))?.input, title).toEqual(input)
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it.each(['key', 'target', 'subject', 'createdBy', 'trace'])(
    'in %s is refused when it cannot be stored',
    async (field) => {
      const store = await freshStore(driver)
      const before = await rowsIn(store)
      for (const text of ['a\0b', '\ud800', '', 7, null, {}]) {
        const enqueued = store.enqueue({ queue: QUEUE, kind: 'k', [field]: text } as never)
        await expect(enqueued).rejects.toMatchObject({
          code: 'invalid_input',
          details: { path: `/${field}` },
        })
      }
      expect(await rowsIn(store)).toEqual(before)
    },
  )

  it('in company fails alone: the jobs enqueued at the same moment are made', async () => {
    const store = await freshStore(driver)
    const inputs: unknown[] = [1, 'a\0', 2, { n: HUGE }, 3]
    const answers = await Promise.allSettled(
      inputs.map((input) => store.enqueue({ queue: QUEUE, kind: 'k', input })),
    )
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect((await rowsIn(store)).job).toBe(3)
  })

  it('in the words beside a command is refused with its path, and the job stays as it was', async () => {
    const store = await freshStore(driver)
    const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'k' })
    const before = await rowsIn(store)
    const acts: [string, object][] = [
      ['/reason', { reason: 'a\0b' }],
      ['/reason', { reason: 'x'.repeat(1_001) }],
      ['/actor', { actor: '\ud800' }],
      ['/actor', { actor: 'x'.repeat(257) }],
    ]
    for (const [path, act] of acts) {
      for (const verb of ['cancel', 'retry', 'resume', 'skip', 'discard'] as const) {
        await expect(store.commands[verb](jobId, act)).rejects.toMatchObject({
          code: 'invalid_input',
          details: { path },
        })
      }
      await expect(store.commands.boost(jobId, 1, act)).rejects.toMatchObject({ details: { path } })
      await expect(store.commands.setPriority(jobId, 1, act)).rejects.toMatchObject({ details: { path } })
      await expect(store.publish(jobId, act)).rejects.toMatchObject({ details: { path } })
      await expect(store.queues.pause(QUEUE, act)).rejects.toMatchObject({ details: { path } })
    }
    expect(await rowsIn(store)).toEqual(before)
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', priority: 0 })
  })
})

onEachDriver('what a worker says at the end', (driver) => {
  const texts: [string, string][] = [
    ['a NUL', 'bad \0 text'],
    ['a lone surrogate', 'bad \ud800 text'],
    ['300 KB', 'x'.repeat(300_000)],
  ]

  it.each(texts)(
    'never blocks a completion: %s in error, stack, log and reason is cleaned and flagged',
    async (_title, text) => {
      const store = await freshStore(driver)
      const error = Object.assign(new Error(text), { stack: text, name: text })
      const job = await makeAndClaim(store, { queue: QUEUE })
      const [ended] = await store.work.finish([
        { ...job, outcome: 'failed', retryable: false, error, log: text, reason: text },
      ])
      expect(ended).toMatchObject({ accepted: true, state: 'failed' })
      const [attempt] = await store.read.attempts(job.jobId)
      expect(attempt?.cleaned?.sort()).toEqual(['error', 'log', 'reason'])
      for (const kept of [attempt?.errorMessage, attempt?.errorStack, attempt?.logExcerpt, attempt?.reason]) {
        expect(kept).toMatch(/^(bad \ufffd text|x+)$/)
      }
      await expectHealthy(store)
    },
  )

  it('never blocks a completion: a result that cannot be stored is cleaned and flagged', async () => {
    const store = await freshStore(driver)
    for (const [title, result] of HOSTILE) {
      const job = await makeAndClaim(store, { queue: QUEUE })
      const [ended] = await store.work.finish([{ ...job, outcome: 'succeeded', result }])
      expect(ended, title).toMatchObject({ accepted: true, state: 'succeeded' })
      expect((await store.read.attempts(job.jobId))[0]?.cleaned, title).toEqual(['result'])
    }
    const job = await makeAndClaim(store, { queue: QUEUE })
    await store.work.finish([{ ...job, outcome: 'succeeded', result: { fine: true }, log: 'fine' }])
    expect(await store.read.attempts(job.jobId)).toMatchObject([{ result: { fine: true }, cleaned: null }])
    await expectHealthy(store)
  })

  it('never blocks a completion: hostile progress, cursor and result of the last report are cleaned and flagged', async () => {
    const store = await freshStore(driver)
    for (const [title, value] of HOSTILE) {
      const job = await makeAndClaim(store, { queue: QUEUE })
      await store.work.report({ ...job, progress: value })
      const done = await store.work.report({
        ...job,
        progress: value,
        cursor: value,
        result: value,
        done: true,
        doneReason: 'a\0b',
      })
      expect(done, title).toMatchObject({ done: true })
      const [attempt] = await store.read.attempts(job.jobId)
      expect(attempt, title).toMatchObject({ outcome: 'succeeded', reason: 'a\ufffdb' })
      expect(attempt?.cleaned, title).toEqual(['progress', 'cursor', 'result', 'reason'])
    }
    await expectHealthy(store)
  })

  it('never blocks a completion: times that make no sense are left out', async () => {
    const store = await freshStore(driver)
    for (const startedAgoMs of [Number.NaN, HUGE, -5, 2 ** 40]) {
      const job = await makeAndClaim(store, { queue: QUEUE })
      await store.work.start([{ ...job, startedAgoMs }])
      expect(await store.work.finish([{ ...job, outcome: 'succeeded', startedAgoMs }])).toMatchObject([
        { accepted: true },
      ])
    }
  })
})

describe('a report of a job that goes on', () => {
  it('is refused with its path when items, cursor or counts cannot be stored: a changed cursor would lead astray', async () => {
    const store = await freshStore()
    const job = await makeAndClaim(store, { queue: QUEUE })
    const before = await rowsIn(store)
    for (const [title, value, code, below] of HOSTILE) {
      const item = store.work.report({ ...job, items: [1, value] })
      await expect(item, title).rejects.toBeInstanceOf(HoldfastError)
      const cursor = store.work.report({ ...job, cursor: value })
      await expect(cursor, title).rejects.toMatchObject({ code, details: { path: `/cursor${below}` } })
    }
    for (const tokens of [-1, 0.5, Number.NaN, HUGE, '7']) {
      const report = store.work.report({ ...job, tokens: tokens as number })
      await expect(report).rejects.toMatchObject({ code: 'invalid_input', details: { path: '/tokens' } })
    }
    expect(await rowsIn(store)).toEqual(before)
    expect(await store.work.report({ ...job, cursor: 1 })).toMatchObject({ done: false })
  })

  it('keeps items whose key is far too long for an index, each once', async () => {
    const store = await freshStore()
    await store.queues.create(QUEUE, { preset: 'harvest' })
    const job = await makeAndClaim(store, { queue: QUEUE })
    // Random, so that it cannot be compressed into an index entry.
    const phone = Array.from({ length: 5_000 }, () => Math.random().toString(36)[3]).join('')
    expect(await store.work.report({ ...job, items: [{ phone }, { phone: `${phone}2` }] })).toMatchObject({
      newItems: 2,
    })
    expect(await store.work.report({ ...job, items: [{ phone, n: 2 }] })).toMatchObject({ duplicateItems: 1 })
  })
})

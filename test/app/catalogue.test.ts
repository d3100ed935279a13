import { type App, JobCanceled, JobFailed } from 'holdfast'
import { catalogue, WORK_KINDS, type WorkKind } from 'holdfast/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshApp } from '../support/app.js'

const KINDS = {
  quick: { durationMs: 0, outcome: 'success' },
  flaky: { durationMs: 0, outcome: 'fail', retryable: true, attempts: 1 },
  broken: { durationMs: 0, outcome: 'fail', retryable: false },
  hopeless: { durationMs: 0, outcome: 'fail', retryable: true },
  unwanted: { durationMs: 0, outcome: 'cancel' },
} as const satisfies Record<string, WorkKind>

describe('a catalogue of kinds', () => {
  const kinds = catalogue(KINDS, 'kinds')
  let app: App
  beforeEach(async () => {
    app = await freshApp({
      jobs: kinds.jobs,
      queues: { kinds: { preset: 'catalog', retryBaseMs: 0, maxRetries: 1 } },
    })
  })
  const run = async (kind: string, input: unknown) => {
    const handle = await app.enqueue(kinds.job(kind), input)
    const result = await handle.result().catch((error: unknown) => error)
    return { result, attempts: (await handle.job()).attempt }
  }

  it('ends each kind the way it says', async () => {
    await app.work()
    expect(await run('quick', 1)).toMatchObject({ result: { kind: 'quick' }, attempts: 1 })
    expect(await run('flaky', 1)).toMatchObject({ result: { kind: 'flaky' }, attempts: 2 })
    expect((await run('hopeless', 1)).result).toBeInstanceOf(JobFailed)
    expect((await run('hopeless', 1)).attempts, 'retried').toBe(2)
    expect((await run('broken', 1)).result).toBeInstanceOf(JobFailed)
    expect((await run('broken', 1)).attempts, 'not retried').toBe(1)
    expect((await run('unwanted', 1)).result).toBeInstanceOf(JobCanceled)
  })

  it('gives the same result for the same input, and another for another', async () => {
    await app.work()
    const first = await run('quick', { a: 1, b: [1, { c: 2, d: 3 }] })
    const again = await run('quick', { b: [1, { d: 3, c: 2 }], a: 1 })
    expect(again.result).toEqual(first.result)
    expect((await run('quick', { a: 2 })).result).not.toEqual(first.result)
    expect((await run('flaky', { a: 1 })).result).not.toEqual((await run('quick', { a: 1 })).result)
  })

  it('refuses a kind that is not in it, with the nearest name', () => {
    expect(() => kinds.job('quik')).toThrow('did you mean "quick"?')
    expect(() => kinds.job('something-else')).toThrow('there are quick, flaky')
  })

  it.each([
    ['outcome', { durationMs: 1, outcome: 'explode' }],
    ['durationMs', { durationMs: -1, outcome: 'success' }],
    ['durationMs', { durationMs: 0.5, outcome: 'success' }],
  ])('refuses a kind whose %s makes no sense', (field, work) => {
    expect(() => catalogue({ kind: work as WorkKind })).toThrow(`/kind/${field}`)
  })
})

it('the kinds of the demonstration succeed, fail for now, fail for good and cancel', () => {
  const kinds = Object.values<WorkKind>(WORK_KINDS)
  expect(new Set(kinds.map(({ outcome }) => outcome))).toEqual(new Set(['success', 'fail', 'cancel']))
  expect(
    new Set(kinds.filter(({ outcome }) => outcome === 'fail').map(({ retryable }) => retryable)),
  ).toEqual(new Set([true, false]))
  expect(catalogue(WORK_KINDS).jobs).toHaveLength(kinds.length)
})

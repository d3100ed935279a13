import { defineJob, HoldfastError } from 'holdfast'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const handler = async () => null

/** A definition as somebody without a type checker might write it. */
const define = (options: object) => () => defineJob(options as Parameters<typeof defineJob>[0])

describe('defineJob', () => {
  it('keeps what it was told, and waits in the queue default', () => {
    const job = defineJob({ kind: 'resize', maxRetries: 2, timeoutMs: 5_000, priority: 9, handler })
    expect(job).toMatchObject({
      kind: 'resize',
      queue: 'default',
      maxRetries: 2,
      timeoutMs: 5_000,
      priority: 9,
    })
  })

  it.each([
    ['/kind', { kind: 'two words', handler }],
    ['/queue', { kind: 'a', queue: '', handler }],
    ['/maxRetries', { kind: 'a', maxRetries: -1, handler }],
    ['/timeoutMs', { kind: 'a', timeoutMs: 0.5, handler }],
    ['/priority', { kind: 'a', priority: 101, handler }],
    ['/handler', { kind: 'a' }],
    ['/handler', { kind: 'a', handler: new URL('file:///handler.js') }],
    ['/handler', { kind: 'a', isolate: 'thread', handler }],
    ['/isolate', { kind: 'a', isolate: 'planet', handler: new URL('file:///handler.js') }],
    ['/input', { kind: 'a', input: { type: 'object' }, handler }],
  ])('refuses a mistake at %s where it is made', (path, options) => {
    expect(define(options)).toThrow(HoldfastError)
    expect(define(options)).toThrow(path)
  })

  it('refuses a field that does not exist, with the one that was meant', () => {
    expect(define({ kind: 'a', maxRetrys: 1, handler })).toThrow('Did you mean "maxRetries"?')
  })

  it('takes the handler of another thread or process as the URL of its module', () => {
    const job = defineJob({
      kind: 'hash',
      isolate: 'process',
      input: z.string(),
      handler: new URL('file:///hash.js'),
    })
    expect(job).toMatchObject({ isolate: 'process', module: 'file:///hash.js' })
  })
})

// Types, checked by `npm run types`; running them only shows that they are there.
import {
  type App,
  defineJob,
  type InputOf,
  type JobContext,
  type JobHandle,
  type OutputOf,
  type ResultOf,
} from 'holdfast'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const resize = defineJob({
  kind: 'resize',
  input: z.object({ file: z.string(), width: z.coerce.number().default(100), at: z.coerce.date() }),
  key: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ file: string; width: number; at: Date }>()
    return input.file
  },
  handler: async (ctx, input) => {
    expectTypeOf(ctx).toEqualTypeOf<JobContext>()
    expectTypeOf(input).toEqualTypeOf<{ file: string; width: number; at: Date }>()
    return {
      bytes: input.width,
      at: input.at,
      nothing: undefined,
      perhaps: input.file as string | undefined,
      later: () => 1,
    }
  },
})
const untyped = defineJob({ kind: 'untyped', handler: async (_ctx, input) => String(input) })
const annotated = defineJob({ kind: 'annotated', handler: (_ctx, input: { n: number }) => input.n })
const silent = defineJob({ kind: 'silent', handler: async () => {} })

/** Never called: only its types matter. */
async function use(app: App) {
  const one = await app.enqueue(resize, { file: 'a', at: '2030-01-01' })
  const many = await app.enqueueMany(annotated, [{ n: 1 }], { each: ({ n }) => ({ priority: n }) })
  const nothing = await (await app.enqueue(silent, null)).result()
  // @ts-expect-error: the file is missing
  await app.enqueue(resize, { width: 1, at: new Date() })
  // @ts-expect-error: there is no such option
  await app.enqueue(silent, null, { prority: 1 })
  // @ts-expect-error: text is no number
  await app.enqueueMany(annotated, [{ n: 'one' }])
  return { one, many, nothing }
}
type Used = Awaited<ReturnType<typeof use>>

describe('types', () => {
  it('the input of a job is what its schema takes, and what its handler gets is what the schema makes of it', () => {
    expectTypeOf<InputOf<typeof resize>['file']>().toEqualTypeOf<string>()
    expectTypeOf<InputOf<typeof resize>>().toExtend<{ file: string; width?: unknown; at: unknown }>()
    expectTypeOf<OutputOf<typeof resize>>().toEqualTypeOf<{ file: string; width: number; at: Date }>()
    expectTypeOf(resize.kind).toEqualTypeOf<'resize'>()
    expect(resize.kind).toBe('resize')
  })

  it('without a schema the handler says what it takes, and one that does not say takes anything', () => {
    expectTypeOf<InputOf<typeof untyped>>().toEqualTypeOf<unknown>()
    expectTypeOf<InputOf<typeof annotated>>().toEqualTypeOf<{ n: number }>()
    expectTypeOf<ResultOf<typeof annotated>>().toEqualTypeOf<number>()
    expect([untyped.kind, annotated.kind]).toEqual(['untyped', 'annotated'])
  })

  it('a result has the type it has after JSON', () => {
    expectTypeOf<Used['one']>().toEqualTypeOf<JobHandle<{ bytes: number; at: string; perhaps?: string }>>()
    expectTypeOf<Used['many']>().toEqualTypeOf<JobHandle<number>[]>()
    expectTypeOf<Used['nothing']>().toEqualTypeOf<null>()
    expect(use).toBeTypeOf('function')
  })

  it('a handler in a module of its own needs isolate, and isolate needs a module', () => {
    const module = new URL('file:///handler.js')
    const hash = () =>
      defineJob<'hash', { text: string }, string>({ kind: 'hash', isolate: 'thread', handler: module })
    expectTypeOf<InputOf<ReturnType<typeof hash>>>().toEqualTypeOf<{ text: string }>()
    expectTypeOf<ResultOf<ReturnType<typeof hash>>>().toEqualTypeOf<string>()
    // @ts-expect-error: a function cannot be sent to another thread
    const wrong = () => defineJob({ kind: 'hash', isolate: 'thread', handler: async () => 1 })
    // @ts-expect-error: a URL is no handler of this thread
    const alsoWrong = () => defineJob({ kind: 'hash', handler: module })
    expectTypeOf(wrong).toBeFunction()
    expectTypeOf(alsoWrong).toBeFunction()
    expect(hash().kind).toBe('hash')
  })
})

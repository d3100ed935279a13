// What the compiler knows of a client that has only the types of the definitions. The calls are never made.
import { type ClientOptions, createClient } from 'holdfast/client'
import { expect, expectTypeOf, it } from 'vitest'
import type * as definitions from './jobs.js'

const url = 'http://localhost:1'
const queues = { resize: 'images' } as const

/** The type of what a call returns. The compiler checks the call; it is not made. */
function never<T>(make: () => T): T {
  expect(make).toBeTypeOf('function')
  return make as never
}

it('kinds, inputs and results come from a list of definitions', () => {
  const client = createClient<typeof definitions.jobs>({ url, queues })
  const resized = never(() => client.enqueue('resize', { file: 'a.png' }))
  expectTypeOf(resized).resolves.toHaveProperty('result')
  type Result = Awaited<ReturnType<Awaited<typeof resized>['result']>>
  expectTypeOf<Result>().toEqualTypeOf<{ file: string; bytes: number; at: string }>()
  const greeted = never(() => client.enqueueMany('greet', [{ name: 'ada' }]))
  type Greeting = Awaited<ReturnType<Awaited<typeof greeted>[number]['result']>>
  expectTypeOf<Greeting>().toEqualTypeOf<string>()
  // @ts-expect-error there is no such kind
  never(() => client.enqueue('resise', { file: 'a.png' }))
  // @ts-expect-error the file is missing
  never(() => client.enqueue('resize', { width: 3 }))
  // @ts-expect-error there is no such option
  never(() => client.enqueue('greet', { name: 'ada' }, { prioritty: 3 }))
})

it('a tuple of some of them will do, too', () => {
  type Some = [typeof definitions.resize, typeof definitions.fails, typeof definitions.parent]
  const client = createClient<Some>({ url, queues })
  never(() => client.enqueue('fails', { how: 'cancel' }))
  // @ts-expect-error greet is not among them
  never(() => client.enqueue('greet', { name: 'ada' }))
})

it('they come from the type of a whole module as well', () => {
  const client = createClient<typeof definitions>({ url, queues })
  never(() => client.enqueue('parent', { name: 'ada' }))
  // @ts-expect-error the input of another kind
  never(() => client.enqueue('parent', { file: 'a.png' }))
})

it('a queue that is not the default has to be said, and as it is defined', () => {
  type Options = ClientOptions<typeof definitions.jobs>
  expectTypeOf<Options['queues']>().toEqualTypeOf<{ readonly resize: 'images' }>()
  // @ts-expect-error resize waits in the queue images
  never(() => createClient<typeof definitions.jobs>({ url }))
  // @ts-expect-error it is called images
  never(() => createClient<typeof definitions.jobs>({ url, queues: { resize: 'image' } }))
  never(() => createClient<[typeof definitions.greet]>({ url }))
})

it('without definitions any kind and any input will do', () => {
  const client = createClient({ url })
  const made = never(() => client.enqueue('anything', { at: 'all' }, { queue: 'q', runAt: new Date() }))
  expectTypeOf<Awaited<ReturnType<Awaited<typeof made>['result']>>>().toEqualTypeOf<unknown>()
})

it('a schedule takes kinds and inputs from the definitions, and answers times as Dates', () => {
  const { schedules } = createClient<typeof definitions.jobs>({ url, queues })
  const every = { name: 'n', expression: '@daily' } as const
  const made = never(() => schedules.create({ ...every, kind: 'resize', input: { file: 'a.png' } }))
  type Made = Awaited<typeof made>
  expectTypeOf<Made['nextSlot']>().toEqualTypeOf<Date>()
  expectTypeOf<Made['waitingSlot']>().toEqualTypeOf<Date | null>()
  expectTypeOf<Made['catchUp']>().toEqualTypeOf<'skip' | 'latest' | 'all'>()
  // @ts-expect-error there is no such kind
  never(() => schedules.create({ ...every, kind: 'resise' }))
  // @ts-expect-error the input of another kind
  never(() => schedules.create({ ...every, kind: 'resize', input: { name: 'ada' } }))
  // @ts-expect-error there is no such rule
  never(() => schedules.update('n', { overlap: 'never' }))
})

it('rows have the names and the times of the library', () => {
  const client = createClient({ url })
  const job = never(() => client.job(1).job())
  expectTypeOf<Awaited<typeof job>['createdAt']>().toEqualTypeOf<Date>()
  expectTypeOf<Awaited<typeof job>['finishedAt']>().toEqualTypeOf<Date | null>()
  expectTypeOf<Awaited<typeof job>['maxRetries']>().toEqualTypeOf<number>()
})

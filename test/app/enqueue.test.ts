import { type App, defineJob } from 'holdfast'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { freshApp } from '../support/app.js'
import { onEachDriver } from '../support/world.js'

const resize = defineJob({
  kind: 'resize',
  queue: 'images',
  input: z.object({ file: z.string().min(1), width: z.number().int().default(100) }),
  maxRetries: 2,
  timeoutMs: 5_000,
  priority: 30,
  key: ({ file, width }) => `${file}@${width}`,
  target: ({ file }) => file,
  handler: async () => ({ bytes: 1 }),
})
const anything = defineJob({ kind: 'anything', handler: async () => null })

onEachDriver('app.enqueue', (driver) => {
  let app: App
  beforeEach(async () => {
    app = await freshApp({ jobs: [resize, anything] }, driver)
  })
  const count = async () => (await app.store.database.query('select from holdfast.jobs')).length

  it('makes the job its definition describes, with key and target read from the checked input', async () => {
    const handle = await app.enqueue(resize, { file: 'a.png' })
    expect(await handle.job()).toMatchObject({
      kind: 'resize',
      queue: 'images',
      input: { file: 'a.png' },
      key: 'a.png@100',
      target: 'a.png',
      maxRetries: 2,
      priority: 30,
    })
    expect(handle.deduplicated).toBe(false)
    expect(await handle.status()).toBe('queued')
  })

  it('lets what the call says win over what the definition says', async () => {
    const handle = await app.enqueue(
      resize,
      { file: 'a.png' },
      { queue: 'slow', priority: 1, key: 'mine', target: 'b', maxAttempts: 1, delayMs: 60_000 },
    )
    expect(await handle.job()).toMatchObject({
      queue: 'slow',
      priority: 1,
      key: 'mine',
      target: 'b',
      maxRetries: 0,
      state: 'scheduled',
    })
  })

  it('answers with the live job of the same key', async () => {
    const first = await app.enqueue(resize, { file: 'a.png' })
    const second = await app.enqueue(resize, { file: 'a.png', width: 100 })
    expect([second.id, second.deduplicated]).toEqual([first.id, true])
    expect((await app.enqueue(resize, { file: 'a.png', width: 200 })).deduplicated).toBe(false)
  })

  it('answers the same call with the same idempotency key the same, and makes nothing', async () => {
    const once = () => app.enqueue(anything, { n: 1 }, { idempotencyKey: 'click-7' })
    expect((await once()).id).toBe((await once()).id)
    expect(await count()).toBe(1)
  })

  it('makes many at once, each with extras of its own, or none when one is refused', async () => {
    const files = ['a', 'b', 'c'].map((file) => ({ file }))
    const made = await app.enqueueMany(resize, files, { each: (_input, index) => ({ priority: index }) })
    const rows = await Promise.all(made.map((one) => one.job()))
    expect(rows.map(({ priority, key }) => [priority, key])).toEqual([
      [0, 'a@100'],
      [1, 'b@100'],
      [2, 'c@100'],
    ])
    const refused = app.enqueueMany(resize, [{ file: 'd' }, { file: '' }])
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/jobs/1/input/file' },
    })
    expect(await count()).toBe(3)
  })

  it('cancels through the handle, and tells the whole story', async () => {
    const handle = await app.enqueue(anything, null)
    expect(await handle.cancel({ actor: 'ada', reason: 'not needed' })).toMatchObject({ result: 'canceled' })
    expect(await app.handle(handle.id).status()).toBe('canceled')
    expect(await handle.explain()).toMatchObject([{ code: 'ended', data: { reason: 'not needed' } }])
    const { events } = (await handle.history()) as { events: object[] }
    expect(events[0]).toMatchObject({ type: 'enqueued' })
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'canceled', actor: 'ada', reason: 'not needed' }),
    )
  })
})

describe('an input that its schema does not accept', () => {
  let app: App
  beforeEach(async () => {
    app = await freshApp({})
  })

  it('is refused with the path of each mistake', async () => {
    const wrong = { file: 7, width: 1.5 } as never
    await expect(app.enqueue(resize, wrong)).rejects.toMatchObject({
      code: 'invalid_input',
      details: {
        path: '/input/file',
        errors: [{ path: '/input/file' }, { path: '/input/width' }],
      },
    })
  })

  it('is refused also when the schema takes its time', async () => {
    const slow = defineJob({
      kind: 'slow',
      input: z.string().refine(async (text) => text !== 'no', 'is no'),
      handler: async () => null,
    })
    await expect(app.enqueue(slow, 'no')).rejects.toThrow('is no')
    expect(await (await app.enqueue(slow, 'yes')).status()).toBe('queued')
  })

  it('is refused when it would not be accepted any more after JSON, and the message says so', async () => {
    const remind = defineJob({ kind: 'remind', input: z.object({ at: z.date() }), handler: async () => null })
    // @ts-expect-error: the compiler says so as well
    await expect(app.enqueue(remind, { at: new Date() })).rejects.toThrow('not what JSON makes of it')
    const coerced = defineJob({
      kind: 'coerced',
      input: z.object({ at: z.coerce.date() }),
      key: ({ at }) => at.toISOString(),
      handler: async () => null,
    })
    const handle = await app.enqueue(coerced, { at: new Date('2030-01-01T00:00:00Z') })
    expect(await handle.job()).toMatchObject({
      input: { at: '2030-01-01T00:00:00.000Z' },
      key: '2030-01-01T00:00:00.000Z',
    })
  })

  it('without a schema is refused only when it is no JSON', async () => {
    await expect(app.enqueue(anything, { at: 1n })).rejects.toMatchObject({ details: { path: '/input/at' } })
    expect((await (await app.enqueue(anything, ['x', { y: 1 }])).job()).input).toEqual(['x', { y: 1 }])
  })
})

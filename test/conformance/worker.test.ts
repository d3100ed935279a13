// The worker itself, unchanged, over each of the ports.
import { beforeEach, describe, expect, it } from 'vitest'
import { expectHealthy } from '../support/world.js'
import { enqueue, enqueueMany, gate, startWorker, states, until } from '../worker/world.js'
import { type PortWorld, WORLDS } from './worlds.js'

describe.each(Object.entries(WORLDS))('a worker on %s', (_name, open) => {
  let world: PortWorld
  beforeEach(async () => {
    world = await open()
  })
  const start = (jobs: Parameters<typeof startWorker>[1], options: Parameters<typeof startWorker>[2] = {}) =>
    startWorker(world.store, jobs, { port: world.port(), ...options })

  it('does every job once, and says how each ended', async () => {
    const { store } = world
    const runs = new Map<number, number>()
    const worker = await start({
      count: ({ jobId }) => void runs.set(jobId, (runs.get(jobId) ?? 0) + 1),
      answer: (_ctx, input) => ({ input }),
      fail: () => {
        throw new TypeError('no')
      },
    })
    const ids = await enqueueMany(store, 150, 'count')
    const answered = await enqueue(store, 'answer', { n: 1 })
    const failed = await enqueue(store, 'fail')
    await worker.idle()
    expect([...runs.keys()].sort((one, other) => one - other)).toEqual(ids)
    expect(new Set(runs.values())).toEqual(new Set([1]))
    expect(await store.read.job(answered)).toMatchObject({ state: 'succeeded', result: { input: { n: 1 } } })
    expect(await store.read.job(failed)).toMatchObject({ state: 'retrying', lastError: 'no' })
    await expectHealthy(store)
  })

  it('reports, and the next attempt goes on from there', async () => {
    const { store } = world
    const seen: unknown[] = []
    const worker = await start({
      pages: async (ctx) => {
        seen.push(ctx.cursor)
        if (ctx.attempt === 1) {
          await ctx.report([{ id: 1 }], { page: 2 })
          throw new Error('the site is down')
        }
      },
    })
    const jobId = await enqueue(store, 'pages')
    await until(async () => (await store.read.job(jobId)).state === 'retrying')
    await store.commands.retry(jobId)
    await worker.idle()
    expect(seen).toEqual([null, { page: 2 }])
    expect(await store.read.job(jobId)).toMatchObject({ state: 'succeeded', resultCount: 1 })
  })

  it('hears that a running job is canceled', async () => {
    const { store } = world
    const began = gate()
    const worker = await start({
      long: (ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
          began.open()
        }),
    })
    const jobId = await enqueue(store, 'long')
    await began.opened
    await store.commands.cancel(jobId)
    await until(async () => (await store.read.job(jobId)).state === 'canceled')
    await worker.idle()
    expect(await store.read.attempts(jobId)).toMatchObject([{ outcome: 'canceled' }])
  })

  it('writes nothing of a job whose lease was swept, and goes on under a new lease', async () => {
    const { store } = world
    const began = gate()
    const reasons: unknown[] = []
    const worker = await start({
      long: (ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => {
            reasons.push(ctx.signal.reason.code)
            reject(ctx.signal.reason)
          })
          began.open()
        }),
      quick: () => {},
    })
    const jobId = await enqueue(store, 'long')
    await began.opened
    const { lease } = worker.stats()
    await store.work.closeLease(lease as number, 'swept by the test')
    await until(() => reasons.length > 0 && worker.stats().lease !== null && worker.stats().lease !== lease)
    expect(reasons[0]).toBe('lease_lost')
    const next = await enqueue(store, 'quick')
    await until(async () => (await store.read.job(next)).state === 'succeeded')
    const [first] = await store.read.attempts(jobId)
    expect(first).toMatchObject({ outcome: 'lost', reason: 'swept by the test' })
    await expectHealthy(store)
  })

  it('drains: what runs may end, the rest goes back uncharged', async () => {
    const { store } = world
    const { open: letGo, opened } = gate()
    const worker = await start({ wait: () => opened, deaf: () => new Promise(() => {}) }, { abortMs: 30 })
    const fine = await enqueue(store, 'wait')
    const stuck = await enqueue(store, 'deaf')
    await until(() => worker.stats().busy === 2)
    const drained = worker.drain('shutdown', { graceMs: 60_000 })
    letGo()
    await until(async () => (await store.read.job(fine)).state === 'succeeded')
    await worker.stop()
    expect(await drained).toMatchObject({ released: 1, unwritten: 0 })
    expect(await states(store)).toEqual({ succeeded: 1, queued: 1 })
    expect(await store.read.job(stuck)).toMatchObject({ failures: 0 })
    expect(await store.workers.list()).toEqual([])
  })
})

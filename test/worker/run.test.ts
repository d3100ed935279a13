// What becomes of a job by what its handler does.
import { expect, it } from 'vitest'
import { Cancel, GiveUp, Snooze } from '../../src/worker/outcomes.js'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'
import { enqueue, enqueueMany, startWorker, states, until } from './world.js'

onEachDriver('a handler', (driver) => {
  it('gets its input and its result is kept, whether it returns at once or later', async () => {
    const store = await freshStore(driver)
    const now = await enqueue(store, 'now', { n: 1 })
    const later = await enqueue(store, 'later', { n: 2 })
    const worker = await startWorker(store, {
      now: (_context, input) => ({ got: input }),
      later: async ({ jobId, attempt, kind, queue }, input) => ({ got: input, jobId, attempt, kind, queue }),
    })
    await worker.idle()
    expect(await store.read.job(now)).toMatchObject({ state: 'succeeded', result: { got: { n: 1 } } })
    expect(await store.read.job(later)).toMatchObject({
      state: 'succeeded',
      result: { got: { n: 2 }, jobId: later, attempt: 1, kind: 'later', queue: 'work' },
    })
    await expectHealthy(store)
  })

  it('may snooze, give up and cancel, and anything else it throws is a failure', async () => {
    const store = await freshStore(driver)
    const ids = {
      snooze: await enqueue(store, 'snooze'),
      giveUp: await enqueue(store, 'giveUp'),
      cancel: await enqueue(store, 'cancel'),
      fail: await enqueue(store, 'fail'),
      failLater: await enqueue(store, 'failLater'),
    }
    const worker = await startWorker(store, {
      snooze: () => {
        throw new Snooze(3_600_000, 'not before noon')
      },
      giveUp: () => {
        throw new GiveUp('no such customer')
      },
      cancel: async () => {
        throw new Cancel('not wanted')
      },
      fail: () => {
        throw new Error('at once')
      },
      failLater: async () => {
        throw new TypeError('later')
      },
    })
    await worker.idle()
    expect(await store.read.job(ids.snooze)).toMatchObject({ state: 'scheduled', failures: 0 })
    expect(await store.read.job(ids.giveUp)).toMatchObject({ state: 'failed', attempt: 1 })
    expect(await store.read.job(ids.cancel)).toMatchObject({ state: 'canceled', attempt: 1 })
    expect(await store.read.job(ids.fail)).toMatchObject({ state: 'retrying', failures: 1 })
    const [attempt] = await store.read.attempts(ids.failLater)
    expect(attempt).toMatchObject({ outcome: 'failed', errorClass: 'TypeError', errorMessage: 'later' })
    expect(worker.stats().outcomes).toEqual({ snoozed: 1, failed: 3, canceled: 1 })
    await expectHealthy(store)
  })

  it('that returns something that is no JSON has succeeded, and the result is cleaned and flagged', async () => {
    const store = await freshStore(driver)
    const jobId = await enqueue(store, 'odd')
    const worker = await startWorker(store, { odd: () => ({ big: 1n, nul: 'a\0b', self: () => 1 }) })
    await worker.idle()
    expect(await store.read.job(jobId)).toMatchObject({ state: 'succeeded' })
    expect((await store.read.attempts(jobId))[0]).toMatchObject({ cleaned: ['result'] })
  })

  it('is not called for input that its validator refuses: the job fails for good and names the path', async () => {
    const store = await freshStore(driver)
    const bad = await enqueue(store, 'checked', { to: 7 })
    const good = await enqueue(store, 'checked', { to: 'ann' })
    let calls = 0
    const worker = await startWorker(store, {
      checked: {
        handler: (_context, input) => {
          calls += 1
          return input
        },
        parse: async (input) =>
          typeof (input as { to: unknown }).to === 'string'
            ? { value: { to: 'Ann', parsed: true } }
            : { problem: { path: '/to', message: 'must be text' } },
      },
    })
    await worker.idle()
    expect(calls).toBe(1)
    expect(await store.read.job(good)).toMatchObject({ result: { to: 'Ann', parsed: true } })
    expect(await store.read.job(bad)).toMatchObject({ state: 'failed', attempt: 1 })
    expect((await store.read.attempts(bad))[0]?.errorMessage).toContain('/to')
  })
})

it('a handler of several queues knows which one its job is of', async () => {
  const store = await freshStore()
  const ids: number[] = []
  for (const queue of ['one', 'two'])
    ids.push((await store.enqueue({ queue, kind: 'which', input: null })).jobId)
  const worker = await startWorker(store, { which: ({ queue }) => queue }, { queues: ['one', 'two'] })
  await worker.idle()
  expect((await Promise.all(ids.map((id) => store.read.job(id)))).map((job) => job?.result)).toEqual([
    'one',
    'two',
  ])
})

it('a job of an unknown kind is parked with what the worker knows, and runs when a worker comes that knows it', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'novel')
  const old = await startWorker(store, { resize: () => 1, crop: () => 2 })
  await until(async () => (await store.read.job(jobId))?.state === 'parked')
  expect((await store.read.attempts(jobId))[0]).toMatchObject({
    outcome: 'parked',
    reason: expect.stringContaining('crop, resize'),
  })
  await old.stop()
  const later = await startWorker(store, { novel: () => 'done' })
  await later.idle()
  expect(await store.read.job(jobId)).toMatchObject({ state: 'succeeded', result: 'done' })
  await expectHealthy(store)
})

it('many jobs through few slots: never more at a time than there are slots, and each runs once', async () => {
  const store = await freshStore()
  const ids = await enqueueMany(store, 500, 'count')
  const ran: number[] = []
  let running = 0
  let most = 0
  const worker = await startWorker(
    store,
    {
      count: async ({ jobId }) => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        ran.push(jobId)
      },
    },
    { concurrency: 7 },
  )
  await worker.idle()
  expect(most).toBe(7)
  expect(ran.sort((a, b) => a - b)).toEqual(ids)
  expect(await states(store)).toEqual({ succeeded: 500 })
  await expectHealthy(store)
})

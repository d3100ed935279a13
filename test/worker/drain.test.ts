// How a worker goes away.
import { expect, it } from 'vitest'
import { expectHealthy, freshStore, secondStore } from '../support/world.js'
import { enqueue, enqueueMany, gate, makeWorker, QUEUE, startWorker, states, until } from './world.js'

it('a drain claims no more, lets what runs finish, and gives its lease back', async () => {
  const store = await freshStore()
  const { open, opened } = gate()
  const first = await enqueue(store, 'wait')
  const worker = await startWorker(store, { wait: () => opened }, { concurrency: 1 })
  await until(() => worker.stats().busy === 1)
  const draining = worker.drain('test')
  const second = await enqueue(store, 'wait')
  await until(() => worker.stats().state === 'draining')
  open()
  expect(await draining).toEqual({ clean: true, released: 0, unwritten: 0 })
  expect(await store.read.job(first)).toMatchObject({ state: 'succeeded' })
  expect(await store.read.job(second)).toMatchObject({ state: 'queued', attempt: 0 })
  expect(worker.stats()).toMatchObject({ state: 'stopped', lease: null })
  expect(await store.database.query('select id from holdfast.lease')).toEqual([])
  expect(await store.workers.list()).toEqual([])
})

it('when the grace is over, what runs is told to stop and goes back uncharged, or is paused where the queue says so', async () => {
  const store = await freshStore()
  await store.queues.create('targets', { preset: 'target' })
  const plain = await enqueue(store, 'long')
  const { jobId: target } = await store.enqueue({ queue: 'targets', kind: 'long', target: 't', input: null })
  const codes: string[] = []
  const worker = await startWorker(
    store,
    {
      long: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            codes.push(signal.reason.code)
            reject(signal.reason)
          })
        }),
    },
    { queues: [QUEUE, 'targets'] },
  )
  await until(() => worker.stats().busy === 2)
  expect(await worker.drain('test', { graceMs: 30 })).toEqual({ clean: false, released: 2, unwritten: 0 })
  expect(codes).toEqual(['shutdown', 'shutdown'])
  expect(await store.read.job(plain)).toMatchObject({ state: 'queued', failures: 0, interruptions: 1 })
  expect(await store.read.job(target)).toMatchObject({ state: 'paused', reason: 'shutdown' })
  await expectHealthy(store)
})

it('a handler that ignores the end of the grace is given up after the time to settle', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'deaf')
  // One slot: no claim is under way that could take the job again once it is released.
  const worker = await startWorker(
    store,
    { deaf: () => new Promise(() => {}) },
    { abortMs: 30, concurrency: 1 },
  )
  await until(() => worker.stats().busy === 1)
  expect(await worker.drain('test', { graceMs: 30 })).toEqual({ clean: false, released: 1, unwritten: 0 })
  expect(await store.read.job(jobId)).toMatchObject({ state: 'queued' })
})

it('a second drain releases everything at once', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'deaf')
  const worker = await startWorker(store, { deaf: () => new Promise(() => {}) }, { concurrency: 1 })
  await until(() => worker.stats().busy === 1)
  const first = worker.drain('first')
  const second = worker.drain('second')
  expect(await second).toEqual({ clean: false, released: 1, unwritten: 0 })
  expect(await first).toEqual(await second)
  expect(await store.read.job(jobId)).toMatchObject({ state: 'queued' })
})

it('a drain while a claim is under way runs what that claim brings, and leaves nothing claimed', async () => {
  const store = await freshStore()
  await enqueueMany(store, 50, 'quick')
  const worker = await startWorker(store, { quick: () => {} }, { concurrency: 10 })
  // At once: the first claim is on its way.
  const drained = await worker.drain('test')
  expect(drained).toMatchObject({ clean: true, unwritten: 0, released: 0 })
  const { queued = 0, succeeded = 0, ...others } = await states(store)
  expect(others).toEqual({})
  expect(queued + succeeded).toBe(50)
  await expectHealthy(store)
})

it('one that has not started, or is just starting, or could not start, can be drained', async () => {
  const store = await freshStore()
  const never = makeWorker(store, {})
  expect(await never.drain()).toEqual({ clean: true, released: 0, unwritten: 0 })
  await expect(never.start()).rejects.toThrow('started already')
  const starting = makeWorker(store, { a: () => {} })
  const started = starting.start()
  expect(await starting.drain()).toMatchObject({ clean: true })
  await started
  const refused = makeWorker(store, {}, { queues: ['no such name!'] })
  await expect(refused.start()).rejects.toThrow('not valid')
  expect(await refused.stop()).toEqual({ clean: true, released: 0, unwritten: 0 })
  expect(await store.database.query('select id from holdfast.lease')).toEqual([])
})

it('a worker drains when somebody asks for it through the database', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'quick')
  const worker = await startWorker(store, { quick: () => {} })
  await until(async () => (await store.read.job(jobId))?.state === 'succeeded')
  const elsewhere = await secondStore(store)
  expect(await elsewhere.workers.drain(worker.name, { actor: 'ann' })).toBe(true)
  await until(() => worker.stats().state === 'stopped')
})

it('fewer slots never end a running job', async () => {
  const store = await freshStore()
  await enqueueMany(store, 6, 'wait')
  const { open, opened } = gate()
  let most = 0
  let running = 0
  let closed = false
  const worker = await startWorker(
    store,
    {
      wait: async () => {
        running += 1
        if (closed) most = Math.max(most, running)
        await opened
        running -= 1
      },
    },
    { concurrency: 4 },
  )
  await until(() => running === 4)
  worker.setConcurrency(1)
  expect(running).toBe(4)
  closed = true
  open()
  await worker.idle()
  expect(await states(store)).toEqual({ succeeded: 6 })
  expect(most).toBe(1)
})

// How a handler is told to stop, and what becomes of its job.
import { expect, it } from 'vitest'
import type { HandlerContext } from '../../src/worker/handlers.js'
import { JobAborted } from '../../src/worker/outcomes.js'
import { expectHealthy, freshStore } from '../support/world.js'
import { enqueue, enqueueMany, gate, QUEUE, startWorker, states, until } from './world.js'

/** Runs until it is told to stop, then throws the reason, as fetch and timers do. */
const untilTold = ({ signal }: HandlerContext) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

it('a cancel aborts the signal with its reason, and the job is canceled', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'long')
  const reasons: unknown[] = []
  const worker = await startWorker(store, {
    long: async (context) => {
      await untilTold(context).catch((reason) => {
        reasons.push(reason)
        throw reason
      })
    },
  })
  await until(() => worker.stats().busy === 1)
  expect(await store.commands.cancel(jobId, { actor: 'ann', reason: 'no longer needed' })).toMatchObject({
    result: 'requested',
  })
  await worker.idle()
  expect(reasons).toEqual([expect.any(JobAborted)])
  expect(reasons[0]).toMatchObject({ code: 'cancel' })
  expect(await store.read.job(jobId)).toMatchObject({ state: 'canceled', reason: 'no longer needed' })
  await expectHealthy(store)
})

it('in the target preset a cancel pauses the job as interrupted by the user', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE, { preset: 'target' })
  const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'long', target: 't', input: null })
  const worker = await startWorker(store, { long: untilTold })
  await until(() => worker.stats().busy === 1)
  await store.commands.cancel(jobId)
  await worker.idle()
  expect(await store.read.job(jobId)).toMatchObject({
    state: 'paused',
    reason: 'Job was interrupted by user',
  })
})

it('a handler that never looked at its signal, or has a result all the same, has succeeded in spite of a cancel', async () => {
  const store = await freshStore()
  const deaf = await enqueue(store, 'deaf')
  const quick = await enqueue(store, 'quick')
  const stopped = await enqueue(store, 'stopped')
  const { open, opened } = gate()
  const told = gate()
  const worker = await startWorker(store, {
    deaf: () => opened,
    quick: ({ signal }) => {
      signal.addEventListener('abort', told.open)
      return opened.then(() => ({ aborted: signal.aborted }))
    },
    stopped: ({ signal }) => opened.then(() => (signal.aborted ? undefined : 'all of it')),
  })
  await until(() => worker.stats().busy === 3)
  // The beat that tells the last of them tells all of them.
  for (const id of [deaf, stopped, quick]) await store.commands.cancel(id)
  await told.opened
  open()
  await worker.idle()
  expect(await store.read.job(deaf)).toMatchObject({ state: 'succeeded' })
  expect(await store.read.job(quick)).toMatchObject({ state: 'succeeded', result: { aborted: true } })
  expect(await store.read.job(stopped)).toMatchObject({ state: 'canceled' })
})

it('an attempt that takes longer than it may is told so, fails, and is tried again', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue({ queue: QUEUE, kind: 'slow', timeoutMs: 40, input: null })
  const other = await enqueue(store, 'default')
  const worker = await startWorker(store, {
    slow: untilTold,
    default: { handler: untilTold, timeoutMs: 30 },
  })
  await worker.idle()
  expect(await store.read.job(jobId)).toMatchObject({
    state: 'retrying',
    lastError: 'The attempt took longer than 40 ms.',
  })
  expect(await store.read.job(other)).toMatchObject({ lastError: 'The attempt took longer than 30 ms.' })
})

it('a handler that never settles loses its slot after the time to settle, and is counted as leaked', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue({
    queue: QUEUE,
    kind: 'hang',
    timeoutMs: 30,
    input: null,
    maxRetries: 0,
  })
  await enqueueMany(store, 3, 'fine')
  const { open, opened } = gate()
  const worker = await startWorker(
    store,
    { hang: () => opened, fine: () => {} },
    { concurrency: 1, abortMs: 60 },
  )
  await worker.idle()
  expect(await store.read.job(jobId)).toMatchObject({ state: 'failed', attempt: 1 })
  expect(await states(store)).toEqual({ failed: 1, succeeded: 3 })
  expect(worker.stats()).toMatchObject({ leaked: 1, busy: 0 })
  open()
  await until(() => worker.stats().leaked === 0)
  expect(await store.read.attempts(jobId)).toHaveLength(1)
  await expectHealthy(store)
})

it('a job that uses more tokens than it may ends with that reason and is not tried again', async () => {
  const store = await freshStore()
  await store.queues.create('targets', { preset: 'target' })
  const plain = await store.enqueue({ queue: QUEUE, kind: 'spend', tokenLimit: 250, input: null })
  const held = await store.enqueue({
    queue: 'targets',
    kind: 'spend',
    target: 't',
    tokenLimit: 250,
    input: null,
  })
  const used: number[] = []
  const worker = await startWorker(
    store,
    {
      spend: async ({ usage }) => {
        // The same amount twice is two amounts.
        for (let n = 0; n < 5; n++) used.push((await usage(100)).tokensUsed)
      },
    },
    { queues: [QUEUE, 'targets'], concurrency: 1 },
  )
  await worker.idle()
  expect(used).toEqual([100, 200, 100, 200])
  expect(await store.read.job(plain.jobId)).toMatchObject({
    state: 'failed',
    reason: 'token limit',
    attempt: 1,
    lastError: 'The job has used 300 tokens; its limit is 250.',
  })
  expect(await store.read.job(held.jobId)).toMatchObject({ state: 'errored' })
  await expectHealthy(store)
})

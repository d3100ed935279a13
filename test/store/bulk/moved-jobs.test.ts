import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import type { BulkCommand } from '../../../src/domain/bulk.js'
import { expectHealthy, freshStore } from '../../support/world.js'

/** Starts an operation, lets something happen between its search and its command, and returns the results. */
async function movedMeanwhile(store: Store, command: BulkCommand, q: string, move: () => Promise<unknown>) {
  const { operation } = await store.bulk.start({
    command,
    q,
    ...(command === 'priority' ? { priority: 9 } : {}),
  })
  const taken = await store.bulk.take('a')
  if (taken === undefined) throw new Error('not taken')
  const { ids, next } = await store.bulk.find(taken)
  await move()
  await store.bulk.apply(taken, 'a', ids, next)
  return store.bulk.results(operation.id)
}

it('a bulk cancellation of queued jobs leaves alone what a worker has claimed since the search', async () => {
  const store = await freshStore()
  const [first, second] = await store.enqueueMany([
    { queue: 'mail', kind: 'send' },
    { queue: 'mail', kind: 'send' },
  ])
  const claim = () => store.work.claim({ queues: ['mail'], worker: 'w', limit: 1 })
  expect(await movedMeanwhile(store, 'cancel', 'state:queued', claim)).toMatchObject([
    { jobId: second?.jobId, ok: true, state: 'canceled' },
    { jobId: first?.jobId, ok: false, state: 'assigned', code: 'wrong_state' },
  ])
  expect(await store.read.job(first?.jobId as number)).toMatchObject({
    state: 'assigned',
    cancelRequested: false,
  })
  await expectHealthy(store)
})

it('a bulk operation without a state applies to a job in whichever state it is by then', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue({ queue: 'mail', kind: 'send' })
  const claim = () => store.work.claim({ queues: ['mail'], worker: 'w', limit: 1 })
  expect(await movedMeanwhile(store, 'cancel', 'kind:send', claim)).toMatchObject([{ jobId, ok: true }])
  expect(await store.read.job(jobId)).toMatchObject({ state: 'assigned', cancelRequested: true })
})

it('a bulk change of priority, and a discard, leave alone jobs that have moved since the search', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue({ queue: 'mail', kind: 'send', maxRetries: 3 })
  const [claimed] = await store.work.claim({ queues: ['mail'], worker: 'w', limit: 1 })
  const fail = () => store.work.finish([{ ...claimed, outcome: 'failed', error: 'no' } as never])
  expect(await movedMeanwhile(store, 'priority', 'state:assigned', fail)).toMatchObject([
    { jobId, ok: false, state: 'retrying', code: 'wrong_state' },
  ])
  const retry = () => store.commands.retry(jobId)
  expect(await movedMeanwhile(store, 'discard', 'state:retrying', retry)).toMatchObject([
    { jobId, ok: false, state: 'queued', code: 'wrong_state' },
  ])
  expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', priority: 0 })
  await expectHealthy(store)
})

// A handler that goes on although it was told to stop.
import { expect, it } from 'vitest'
import { freshStore } from '../support/world.js'
import { enqueue, gate, startWorker, until } from './world.js'

it('a handler that lost its job and does not settle is given up as lost, never told of as a success', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'deaf')
  const never = gate()
  const deaf = ({ attempt }: { attempt: number }) => (attempt > 1 ? 'second time' : never.opened)
  const worker = await startWorker(store, { deaf }, { abortMs: 50 })
  await until(() => worker.stats().busy === 1)
  await store.database.transaction(async (session) => {
    await session.query(
      "update holdfast.lease set expires_at = holdfast.now() - interval '1 hour', lease_ms = 1",
    )
    await session.query('select holdfast.reclaim()')
  })
  await until(() => worker.ended.length === 2)
  const [first, second] = worker.ended.toSorted((one, other) => one.attempt - other.attempt)
  expect([first, second].map((one) => [one?.attempt, one?.outcome, one?.accepted])).toEqual([
    [1, 'lost', false],
    [2, 'succeeded', true],
  ])
  expect(worker.stats().outcomes).toEqual({ succeeded: 1 })
  expect(jobId).toBe(first?.jobId)
  never.open()
})

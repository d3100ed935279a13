// A process that carries out a bulk operation is killed in the middle of it.
import { expect, it } from 'vitest'
import { carryOut } from '../../src/store/bulk/carry-out.js'
import { failedJobs, statesOf } from '../store/bulk/failed-jobs.js'
import { openSession } from '../support/sessions.js'
import { expectHealthy, pinnedStore, postgresUrl } from '../support/world.js'
import { finished, startHoldfast } from './run-holdfast.js'

it('an operation whose process is killed in the middle goes on elsewhere, and acts on each job once', async () => {
  const store = await pinnedStore()
  const ids = await failedJobs(store, 1_200)
  // A job of the second page is locked, so the process cannot get past the first one.
  const session = await openSession(store)
  await session.begin()
  await session.database.query('select from holdfast.attempt where job_id = $1 for update', [ids[100]])
  const args = [
    'bulk',
    'retry',
    '--search',
    'state:failed',
    '--yes',
    '--url',
    postgresUrl(),
    '--schema',
    store.schema,
  ]
  const child = startHoldfast(args)
  const ended = finished(child)
  for (;;) {
    const [operation] = await store.bulk.list()
    if (operation !== undefined && operation.matched > 0) break
  }
  child.kill('SIGKILL')
  await ended
  expect(await store.bulk.get(1)).toMatchObject({ state: 'running', matched: 500, done: 500 })
  await session.rollback()
  expect(await carryOut(store.bulk, { runner: 'other' })).toEqual({ jobs: 0, more: false })
  await store.clock.advance(15_000)
  expect(await carryOut(store.bulk, { runner: 'other', forMs: 60_000 })).toMatchObject({ id: 1, jobs: 700 })
  expect(await store.bulk.get(1)).toMatchObject({ state: 'done', matched: 1_200, done: 1_200, failed: 0 })
  expect(await statesOf(store, ids)).toEqual({ queued: 1_200 })
  const [counts] = await store.database.query<{ jobs: number; events: number }>(
    "select count(distinct job_id)::int as jobs, count(*)::int as events from holdfast.event where type = 'retried'",
  )
  expect(counts).toEqual({ jobs: 1_200, events: 1_200 })
  await expectHealthy(store)
})

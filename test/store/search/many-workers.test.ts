import { expect, it } from 'vitest'
import { freshStore } from '../../support/world.js'
import { failedJobs } from '../bulk/failed-jobs.js'

it('a pattern of worker names finds and excludes jobs of every worker, however many came later', async () => {
  const store = await freshStore()
  const [failed] = await failedJobs(store, 1)
  await store.enqueue({ queue: 'mail', kind: 'send' })
  const [running] = await store.work.claim({ queues: ['mail'], worker: 'w-2', limit: 1 })
  const { jobId: queued } = await store.enqueue({ queue: 'mail', kind: 'send' })
  await store.database.query(
    "insert into holdfast.worker (name, created_at) select 'web-' || n, holdfast.now() from generate_series(1, 1000) n",
  )
  const found = async (query: string) => (await store.search.page(query)).rows.map(({ id }) => id)
  expect(await found('worker:w*')).toEqual([running?.jobId, failed])
  expect(await found('worker:w-*,nobody')).toEqual([running?.jobId])
  expect(await found('worker:x*')).toEqual([])
  expect(await found('-worker:w*')).toEqual([queued])
  expect(await found('-worker:w-*')).toEqual([queued, failed])
})

it('a version finds and excludes jobs of every worker that had it, however many did', async () => {
  const store = await freshStore()
  const [failed] = await failedJobs(store, 1)
  await store.enqueue({ queue: 'mail', kind: 'send' })
  const [running] = await store.work.claim({ queues: ['mail'], worker: 'w-2', limit: 1 })
  const { jobId: queued } = await store.enqueue({ queue: 'mail', kind: 'send' })
  await store.database.query(
    "insert into holdfast.worker (name, created_at) select 'web-' || n, holdfast.now() from generate_series(1, 1500) n",
  )
  // The workers of the jobs had the version first, and the others later.
  await store.database.query(
    `insert into holdfast.worker_version (tenant, worker_id, since, version)
     select 'default', w.id, holdfast.now() - interval '1 hour' + interval '1 s' * w.id, '1.4.2' from holdfast.worker w`,
  )
  const found = async (query: string) => (await store.search.page(query)).rows.map(({ id }) => id)
  expect(await found('version:1.4.2')).toEqual([running?.jobId, failed])
  expect(await found('version:1.4.*')).toEqual([running?.jobId, failed])
  expect(await found('version:1.5.0')).toEqual([])
  expect(await found('-version:1.4.2')).toEqual([queued])
  expect(await found('-version:1.5.0')).toEqual([queued, running?.jobId, failed])
})

import { expect, it } from 'vitest'
import { freshStore } from '../../support/world.js'

/** An outage fails every kind with the same error; a group names twenty of its kinds and queues. */
it('a group of errors is found by each of its kinds and queues, also those it does not name', async () => {
  const store = await freshStore()
  const names = Array.from({ length: 22 }, (_, n) => `k-${n}`)
  await store.enqueueMany(names.map((name) => ({ queue: name, kind: name, maxRetries: 0 })))
  await store.enqueue({ queue: 'well', kind: 'well' })
  const claimed = await store.work.claim({ queues: [...names, 'well'], worker: 'w', limit: 100 })
  await store.work.finish(
    claimed.map((job) =>
      job.kind === 'well'
        ? { ...job, outcome: 'succeeded' as const }
        : { ...job, outcome: 'failed' as const, error: 'the database is down' },
    ),
  )
  while ((await store.upkeep.countMinutes()) > 0);
  const [group] = (await store.errors.list()).rows
  expect(group?.kinds).toHaveLength(20)
  for (const name of names) {
    expect([name, (await store.errors.list({ kind: name })).rows]).toEqual([name, [group]])
    expect([name, (await store.errors.list({ queue: name })).rows]).toEqual([name, [group]])
  }
  expect((await store.errors.list({ kind: 'well' })).rows).toEqual([])
  expect((await store.errors.list({ queue: 'well' })).rows).toEqual([])
})

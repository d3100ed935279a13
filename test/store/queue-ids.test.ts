/** What a store remembers of queues, when the server behind it may have changed. */
import { expect, it } from 'vitest'
import { openSession } from '../support/sessions.js'
import { freshStore, secondStore } from '../support/world.js'

it('6.01 the id of a queue is asked for again after a connection broke: a failover may have given it to another', async () => {
  const store = await freshStore('postgres', { connections: 1 })
  const other = await secondStore(store, 1)
  expect(await store.work.claim({ worker: 'w', queues: ['mine'] })).toEqual([])
  // The queue was lost with the old server, and the new one has given its id to somebody else's.
  await other.database.script(
    "update holdfast.queue set name = 'theirs', tenant = 'other' where name = 'mine'",
  )
  await other.enqueue({ queue: 'theirs', kind: 'k' }, { tenant: 'other' })
  const session = await openSession(other)
  await session.client.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await store.database.query('select 1', [], { repeatable: true })
  expect(await store.work.claim({ worker: 'w', queues: ['mine'] })).toEqual([])
  expect((await store.queues.list()).map(({ name }) => name)).toEqual(['mine'])
})

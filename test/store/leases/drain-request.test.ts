/** A request to drain is no presence: it must outlive a crash of the server, which empties unlogged tables. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { PRESENCE } from '../../support/presence.js'
import { openSession } from '../../support/sessions.js'
import { pinnedStore } from '../../support/world.js'

const { worker } = PRESENCE
const DAY_MS = 86_400_000

/** What recovery does to every unlogged table. */
const crash = async (store: Store) => {
  const unlogged = await store.database.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relpersistence = 'u'`,
    [store.schema],
  )
  expect(unlogged.map(({ name }) => name)).toContain(`${store.schema}.presence`)
  await store.database.script(`truncate ${unlogged.map(({ name }) => name).join(', ')}`)
}

describe('a request to drain', () => {
  it('6.12 a request to drain is not lost with the unlogged table', async () => {
    const store = await pinnedStore()
    await store.work.heartbeat(PRESENCE)
    expect(await store.workers.drain(worker, { actor: 'ada', reason: 'new version' })).toBe(true)
    await crash(store)
    expect(await store.workers.list()).toEqual([])
    expect(await store.work.heartbeat(PRESENCE)).toEqual({ drain: true })
    expect(await store.workers.list()).toMatchObject([
      {
        worker,
        drainRequestedBy: 'ada',
        drainReason: 'new version',
        drainRequestedAt: await store.clock.now(),
      },
    ])
    expect(await store.workers.drain(worker)).toBe(false)
  })

  it('6.12 it is for the process that was asked, and ends when that leaves', async () => {
    const store = await pinnedStore()
    await store.work.heartbeat(PRESENCE)
    await store.workers.drain(worker)
    await crash(store)
    const another = { ...PRESENCE, pid: PRESENCE.pid + 1 }
    expect(await store.work.heartbeat(another)).toEqual({ drain: false })
    expect(await store.workers.list()).toMatchObject([{ worker, drainRequestedAt: null }])
    expect(await store.workers.drain(worker, { actor: 'ada' })).toBe(true)
    expect(await store.work.heartbeat(another)).toEqual({ drain: true })
    await crash(store)
    await store.work.removeWorker(worker)
    expect(await store.work.heartbeat(another)).toEqual({ drain: false })
  })

  it('6.12 one whose worker never came back is forgotten after a day', async () => {
    const store = await pinnedStore()
    await store.work.heartbeat(PRESENCE)
    await store.workers.drain(worker)
    await crash(store)
    await store.clock.advance(DAY_MS + 1)
    await store.upkeep.pruneRecords()
    expect(await store.database.query('select from holdfast.drain_request')).toEqual([])
  })

  it('6.05 a beat does not wait for a request that is not committed, nor for a row that somebody has locked', async () => {
    const store = await pinnedStore()
    await store.work.heartbeat(PRESENCE)
    const psql = await openSession(store)
    await psql.begin()
    await psql.workers.drain(worker)
    expect(await store.work.heartbeat({ ...PRESENCE, busy: 7 })).toEqual({ drain: false })
    await psql.commit()
    await psql.begin()
    await psql.database.query('select from holdfast.presence for update')
    expect(await store.work.heartbeat({ ...PRESENCE, busy: 8 })).toEqual({ drain: true })
    await psql.rollback()
    expect(await store.workers.list()).toMatchObject([{ busy: 7 }])
    await store.work.heartbeat({ ...PRESENCE, busy: 8 })
    expect(await store.workers.list()).toMatchObject([{ busy: 8 }])
  })
})

/** Who works here: signs of life, good-byes, and the request to go home. */

import { expect, it } from 'vitest'
import type { Presence } from '../../../src/domain/port.js'
import { costOf } from '../../support/plans.js'
import { onEachDriver, pinnedStore } from '../../support/world.js'

const DAY_MS = 86_400_000

const me: Presence = {
  worker: 'host-1:77',
  host: 'host-1',
  pid: 77,
  version: '0.1.0',
  kinds: ['resize', 'mail'],
  queues: ['images'],
  tenant: 'default',
  slots: 10,
  busy: 3,
  lagMs: 12,
  draining: false,
}

onEachDriver('presence', (driver) => {
  it('shows a worker as it says it is, with the leases it holds', async () => {
    const store = await pinnedStore(driver)
    const { lease, expiresAt } = await store.work.openLease(me.worker, 30_000)
    await store.enqueue({ queue: 'images', kind: 'resize' })
    await store.work.claim({ worker: me.worker, queues: ['images'] })
    expect(await store.work.heartbeat(me)).toEqual({ drain: false })
    const at = await store.clock.now()
    expect(await store.workers.list()).toEqual([
      {
        ...me,
        kinds: ['mail', 'resize'],
        appVersion: null,
        drainRequestedAt: null,
        drainRequestedBy: null,
        drainReason: null,
        startedAt: at,
        heartbeatAt: at,
        alive: true,
        lease,
        leaseExpiresAt: expiresAt,
        leases: 2,
      },
    ])
  })

  it('writes nothing within ten seconds unless something changed that people want to know', async () => {
    const store = await pinnedStore(driver)
    await store.work.heartbeat(me)
    await store.clock.advance(9_999)
    await store.work.heartbeat({ ...me, lagMs: 500 })
    expect(await store.workers.list()).toMatchObject([{ lagMs: 12, busy: 3 }])
    const call = {
      text: 'select holdfast.worker_heartbeat($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
      values: [me.worker, me.host, 77, me.version, ['mail', 'resize'], me.queues, 'default', 10, 3, 9, false],
    }
    expect(await costOf(store, call)).toMatchObject({ walBytes: 0, wrote: false })
    await store.work.heartbeat({ ...me, busy: 4, lagMs: 700 })
    expect(await store.workers.list()).toMatchObject([{ lagMs: 700, busy: 4 }])
    await store.clock.advance(10_000)
    await store.work.heartbeat({ ...me, busy: 4, lagMs: 1 })
    expect(await store.workers.list()).toMatchObject([{ lagMs: 1, heartbeatAt: await store.clock.now() }])
  })

  it('takes a worker for dead after three missed signs of life, and forgets it after a day', async () => {
    const store = await pinnedStore(driver)
    await store.work.heartbeat(me)
    await store.clock.advance(29_999)
    expect(await store.workers.list()).toMatchObject([{ alive: true }])
    await store.clock.advance(1)
    expect(await store.workers.list()).toMatchObject([{ alive: false }])
    await store.clock.advance(DAY_MS - 30_000)
    expect(await store.upkeep.pruneRecords()).toBe(0)
    await store.clock.advance(1)
    expect(await store.upkeep.pruneRecords()).toBe(1)
    expect(await store.workers.list()).toEqual([])
  })

  it('no longer shows a worker that has said good-bye', async () => {
    const store = await pinnedStore(driver)
    await store.work.heartbeat(me)
    await store.work.heartbeat({ ...me, worker: 'other' })
    await store.work.removeWorker(me.worker)
    expect(await store.workers.list()).toMatchObject([{ worker: 'other' }])
    await store.work.removeWorker(me.worker)
  })

  it('tells a worker once asked to drain so with each sign of life, and who asked is told in the feed', async () => {
    const store = await pinnedStore(driver)
    await store.work.heartbeat(me)
    expect(await store.workers.drain(me.worker, { actor: 'ada', reason: 'deploy' })).toBe(true)
    expect(await store.workers.drain(me.worker, { actor: 'bob' })).toBe(false)
    expect(await store.work.heartbeat(me)).toEqual({ drain: true })
    expect(await store.work.heartbeat({ ...me, draining: true })).toEqual({ drain: true })
    expect(await store.workers.list()).toMatchObject([
      { draining: true, drainRequestedBy: 'ada', drainReason: 'deploy' },
    ])
    const { events } = await store.read.feed('all')
    expect(events).toMatchObject([
      { type: 'worker_drain_requested', actor: 'ada', reason: 'deploy', data: { worker: me.worker } },
    ])
  })

  it('asks nothing of a new process under the name of one that was asked to drain', async () => {
    const store = await pinnedStore(driver)
    await store.work.heartbeat(me)
    await store.workers.drain(me.worker)
    expect(await store.work.heartbeat({ ...me, pid: 78 })).toEqual({ drain: false })
    expect(await store.workers.list()).toMatchObject([{ pid: 78, drainRequestedAt: null }])
  })

  it('refuses to drain a worker nobody has heard of', async () => {
    const store = await pinnedStore(driver)
    await expect(store.workers.drain('nobody')).rejects.toMatchObject({
      code: 'unknown_worker',
      status: 404,
      details: { worker: 'nobody' },
    })
  })

  it('shows the workers of one tenant, or of all', async () => {
    const store = await pinnedStore(driver)
    await store.work.heartbeat(me)
    await store.work.heartbeat({ ...me, worker: 'b', tenant: 'bolt' })
    expect((await store.workers.list({ tenant: 'bolt' })).map(({ worker }) => worker)).toEqual(['b'])
    expect(await store.workers.list()).toHaveLength(2)
  })
})

import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { auditedCall } from '../../support/audited-call.js'
import { costOf } from '../../support/plans.js'
import { expectHealthy, onEachDriver, pinnedStore } from '../../support/world.js'

const HOUR_MS = 3_600_000

async function counts(store: Store): Promise<{ events: number; requests: number }> {
  const [row] = await store.database.query<{ events: number; requests: number }>(
    'select (select count(*) from holdfast.event) as events, (select count(*) from holdfast.idempotency) as requests',
  )
  return { events: row?.events ?? -1, requests: row?.requests ?? -1 }
}

onEachDriver('forget', (driver) => {
  it('lets go of events and of answers to requests by their age, and of nothing younger', async () => {
    const world = await pinnedStore(driver)
    await world.enqueue({ queue: 'mail', kind: 'old' }, { idempotencyKey: 'old' })
    await world.clock.advance(25 * HOUR_MS)
    await world.enqueue({ queue: 'mail', kind: 'new' }, { idempotencyKey: 'new' })
    const before = await counts(world)
    expect(await world.upkeep.pruneRecords()).toBe(1)
    expect(await counts(world)).toEqual({ ...before, requests: before.requests - 1 })
    await world.clock.advance(7 * 24 * HOUR_MS - 1 * HOUR_MS)
    const { events } = await world.read.feed('all')
    const young = events.filter(({ at }) => at.getTime() > Date.parse('2030-01-02T00:00:00Z'))
    await world.upkeep.pruneRecords()
    expect((await world.read.feed('all')).events).toEqual(young)
    expect(young).toHaveLength(1)
    expect((await counts(world)).requests).toBe(0)
    expect(await world.upkeep.pruneRecords()).toBe(0)
    await expectHealthy(world)
  })

  it('makes a new job for a request sent again after its answer was forgotten, and the same before', async () => {
    const world = await pinnedStore(driver)
    const ask = () => world.enqueue({ queue: 'mail', kind: 'any' }, { idempotencyKey: 'k' })
    const first = await ask()
    await world.clock.advance(23 * HOUR_MS)
    await world.upkeep.pruneRecords()
    expect(await ask()).toEqual(first)
    await world.clock.advance(2 * HOUR_MS)
    await world.upkeep.pruneRecords()
    expect((await ask()).jobId).toBeGreaterThan(first.jobId)
  })

  it('takes the ages and the size of a pass from its caller, oldest first', async () => {
    const world = await pinnedStore(driver)
    for (let i = 0; i < 10; i += 1) {
      await world.enqueue({ queue: 'mail', kind: 'any' }, { idempotencyKey: `k${i}` })
      await world.clock.advance(1000)
    }
    const before = await counts(world)
    expect(await world.upkeep.pruneRecords({ eventsMs: 5_500, requestsMs: 5_500, limit: 3 })).toBe(6)
    expect(await counts(world)).toEqual({ events: before.events - 3, requests: 7 })
    const left = await world.database.query<{ key: string }>(
      'select key from holdfast.idempotency order by key',
    )
    expect(left.map(({ key }) => key)).toEqual(['k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9'])
    expect(await world.upkeep.pruneRecords({ eventsMs: 5_500, requestsMs: 5_500 })).toBeGreaterThan(0)
    expect((await counts(world)).requests).toBe(5)
  })

  it('lets go of calls of the server when they are older than AUDIT_DAYS', async () => {
    const world = await pinnedStore(driver)
    const call = (requestId: string) => ({ ...auditedCall(requestId), agoMs: 0 })
    await world.audit.record([call('old')])
    await world.clock.advance(24 * HOUR_MS)
    await world.audit.record([call('young')])
    expect(await world.upkeep.pruneRecords()).toBe(0)
    await world.settings.set('AUDIT_DAYS', 1)
    await world.clock.advance(1)
    expect(await world.upkeep.pruneRecords()).toBe(1)
    expect(await world.audit.list()).toMatchObject([{ requestId: 'young' }])
  })

  it('reads as many pages for a pass over many as over few', async () => {
    const world = await pinnedStore(driver, { connections: 1 })
    await world.database.script(`
      insert into holdfast.event (at, type, job_id) select holdfast.now() - interval '8 days', 'noted', n from generate_series(1, 20000) n;
      insert into holdfast.idempotency (tenant, key, created_at)
        select 'default', n::text, holdfast.now() - interval '2 days' from generate_series(1, 20000) n`)
    const call = { text: "select holdfast.prune_records('7 days', '1 day', 10)" }
    expect((await costOf(world, call)).buffers).toBeLessThan(400)
  })
})

/** Who fires a schedule, meeting others who fire it, change it, take it away or hold it. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { race } from '../../support/sessions.js'
import { expectHealthy, pinnedStore, secondStore, type World } from '../../support/world.js'

const HOUR = 3_600_000
const FIRED = { fired: 1, more: false, failures: [] }
const NOTHING = { ...FIRED, fired: 0 }

async function dueNow(more = {}): Promise<World> {
  const store = await pinnedStore()
  await store.schedules.create({ name: 's', kind: 'k', queue: 'q', expression: '@hourly', ...more })
  await store.clock.advance(HOUR)
  return store
}

const fire = (session: Store) => session.scheduler.fireDue()
const made = async (store: Store) => {
  const { rows } = await store.list.jobs()
  await expectHealthy(store)
  return rows.length
}

describe('two schedulers', () => {
  it('the second waits for the first, finds the slot fired and makes nothing', async () => {
    const store = await dueNow()
    expect(await race(store, fire, fire)).toEqual({ first: FIRED, second: NOTHING, waited: true })
    expect(await made(store)).toBe(1)
    expect(await store.schedules.history('s')).toMatchObject([{ outcome: 'created' }])
  })

  it('the second fires the slot when the first rolls back', async () => {
    const store = await dueNow()
    expect(await race(store, fire, fire, { end: 'rollback' })).toMatchObject({ second: FIRED, waited: true })
    expect(await made(store)).toBe(1)
  })

  it('ten at once, over fifty schedules and many slots: each slot once', async () => {
    const store = await pinnedStore()
    for (let n = 0; n < 50; n++)
      await store.schedules.create({
        name: `s${n}`,
        kind: 'k',
        queue: 'q',
        expression: '*/30 * * * *',
        catchUp: 'all',
        catchUpMax: 9,
      })
    await store.clock.advance(3 * HOUR)
    const others = await Promise.all(Array.from({ length: 9 }, () => secondStore(store, 2)))
    const answers = await Promise.all([store, ...others].map(fire))
    expect(answers.flatMap(({ failures }) => failures)).toEqual([])
    await fire(store)
    const [count] = await store.database.query(
      'select count(*)::int as firings, count(distinct (schedule_id, slot))::int as slots, count(distinct job_id)::int as jobs from holdfast.firings',
    )
    expect(count).toEqual({ firings: 300, slots: 300, jobs: 300 })
    expect(answers.reduce((sum, { fired }) => sum + fired, 0)).toBe(300)
    await expectHealthy(store)
  })

  it('a firing that waited for a job to end is made once', async () => {
    const store = await dueNow({ overlap: 'queue_one' })
    await fire(store)
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
    await store.clock.advance(HOUR)
    await fire(store)
    if (job !== undefined) await store.work.finish([{ ...job, outcome: 'succeeded' }])
    expect(await race(store, fire, fire)).toEqual({ first: FIRED, second: NOTHING, waited: true })
    expect(await made(store)).toBe(2)
  })
})

describe('a change', () => {
  const change = (session: Store) => session.schedules.update('s', { expression: '30 * * * *' })

  it('that comes first leaves nothing to fire by the old definition', async () => {
    const store = await dueNow()
    const met = await race(store, change, fire)
    expect(met).toMatchObject({ second: NOTHING, waited: true })
    expect(await made(store)).toBe(0)
    expect((await store.schedules.get('s')).nextRunAt).toEqual(new Date('2030-01-01T01:30:00Z'))
  })

  it('that comes second waits, and the slot that was fired stays fired', async () => {
    const store = await dueNow()
    const met = await race(store, fire, change)
    expect(met).toMatchObject({ first: FIRED, waited: true })
    expect(await made(store)).toBe(1)
    expect((await store.schedules.get('s')).nextRunAt).toEqual(new Date('2030-01-01T01:30:00Z'))
    await store.clock.advance(HOUR / 2)
    expect(await fire(store)).toEqual(FIRED)
  })

  it('of something else than its times takes no slot away', async () => {
    const store = await dueNow()
    const met = await race(store, (session) => session.schedules.update('s', { priority: 5 }), fire)
    expect(met).toMatchObject({ second: NOTHING })
    expect(await fire(store)).toEqual(FIRED)
    expect(await made(store)).toBe(1)
  })

  it('meets another change, and both take effect', async () => {
    const store = await dueNow()
    const met = await race(
      store,
      (session) => session.schedules.update('s', { priority: 5 }),
      (session) => session.schedules.update('s', { description: 'five' }),
    )
    expect(met.waited).toBe(true)
    expect(await store.schedules.get('s')).toMatchObject({ priority: 5, description: 'five', revision: 3 })
  })
})

describe('a deletion', () => {
  const remove = (session: Store) => session.schedules.remove('s')

  it('that comes first leaves nothing to fire', async () => {
    const store = await dueNow()
    expect(await race(store, remove, fire)).toMatchObject({ second: NOTHING, waited: true })
    expect(await made(store)).toBe(0)
  })

  it('that comes second takes the firing away with the schedule, and the job stays', async () => {
    const store = await dueNow()
    expect(await race(store, fire, remove)).toMatchObject({ first: FIRED, waited: true })
    expect(await made(store)).toBe(1)
    expect(await store.database.query('select * from holdfast.firings')).toEqual([])
  })
})

describe.each([
  ['a pause', (session: Store) => session.schedules.pause('s')],
  ['a maintenance window', (session: Store) => session.schedules.pauseAll()],
])('%s', (_what, hold) => {
  it('that comes first holds the slot back', async () => {
    const store = await dueNow()
    expect(await race(store, hold, fire)).toMatchObject({ second: NOTHING, waited: true })
    expect(await made(store)).toBe(0)
  })

  it('that comes second returns when the firing under way is over', async () => {
    const store = await dueNow()
    expect(await race(store, fire, hold)).toMatchObject({ first: FIRED, waited: true })
    expect(await made(store)).toBe(1)
    await store.clock.advance(HOUR)
    expect(await fire(store)).toEqual(NOTHING)
  })
})

import { beforeEach, expect, it } from 'vitest'
import { oneSchedule } from '../../support/one-schedule.js'
import { onEachDriver, pinnedStore, type World } from '../../support/world.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (text: string) => new Date(`2030-01-01T${text}Z`)

onEachDriver('schedules that are held, run by hand or late', (driver) => {
  let store: World
  beforeEach(async () => {
    store = await pinnedStore(driver)
  })
  const { make, fireAfter, history } = oneSchedule(() => store)

  it('a paused one fires nothing, says by whom and why, and goes on with its next slot', async () => {
    await make()
    expect(await store.schedules.pause('s', { actor: 'ada', reason: 'the disk is full' })).toBe(true)
    expect(await store.schedules.pause('s')).toBe(false)
    expect(await fireAfter(3 * HOUR + MINUTE)).toMatchObject({ fired: 0 })
    expect(await store.schedules.explain('s')).toMatchObject([
      {
        code: 'paused',
        blocking: true,
        sentence: 'It was paused by ada at 2030-01-01T00:00:00Z: the disk is full.',
      },
    ])
    expect(await store.schedules.resume('s')).toBe(true)
    expect(await store.schedules.resume('s')).toBe(false)
    expect(await history()).toEqual([{ at: '01:00', outcome: 'skipped', slots: 3 }])
    expect((await store.schedules.get('s')).nextRunAt).toEqual(at('04:00:00'))
    expect(await fireAfter(HOUR)).toMatchObject({ fired: 1 })
  })

  it('a maintenance window holds every schedule of the tenant, also those made while it is open, and no other tenant', async () => {
    await make()
    await store.schedules.pauseAll({ actor: 'ada', reason: 'new disks' })
    await make({ name: 'later' })
    await store.schedules.create({ name: 's', kind: 'k', expression: '@hourly' }, { tenant: 'acme' })
    expect(await fireAfter(2 * HOUR + MINUTE)).toMatchObject({ fired: 1 })
    expect(await store.schedules.history('s', { tenant: 'acme' })).toHaveLength(2)
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'maintenance', blocking: true }])
    expect(await store.schedules.get('s')).toMatchObject({
      windowBy: 'ada',
      windowNote: 'new disks',
      lateMs: 0,
    })
    expect(await store.scheduler.next()).toMatchObject({ inMs: HOUR - MINUTE })
    expect(await store.schedules.resumeAll()).toBe(true)
    expect(await store.schedules.resumeAll()).toBe(false)
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 0 })
    expect(await history()).toEqual([{ at: '01:00', outcome: 'skipped', slots: 2 }])
    expect(await fireAfter(HOUR)).toMatchObject({ fired: 3 })
  })

  it('a maintenance window with an end is over then, and what fell into it is skipped', async () => {
    await make()
    await expect(store.schedules.pauseAll({ until: at('00:00:00') })).rejects.toMatchObject({
      details: { path: '/until' },
    })
    await store.schedules.pauseAll({ until: at('02:30:00') })
    expect(await fireAfter(2 * HOUR + 29 * MINUTE)).toMatchObject({ fired: 0 })
    await store.clock.advance(2 * MINUTE)
    // Nobody could have fired what was due in it.
    expect((await store.schedules.get('s')).lateMs).toBe(MINUTE)
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'due' }])
    expect(await fireAfter(29 * MINUTE)).toMatchObject({ fired: 1 })
    expect(await history()).toMatchObject([
      { at: '01:00', outcome: 'skipped', slots: 2 },
      { at: '03:00', outcome: 'created' },
    ])
  })

  it('run now makes the job, paused or not, and never moves the schedule', async () => {
    const { nextRunAt } = await make({ overlap: 'skip' })
    await store.schedules.pause('s')
    await store.clock.advance(MINUTE)
    const first = await store.schedules.run('s', { actor: 'ada', reason: 'to see it' })
    const second = await store.schedules.run('s')
    expect(second.jobId).not.toBe(first.jobId)
    expect(await store.schedules.get('s')).toMatchObject({ nextRunAt, lastRunAt: at('00:01:00') })
    expect(await store.schedules.history('s')).toMatchObject([
      { outcome: 'manual', jobId: second.jobId, actor: null, note: null },
      { outcome: 'manual', jobId: first.jobId, actor: 'ada', note: 'to see it' },
    ])
  })

  it('run now in the very moment of a slot takes nothing from it', async () => {
    await make()
    await store.clock.advance(HOUR)
    await store.schedules.run('s')
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 1 })
    expect((await history()).map(({ outcome }) => outcome)).toEqual(['manual', 'created'])
  })

  it('one that nobody fires is late, and explain says so', async () => {
    await make()
    await store.clock.advance(HOUR + 2 * MINUTE)
    expect((await store.schedules.get('s')).lateMs).toBe(2 * MINUTE)
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'due', blocking: false }])
    await store.clock.advance(MINUTE)
    expect(await store.schedules.explain('s')).toMatchObject([
      { code: 'overdue', blocking: true },
      { code: 'upkeep_asleep', blocking: true },
    ])
    await store.schedules.disable('s')
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'disabled', blocking: true }])
  })

  it('one that cannot be fired keeps none of the others from it', async () => {
    await make({ name: 'a' })
    await make({ name: 'b' })
    // As a newer package could have written it.
    await store.database.query("update holdfast.schedule set expression = '@moonrise' where name = 'a'")
    const fired = await fireAfter(HOUR)
    expect(fired).toMatchObject({ fired: 1, failures: [{ tenant: 'default', name: 'a' }] })
    expect(await store.schedules.history('b')).toHaveLength(1)
  })

  it('firings are kept as long as the setting says', async () => {
    await make()
    await fireAfter(HOUR)
    await store.clock.advance(89 * 24 * HOUR)
    await store.upkeep.pruneRecords()
    expect(await history()).toHaveLength(1)
    await store.clock.advance(2 * 24 * HOUR)
    await store.upkeep.pruneRecords()
    expect(await history()).toEqual([])
  })

  it('history comes in pages, the latest first', async () => {
    await make({ catchUp: 'all', catchUpMax: 100 })
    await fireAfter(5 * HOUR)
    const page = await store.schedules.history('s', { limit: 2 })
    expect(page.map(({ slot }) => slot)).toEqual([at('05:00:00'), at('04:00:00')])
    const before = page.at(-1)?.id as number
    expect(await store.schedules.history('s', { limit: 10, before })).toHaveLength(3)
  })
})

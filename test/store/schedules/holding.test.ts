import { beforeEach, expect, it } from 'vitest'
import { onEachDriver, pinnedStore, type World } from '../../support/world.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (text: string) => new Date(`2030-01-01T${text}Z`)

onEachDriver('holding schedules back', (driver) => {
  let store: World
  beforeEach(async () => {
    store = await pinnedStore(driver)
  })

  const make = (more = {}) =>
    store.schedules.create({
      name: 's',
      kind: 'k',
      queue: 'q',
      expression: '@hourly',
      input: { n: 1 },
      ...more,
    })
  const fireAfter = async (ms: number) => {
    await store.clock.advance(ms)
    return store.scheduler.fireDue()
  }
  const history = async () =>
    (await store.schedules.history('s', { limit: 500 })).reverse().map(({ slot, outcome, slots, jobId }) => ({
      at: slot.toISOString().slice(11, 16),
      outcome,
      ...(slots === 1 ? {} : { slots }),
      ...(jobId === null ? {} : { jobId }),
    }))

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
    expect(await fireAfter(31 * MINUTE)).toMatchObject({ fired: 1 })
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
      { outcome: 'manual', jobId: second.jobId },
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
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'not_due' }])
    await store.clock.advance(MINUTE)
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'overdue', blocking: true }])
    await store.schedules.disable('s')
    expect(await store.schedules.explain('s')).toMatchObject([{ code: 'disabled', blocking: true }])
  })
})

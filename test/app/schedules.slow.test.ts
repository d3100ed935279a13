import { defineJob } from 'holdfast'
import type { Store } from 'holdfast/store'
import { advance, enqueued } from 'holdfast/testing'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { fire } from '../../src/app/chores/fire.js'
import { freshApp, pinnedApp } from '../support/app.js'
import { freshStore, onEachDriver, pinnedStore } from '../support/world.js'

const WAIT = { timeout: 100_000, interval: 20 }
const HOUR = 3_600_000
const report = defineJob({
  kind: 'report',
  queue: 'reports',
  input: z.object({ of: z.string() }),
  handler: async (_ctx, { of }) => of,
})

onEachDriver('schedules of an app', (driver) => {
  it('fire by themselves while the app works, and their jobs are done', async () => {
    const app = await freshApp(
      {
        jobs: [report],
        schedules: [{ name: 'often', job: report, input: { of: 'clicks' }, expression: '@every 1s' }],
      },
      driver,
    )
    await app.work()
    await vi.waitFor(async () => {
      const ended = (await app.schedules.history('often')).filter(({ jobId }) => jobId !== null)
      expect(ended.length).toBeGreaterThan(1)
      expect(await app.handle(ended.at(-1)?.jobId as number).status()).toBe('succeeded')
    }, WAIT)
    const slots = (await app.schedules.history('often')).map(({ slot }) => slot.getTime())
    // From the slot before, not from when that was fired.
    expect(slots.slice(1).map((slot, n) => (slots[n] as number) - slot)).toEqual(
      slots.slice(1).map(() => 1000),
    )
  })

  it('take kind and queue from the definition, and have their input checked at the start', async () => {
    const declared = { name: 'nightly', job: report, expression: '@daily' }
    const start = (schedules: object[]) => freshApp({ jobs: [report], schedules: schedules as never }, driver)
    await expect(start([{ ...declared, input: { of: 7 } }])).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/schedules/0/input/of' },
    })
    const two = [declared, declared].map((each) => ({ ...each, input: { of: 'a' } }))
    await expect(start(two)).rejects.toMatchObject({ details: { path: '/schedules/1/name' } })
  })

  it('are kept in step at every start, but for what was changed at run time', async () => {
    const { app, clock } = await pinnedApp(
      { jobs: [report], schedules: [{ name: 'n', job: report, input: { of: 'a' }, expression: '@hourly' }] },
      driver,
    )
    expect(await app.schedules.get('n')).toMatchObject({
      queue: 'reports',
      kind: 'report',
      createdBy: 'holdfast()',
    })
    await app.schedules.update('n', { priority: 99 })
    await app.schedules.declare({
      name: 'n',
      kind: 'report',
      queue: 'reports',
      input: { of: 'b' },
      expression: '@hourly',
    })
    const { nextRunAt } = await app.schedules.get('n')
    await clock.set(nextRunAt)
    await app.store.scheduler.fireDue()
    expect((await enqueued(app, report)).map(({ input, priority }) => ({ input, priority }))).toEqual([
      { input: { of: 'b' }, priority: 99 },
    ])
  })
})

it('a test that moves the clock on sees what the schedules make', async () => {
  const { app, clock } = await pinnedApp({ jobs: [report] })
  await app.schedules.create({
    name: 'n',
    kind: 'report',
    queue: 'reports',
    input: { of: 'a' },
    expression: '@every 1h',
  })
  await advance({ ...app, clock, dispose: async () => {} }, HOUR)
  expect(await enqueued(app, report)).toHaveLength(1)
})

/** How long the chore would sleep now. */
const sleeps = async (store: Store) => fire(store, async () => 60).everyMs()

it('a scheduler checks once a minute, or exactly at the next slot if that is sooner', async () => {
  const store = await pinnedStore()
  expect(await store.settings.get('SCHEDULER_EVERY_SEC')).toBe(60)
  const usual = async () => {
    const ms = await sleeps(store)
    expect(ms).toBeGreaterThanOrEqual(54_000)
    expect(ms).toBeLessThanOrEqual(66_000)
  }
  await usual()
  await store.schedules.create({ name: 's', kind: 'k', expression: '@every 10m', overlap: 'queue_one' })
  await usual()
  await store.clock.advance(10 * 60_000 - 12_345)
  expect(await sleeps(store)).toBe(12_345)
  await store.schedules.pause('s')
  await usual()
})

it('a scheduler looks again in a second for a firing that waits, and for a schedule that cannot be fired', async () => {
  const store = await pinnedStore()
  await store.schedules.create({
    name: 's',
    kind: 'k',
    queue: 'q',
    expression: '@every 10m',
    overlap: 'queue_one',
  })
  for (let n = 0; n < 2; n++) {
    await store.clock.advance(600_000)
    await store.scheduler.fireDue()
  }
  expect(await sleeps(store)).toBe(1_000)
  const other = await pinnedStore()
  await other.schedules.create({ name: 's', kind: 'k', expression: '@every 10m' })
  await other.database.query("update holdfast.schedule set expression = 'nonsense'")
  await other.clock.advance(3_600_000)
  const chore = fire(other, async () => 60)
  await expect(chore.run()).rejects.toThrow(/schedule s could not be fired: .*position/s)
  expect(await chore.everyMs()).toBe(1_000)
})

it('an idle scheduler asks twice a minute and reads an index, not every schedule', async () => {
  const store = await freshStore()
  for (let n = 0; n < 20; n++)
    await store.schedules.create({ name: `s${n}`, kind: 'k', expression: '@yearly' })
  expect(await store.scheduler.fireDue()).toMatchObject({ fired: 0, more: false })
  const plan = await store.database.query<Record<string, string>>(
    `explain select s.next_run_at from holdfast.schedule s where s.enabled and s.paused_at is null order by s.next_run_at limit 1`,
  )
  expect(JSON.stringify(plan)).toContain('schedule_due')
})

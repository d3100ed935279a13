import { PRIORITIES } from 'holdfast'
import type { Store } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { onEachDriver, pinnedStore, type World } from '../../support/world.js'

// The pinned clock begins here, on a Tuesday.
const START = Date.parse('2030-01-01T00:00:00Z')
const at = (text: string) => new Date(`${text}Z`)

onEachDriver('defining schedules', (driver) => {
  let store: World
  beforeEach(async () => {
    store = await pinnedStore(driver)
  })

  const make = (more = {}) =>
    store.schedules.create({ name: 'nightly', kind: 'sweep', expression: '@daily', ...more })

  it('a new schedule has sensible defaults, and its next run from the start', async () => {
    const made = await store.schedules.create(
      { name: 'nightly', kind: 'sweep', expression: '0 3 * * *' },
      { actor: 'ada' },
    )
    expect(made).toMatchObject({
      tenant: 'default',
      queue: 'default',
      kind: 'sweep',
      input: null,
      subject: null,
      priority: PRIORITIES.scheduled,
      timeZone: 'UTC',
      enabled: true,
      catchUp: 'latest',
      overlap: 'allow',
      jitterMs: 0,
      nextRunAt: at('2030-01-01T03:00:00'),
      lastRunAt: null,
      createdBy: 'ada',
      declared: null,
      overrides: [],
      lateMs: 0,
    })
  })

  it('its time zone decides when it fires', async () => {
    const made = await make({ expression: '0 3 * * *', timeZone: 'America/New_York' })
    expect(made.nextRunAt).toEqual(at('2030-01-01T08:00:00'))
  })

  it('the name is taken once per tenant, also by a change of name', async () => {
    await make()
    await expect(make()).rejects.toMatchObject({ code: 'schedule_exists', status: 409 })
    await store.schedules.create({ name: 'nightly', kind: 'k', expression: '@daily' }, { tenant: 'acme' })
    await store.schedules.create({ name: 'other', kind: 'k', expression: '@daily' })
    await expect(store.schedules.update('other', { name: 'nightly' })).rejects.toMatchObject({
      code: 'schedule_exists',
    })
    expect(await store.schedules.update('other', { name: 'third' })).toMatchObject({ name: 'third' })
  })

  it('one that is not there is refused, with the nearest name', async () => {
    await make()
    const refusal = { code: 'unknown_schedule', message: expect.stringContaining('Did you mean "nightly"?') }
    await expect(store.schedules.get('nigthly')).rejects.toMatchObject(refusal)
    await expect(store.schedules.remove('nigthly')).rejects.toMatchObject(refusal)
  })

  it('the next run is counted anew when it fires at other times, and stays where nothing about its times changes', async () => {
    await make({ expression: '@every 1h' })
    await store.clock.advance(60_000)
    expect(await store.schedules.update('nightly', { priority: 7, description: 'sweeps' })).toMatchObject({
      nextRunAt: at('2030-01-01T01:00:00'),
      priority: 7,
    })
    expect((await store.schedules.update('nightly', { expression: '@every 2h' })).nextRunAt).toEqual(
      at('2030-01-01T02:01:00'),
    )
    expect((await store.schedules.update('nightly', { expression: '0 9 * * *' })).nextRunAt).toEqual(
      at('2030-01-01T09:00:00'),
    )
    expect((await store.schedules.update('nightly', { timeZone: 'Asia/Tokyo' })).nextRunAt).toEqual(
      at('2030-01-02T00:00:00'),
    )
  })

  it('one that is enabled again begins with its next slot, and misses none of those in between', async () => {
    await make({ expression: '@hourly' })
    await store.schedules.disable('nightly')
    await store.clock.advance(10 * 3_600_000 + 1)
    expect((await store.schedules.enable('nightly')).nextRunAt).toEqual(at('2030-01-01T11:00:00'))
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 0 })
    expect(await store.schedules.history('nightly')).toEqual([])
  })

  it.each([
    [{ expression: '61 * * * *' }, '/expression', 'position 1'],
    [{ timeZone: 'Europe/Berln' }, '/timeZone', 'Europe/Berlin'],
    [{ catchUp: 'some' }, '/catchUp', 'skip, latest, all'],
    [{ overlap: 'never' }, '/overlap', 'queue_one'],
    [{ jitterMs: -1 }, '/jitterMs', 'whole number'],
    [{ priority: 101 }, '/priority', '0 to 100'],
    [{ prioritty: 1 }, '/prioritty', 'Did you mean "priority"?'],
    [{ kind: 'no spaces' }, '/kind', 'letters'],
    [{ enabled: 'yes' }, '/enabled', 'true or false'],
  ])('what makes no sense is refused by its name: %j', async (wrong, path, words) => {
    const refusal = { code: 'invalid_input', details: { path }, message: expect.stringContaining(words) }
    await expect(make(wrong)).rejects.toMatchObject(refusal)
    await make()
    await expect(store.schedules.update('nightly', wrong as object)).rejects.toMatchObject(refusal)
  })

  it.each([
    ['catchUpMax', 'catchUpMax', [1, 2, 999, 1000], [0, 1001]],
    ['jitterMs', 'scheduleJitterMs', [0, 1, 86_399_999, 86_400_000], [-1, 86_400_001]],
    ['priority', 'priority', [0, 1, 99, 100], [-1, 101]],
  ] as const)(
    '%s has the bounds of %s, in the library and in the database',
    async (field, limit, taken, refused) => {
      await make()
      for (const value of taken)
        expect(await store.schedules.update('nightly', { [field]: value })).toMatchObject({ [field]: value })
      for (const value of refused)
        await expect(store.schedules.update('nightly', { [field]: value })).rejects.toMatchObject({
          details: { path: `/${field}`, limit },
        })
      const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      for (const value of refused)
        await expect(
          store.database.query(`update holdfast.schedule set ${column} = $1`, [value]),
        ).rejects.toThrow()
    },
  )

  it('a description has at most 1,000 characters, a name 1 to 100, a subject 1 to 256', async () => {
    await make()
    const say = (field: string, length: number) =>
      store.schedules.update('nightly', { [field]: 'x'.repeat(length) })
    for (const [field, good, bad] of [
      ['description', [0, 999, 1000], [1001]],
      ['subject', [1, 255, 256], [0, 257]],
    ] as const) {
      for (const length of good) await say(field, length)
      for (const length of bad)
        await expect(say(field, length)).rejects.toMatchObject({ details: { path: `/${field}` } })
    }
    for (const length of [1, 100]) await make({ name: 'n'.repeat(length) })
    for (const length of [0, 101])
      await expect(make({ name: 'n'.repeat(length) })).rejects.toMatchObject({ details: { path: '/name' } })
  })

  it('a deleted one is gone with its history, and its jobs stay', async () => {
    await make()
    const { jobId } = await store.schedules.run('nightly')
    await store.schedules.remove('nightly', { actor: 'ada' })
    expect(await store.schedules.list()).toEqual([])
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued' })
    await make()
    expect(await store.schedules.history('nightly')).toEqual([])
  })

  it('who changed what is kept as an event', async () => {
    await store.schedules.create(
      { name: 'n', kind: 'k', expression: '@daily' },
      { actor: 'ada', reason: 'new' },
    )
    await store.schedules.update('n', { priority: 3 }, { actor: 'bob' })
    await store.schedules.pause('n', { actor: 'eve', reason: 'too loud' })
    await store.schedules.remove('n', { actor: 'ada' })
    expect(await eventsOf(store)).toMatchObject([
      {
        type: 'schedule_created',
        actor: 'ada',
        reason: 'new',
        data: { schedule: 'n', expression: '@daily' },
      },
      { type: 'schedule_changed', actor: 'bob', data: { schedule: 'n', priority: 3 } },
      { type: 'schedule_paused', actor: 'eve', reason: 'too loud' },
      { type: 'schedule_removed', actor: 'ada' },
    ])
  })

  it('shows the next slots without moving anything', async () => {
    await make({ expression: '@every 90m' })
    const first = START + 90 * 60_000
    const slots = await store.schedules.preview('nightly', 3)
    expect(slots.map((slot) => (slot.getTime() - first) / 60_000)).toEqual([0, 90, 180])
    expect((await store.schedules.get('nightly')).nextRunAt.getTime()).toBe(first)
    for (const count of [0, 1001])
      await expect(store.schedules.preview('nightly', count)).rejects.toMatchObject({
        details: { limit: 'previewMax' },
      })
    expect(await store.schedules.preview('nightly', 1)).toHaveLength(1)
    expect(await store.schedules.preview('nightly', 1000)).toHaveLength(1000)
  })
})

onEachDriver('schedules defined by a program', (driver) => {
  const declared = {
    name: 'n',
    kind: 'k',
    expression: '@daily',
    priority: 20,
    input: { b: 1, a: 2 },
  } as const

  it('are made when missing, changed where the program changes, and written to only then', async () => {
    const store = await pinnedStore(driver)
    await store.schedules.declare(declared)
    await store.schedules.declare(declared)
    expect(await store.schedules.get('n')).toMatchObject({
      revision: 1,
      expression: '@daily',
      declared: { priority: 20 },
    })
    await store.schedules.declare({ ...declared, expression: '@hourly', priority: 30 })
    expect(await store.schedules.get('n')).toMatchObject({
      revision: 2,
      expression: '@hourly',
      priority: 30,
      nextRunAt: at('2030-01-01T01:00:00'),
      overrides: [],
    })
  })

  it('keep what was changed at run time, show it, and give it up when told to', async () => {
    const store = await pinnedStore(driver)
    await store.schedules.declare(declared)
    await store.schedules.update('n', { priority: 90 })
    await store.schedules.disable('n')
    await store.schedules.declare({ ...declared, expression: '@weekly', priority: 50 })
    expect(await store.schedules.get('n')).toMatchObject({
      expression: '@weekly',
      priority: 90,
      enabled: false,
      overrides: ['priority', 'enabled'],
      declared: { priority: 50, enabled: true },
    })
    // Changed to what the program says, it is no longer an override.
    await store.schedules.update('n', { priority: 50 })
    expect((await store.schedules.get('n')).overrides).toEqual(['enabled'])
    expect(await store.schedules.reset('n')).toMatchObject({ enabled: true, priority: 50, overrides: [] })
  })

  it('keep their names, by which the program would make them again; one of run time has nothing to be reset to', async () => {
    const store = await pinnedStore(driver)
    await store.schedules.declare(declared)
    await expect(store.schedules.update('n', { name: 'other' })).rejects.toMatchObject({
      code: 'schedule_declared',
      status: 409,
    })
    expect(await store.schedules.update('n', { name: 'n', priority: 3 })).toMatchObject({ priority: 3 })
    await store.schedules.create({ name: 'own', kind: 'k', expression: '@daily' })
    await expect(store.schedules.reset('own')).rejects.toMatchObject({ code: 'schedule_not_declared' })
    expect(await store.schedules.update('own', { name: 'other' })).toMatchObject({ name: 'other' })
  })

  it('take over one that was made at run time, which stays different where it differs', async () => {
    const store = await pinnedStore(driver)
    await store.schedules.create({ name: 'n', kind: 'k', expression: '@weekly', priority: 20 })
    await store.schedules.declare(declared)
    expect(await store.schedules.get('n')).toMatchObject({
      expression: '@weekly',
      overrides: ['input', 'expression'],
      declared: { expression: '@daily' },
    })
  })
})

const eventsOf = (store: Store) =>
  store.database.query(
    "select type, actor, reason, data from holdfast.events where type like 'schedule%' order by id",
  )

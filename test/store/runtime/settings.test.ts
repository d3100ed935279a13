/** Settings: the same everywhere, changed while everything runs, and every change kept with who and why. */
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../../src/domain/settings.js'
import { race } from '../../support/sessions.js'
import { freshStore, onEachDriver, pinnedStore } from '../../support/world.js'

onEachDriver('settings', (driver) => {
  it('are known to the database and to the library with the same defaults and bounds', async () => {
    const store = await freshStore(driver)
    const list = await store.settings.list()
    const known = Object.entries(SETTINGS).map(([name, setting]) => {
      const { default: value, min, max } = setting
      const of = 'only' in setting ? `${setting.of}; ${setting.only}` : setting.of
      return {
        name,
        value,
        default: value,
        min,
        max,
        of,
        origin: 'default',
        updatedAt: null,
        updatedBy: null,
      }
    })
    expect(list).toEqual(known.sort((one, other) => (one.name < other.name ? -1 : 1)))
  })

  it('hold as set until reset, and say who set them and when', async () => {
    const store = await pinnedStore(driver)
    expect(await store.settings.get('MAX_ATTEMPTS_DEFAULT')).toBe(5)
    await store.settings.set('MAX_ATTEMPTS_DEFAULT', 2, { actor: 'ada', reason: 'a bad night' })
    expect(await store.settings.get('MAX_ATTEMPTS_DEFAULT')).toBe(2)
    const [row] = (await store.settings.list()).filter(({ origin }) => origin === 'set')
    expect(row).toMatchObject({
      name: 'MAX_ATTEMPTS_DEFAULT',
      value: 2,
      default: 5,
      updatedBy: 'ada',
      updatedAt: await store.clock.now(),
    })
    await store.settings.reset('MAX_ATTEMPTS_DEFAULT', { actor: 'bob' })
    expect(await store.settings.get('MAX_ATTEMPTS_DEFAULT')).toBe(5)
    expect((await store.settings.list()).filter(({ origin }) => origin === 'set')).toEqual([])
    const { events } = await store.read.feed('all')
    expect(events).toMatchObject([
      {
        type: 'setting_set',
        actor: 'ada',
        reason: 'a bad night',
        data: { name: 'MAX_ATTEMPTS_DEFAULT', before: 5, value: 2 },
      },
      { type: 'setting_set', actor: 'bob', data: { before: 2, value: 5 } },
    ])
  })

  it('take effect at once, for a job that left the value open', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('q', { preset: 'harvest' })
    await store.enqueue({ queue: 'q', kind: 'k' })
    await store.settings.set('MAX_ATTEMPTS_DEFAULT', 1)
    await store.settings.set('LEASE_SEC_DEFAULT', 7)
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
    expect(job?.expiresAt?.getTime()).toBe((await store.clock.now()).getTime() + 7_000)
    if (job === undefined) throw new Error('nothing was claimed')
    expect(await store.work.finish([{ ...job, outcome: 'failed' }])).toMatchObject([{ state: 'failed' }])
  })

  it('refuse an unknown name with the nearest one, and a value that is out of bounds or no whole number', async () => {
    const store = await freshStore(driver)
    await expect(store.settings.set('STALE_DAY', 3)).rejects.toMatchObject({
      code: 'unknown_setting',
      message: expect.stringContaining('STALE_DAYS'),
    })
    await expect(store.settings.get('NO_SUCH')).rejects.toMatchObject({ details: { name: 'NO_SUCH' } })
    for (const value of [0, 3651, 1.5, '30', null, Number.NaN]) {
      await expect(store.settings.set('STALE_DAYS', value)).rejects.toMatchObject({
        code: 'invalid_input',
        details: { path: '/value' },
      })
    }
    expect(await store.settings.get('STALE_DAYS')).toBe(30)
  })

  it('refuse the same in SQL, for whoever does not come through the library', async () => {
    const store = await freshStore(driver)
    const set = (name: string, json: string | null) =>
      store.database.query('select holdfast.set_setting($1, $2::text::jsonb)', [name, json])
    await expect(set('NO_SUCH', '1')).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/name' },
    })
    for (const json of ['0', '3651', '1.5', '"30"', '[1]', 'true', '{}']) {
      await expect(set('STALE_DAYS', json)).rejects.toMatchObject({ details: { path: '/value' } })
    }
    await set('STALE_DAYS', '7')
    await set('STALE_DAYS', 'null')
    expect(await store.settings.get('STALE_DAYS')).toBe(30)
    const { events } = await store.read.feed('all')
    expect(events).toHaveLength(2)
  })
})

describe('settings, set by two at once', () => {
  it('the second waits, and its event tells what the first has set', async () => {
    const store = await pinnedStore()
    const met = await race(
      store,
      (session) => session.settings.set('AGE_STEP', 20),
      (session) => session.settings.set('AGE_STEP', 30),
    )
    expect(met.waited).toBe(true)
    expect(await store.settings.get('AGE_STEP')).toBe(30)
    const { events } = await store.read.feed('all')
    expect(events.map(({ data }) => data)).toMatchObject([
      { before: 10, value: 20 },
      { before: 20, value: 30 },
    ])
  })
})

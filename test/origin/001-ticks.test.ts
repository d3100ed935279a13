// Document 001: how often the system does what it does by itself.
import { type Database, defineJob, type Store, storeOn } from 'holdfast'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ChoreDesk } from '../../src/app/chores/desk.js'
import { startUpkeep } from '../../src/app/upkeep-loop.js'
import { freshApp } from '../support/app.js'
import { freshStore, secondStore } from '../support/world.js'

const MINUTE = 60_000
const WAIT = { timeout: 30_000, interval: 20 }

/** Minutes between two passes, chore by chore. */
async function ticks(store: Store): Promise<Record<string, number>> {
  const all = await new ChoreDesk(store).list()
  return Object.fromEntries(all.map(({ name, everyMs }) => [name, everyMs / MINUTE]))
}

it('S1.17 upkeep comes every 5 minutes, the look for stale subjects every 6 hours; schedules every minute, workers every 5 s', async () => {
  const store = await freshStore()
  expect(await ticks(store)).toMatchObject({
    age: 5,
    reset: 5,
    prune: 5,
    partitions: 5,
    forget: 5,
    keys: 5,
    stale: 360,
  })
  expect(await store.settings.get('SCHEDULER_EVERY_SEC')).toBe(60)
  expect(await store.settings.get('PROCESSING_POLL_MS')).toBe(5_000)
})

it('S1.17 each interval is a setting', async () => {
  const store = await freshStore()
  const names = ['UPKEEP', 'AGE', 'STALE_CHECK', 'ROLLUP', 'SCHEDULER', 'ALERT']
  for (const name of names) await store.settings.set(`${name}_EVERY_SEC`, 120)
  await store.settings.set('RECLAIM_INTERVAL_MS', 30_000)
  const { 'bring-in': bringIn, schedules = 0, ...rest } = await ticks(store)
  expect(bringIn).toBe(0.5)
  // Not in step with other nodes, because it sleeps until the next slot and not for an interval.
  expect(Math.round(schedules)).toBe(2)
  expect(new Set(Object.values(rest))).toEqual(new Set([2]))
})

it('S1.17 in twenty minutes each chore has come as often as its interval says, also when that changes meanwhile', async () => {
  const store = await freshStore()
  await store.settings.set('RECLAIM_INTERVAL_MS', 60_000)
  await store.settings.set('UPKEEP_EVERY_SEC', 86_400)
  const { counted, passes, quiet } = counting(store)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const upkeep = startUpkeep(counted)
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 10_000) {
      await quiet()
      vi.advanceTimersByTime(10_000)
    }
    await quiet()
  }
  await pass(10_000)
  expect(passes('prune')).toBe(1)
  await store.settings.set('UPKEEP_EVERY_SEC', 300)
  await pass(20 * MINUTE)
  vi.useRealTimers()
  await upkeep.stop()
  for (const verb of ['age', 'prune', 'make_partitions', 'forget', 'reset_after', 'expire_keys'])
    expect(passes(verb), verb).toSatisfy((n) => n >= 4 && n <= 5)
  expect(passes('roll_up')).toSatisfy((n) => n >= 15 && n <= 23)
  expect(passes('ask_stale')).toBe(1)
})

/** The same store, with a count of the verbs that are called and a way to wait until none is under way. */
function counting({ database, schema }: Store) {
  const verb = new RegExp(`${schema}\\.(\\w+)`)
  const said = new Map<string, number>()
  let underWay = 0
  const query: Database['query'] = async (text, values, options) => {
    const name = verb.exec(text)?.[1] ?? ''
    said.set(name, (said.get(name) ?? 0) + 1)
    underWay += 1
    try {
      return await database.query(text, values, options)
    } finally {
      underWay -= 1
    }
  }
  return {
    counted: storeOn({ ...database, query }, schema, { notify: false }),
    passes: (name: string) => said.get(name) ?? 0,
    async quiet(): Promise<void> {
      for (let still = 0; still < 3; ) {
        await new Promise((resolve) => setImmediate(resolve))
        still = underWay === 0 ? still + 1 : 0
      }
    },
  }
}

it('S1.17 a wake-up lets work start at once, however rarely the worker looks', async () => {
  const job = defineJob({ kind: 'crawl', queue: 'woken', handler: async () => 'done' })
  const app = await freshApp({ jobs: [job], settings: { overrides: { PROCESSING_POLL_MS: 60_000 } } })
  const working = await app.work({ pollMs: 60_000 })
  await working.idle()
  const producer = await secondStore(app.store, 1)
  const { jobId } = await producer.enqueue({ queue: 'woken', kind: 'crawl' })
  await vi.waitFor(async () => expect((await producer.read.job(jobId)).state).toBe('succeeded'), WAIT)
})

// The crawl preset: how often the system does what it does by itself.

import { defineJob, holdfast } from 'holdfast'
import type { Store } from 'holdfast/store'
import { expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { freshStore, secondStore } from '../support/world.js'

const MINUTE = 60_000
const WAIT = { timeout: 100_000, interval: 20 }

/** Minutes between two passes, chore by chore. */
async function ticks(store: Store): Promise<Record<string, number>> {
  const all = await (await holdfast({ store })).upkeep.list()
  return Object.fromEntries(all.map(({ name, everyMs }) => [name, everyMs / MINUTE]))
}

it('S1.17 upkeep runs every 5 minutes, the check for stale subjects every 6 hours, the scheduler every minute; workers poll every 5 s', async () => {
  const store = await freshStore()
  expect(await ticks(store)).toMatchObject({
    age: 5,
    reset: 5,
    prune: 5,
    partitions: 5,
    'prune-records': 5,
    'expire-keys': 5,
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
  const { promote, schedules = 0, bulk, ...rest } = await ticks(store)
  expect(promote).toBe(0.5)
  // Every minute: how soon another process takes over the bulk operation of one that crashed.
  expect(bulk).toBeCloseTo(1)
  // Not in step with other nodes, because it sleeps until the next slot and not for an interval.
  expect(Math.round(schedules)).toBe(2)
  expect(new Set(Object.values(rest))).toEqual(new Set([2]))
})

it('S1.17 a wake-up starts a job at once, however long the poll interval is', async () => {
  const job = defineJob({ kind: 'crawl', queue: 'woken', handler: async () => 'done' })
  const app = await freshApp({ jobs: [job], settings: { overrides: { PROCESSING_POLL_MS: 60_000 } } })
  const working = await app.work({ pollMs: 60_000 })
  await working.idle()
  const producer = await secondStore(app.store, 1)
  const { jobId } = await producer.enqueue({ queue: 'woken', kind: 'crawl' })
  await vi.waitFor(async () => expect((await producer.read.job(jobId)).state).toBe('succeeded'), WAIT)
})

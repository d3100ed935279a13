// How often each chore of upkeep comes, on timers that the test moves.
import { type Database, type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startUpkeep } from '../../src/app/upkeep-loop.js'
import { freshStore } from '../support/world.js'

const MINUTE = 60_000

it('in twenty minutes each chore runs as often as its interval requires, also if the interval changes meanwhile', async () => {
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
  for (const verb of ['age', 'prune', 'make_partitions', 'prune_records', 'reset_after', 'expire_keys'])
    expect(passes(verb), verb).toSatisfy((n) => n >= 4 && n <= 5)
  expect(passes('count_minutes')).toSatisfy((n) => n >= 15 && n <= 23)
  expect(passes('enqueue_stale_subjects')).toBe(1)
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

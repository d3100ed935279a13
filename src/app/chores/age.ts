import type { Store } from '../../store/store.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

/** Of each level, the longest waiting first: they are the next to be claimed. Raising one costs 26 us. */
const PASS = 10_000

export function age({ upkeep }: Store, value: Value): Chore {
  const everyMs = async () => (await value('AGE_EVERY_SEC')) * SECOND_MS
  return {
    name: 'age',
    of: 'raises the priority of jobs that have waited long',
    everyMs,
    run: async () => ({
      rows: await upkeep.age({
        afterMs: (await value('AGE_AFTER_SEC')) * SECOND_MS,
        step: await value('AGE_STEP'),
        cap: await value('AGE_CAP'),
        everyMs: await everyMs(),
        perLevel: PASS,
      }),
    }),
  }
}

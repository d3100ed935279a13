import type { Store } from '../../store/store.js'
import { type Chore, DAY_MS, SECOND_MS, type Value } from './chore.js'

const PASS = 1_000

export function stale({ upkeep }: Store, value: Value): Chore {
  const everyMs = async () => (await value('STALE_CHECK_EVERY_SEC')) * SECOND_MS
  return {
    name: 'stale',
    of: 'enqueues subjects that have not succeeded for STALE_DAYS',
    everyMs,
    run: async () => {
      const staleMs = (await value('STALE_DAYS')) * DAY_MS
      const rows = await upkeep.askStale({ staleMs, everyMs: await everyMs(), limit: PASS })
      return { rows, more: rows >= PASS }
    },
  }
}

import type { Store } from '../../store/store.js'
import type { Chore, Value } from './chore.js'

/** As many as one pass takes; a pass that was full is followed by another. */
const PASS = 1_000

/** Promote, reclaim and the targets in one round trip, because it is asked for all the time. */
export function bringIn({ upkeep }: Store, value: Value): Chore {
  return {
    name: 'bring-in',
    of: 'promotes jobs that are due, reclaims those of lost leases, lets targets go on',
    everyMs: () => value('RECLAIM_INTERVAL_MS'),
    run: async () => {
      const rows = await upkeep.bringIn(PASS)
      return { rows, more: rows >= PASS }
    },
  }
}

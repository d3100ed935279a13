import type { Store } from '../../store/store.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

/** Events, each of which may be a batch of jobs. */
const PASS = 200

export function rollUp({ upkeep }: Store, value: Value): Chore {
  return {
    name: 'roll-up',
    of: 'counts what happened into the minutes of each queue, and keeps the registry of subjects',
    everyMs: async () => (await value('ROLLUP_EVERY_SEC')) * SECOND_MS,
    run: async () => {
      const rows = await upkeep.rollUp(PASS)
      return { rows, more: rows >= PASS }
    },
  }
}

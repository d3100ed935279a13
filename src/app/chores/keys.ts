import type { Store } from '../../store/store.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

const PASS = 1_000

export function keys({ upkeep }: Store, value: Value): Chore {
  return {
    name: 'keys',
    of: 'tells of keys that have expired, and lets go of old ones',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => {
      const rows = await upkeep.expireKeys(PASS)
      return { rows, more: rows >= PASS }
    },
  }
}

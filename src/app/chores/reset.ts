import type { Store } from '../../store/store.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

/** The leases do the rest: a job whose lease runs out is brought in. */
export function reset({ upkeep }: Store, value: Value): Chore {
  return {
    name: 'reset',
    of: 'sees to it that crawls without a sign of work come back when RESET_CRAWLING_AFTER_MIN says',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => ({
      rows: await upkeep.resetAfter((await value('RESET_CRAWLING_AFTER_MIN')) * 60 * SECOND_MS),
    }),
  }
}

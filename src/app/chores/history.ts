/** Room for jobs to come, and an end for what was kept long enough. */
import type { Store } from '../../store/store.js'
import { PRUNE_MS } from '../../store/upkeep.js'
import { type Chore, PASS_DEADLINE_MS, SECOND_MS, type Value } from './chore.js'

export function partitions({ upkeep }: Store, value: Value): Chore {
  return {
    name: 'partitions',
    of: 'makes room ahead for jobs to come',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => ({ rows: await upkeep.makePartitions() }),
  }
}

export function prune({ upkeep }: Store, value: Value): Chore {
  return {
    name: 'prune',
    of: 'drops ended jobs that have outlived the retention of their queue',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    deadlineMs: PRUNE_MS + PASS_DEADLINE_MS,
    run: async () => {
      const rows = await upkeep.prune()
      return { rows, more: rows > 0 }
    },
  }
}

export function forget({ upkeep }: Store, value: Value): Chore {
  return {
    name: 'forget',
    of: 'lets go of old events, answers to repeated requests, workers and audited calls',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => ({ rows: await upkeep.forget() }),
  }
}

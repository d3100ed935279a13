/** Every chore but the scheduler (fire.ts), in the order of the table at the end. A new chore is a function and a line of that table. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { BULK_CHORE } from '../../domain/bulk.js'
import { given } from '../../json/given.js'
import { carryOut } from '../../store/bulk/carry-out.js'
import type { Store } from '../../store/store.js'
import { PRUNE_MS } from '../../store/upkeep.js'
import type { WebhookOptions } from '../../webhooks/addresses.js'
import { Deliveries } from '../../webhooks/deliveries.js'
import { type Chore, DAY_MS, PASS_DEADLINE_MS, type ReadSetting, SECOND_MS } from './chore.js'
import { fire } from './fire.js'

/** Rows a pass may change; a full pass is followed by another at once. */
const PASS = 1_000

/** Promotion, reclaim and targets in one round trip, because it runs all the time. */
function promote({ upkeep }: Store, value: ReadSetting): Chore {
  return {
    name: 'promote',
    of: 'promotes jobs that are due, reclaims those of lost leases, lets targets go on',
    everyMs: () => value('RECLAIM_INTERVAL_MS'),
    run: async () => {
      const rows = await upkeep.promoteDueWork(PASS)
      return { rows, more: rows >= PASS }
    },
  }
}

/** Jobs raised per level, the longest waiting first: they are the next to be claimed. Raising one costs 26 us. */
const AGE_PER_LEVEL = 10_000

function age({ upkeep }: Store, value: ReadSetting): Chore {
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
        perLevel: AGE_PER_LEVEL,
      }),
    }),
  }
}

/** Jobs whose lease has expired are returned by the chore promote. */
function reset({ upkeep }: Store, value: ReadSetting): Chore {
  return {
    name: 'reset',
    of: 'returns crawls without a heartbeat for RESET_CRAWLING_AFTER_MIN to their queue',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => ({
      rows: await upkeep.resetAfter((await value('RESET_CRAWLING_AFTER_MIN')) * 60 * SECOND_MS),
    }),
  }
}

function stale({ upkeep }: Store, value: ReadSetting): Chore {
  const everyMs = async () => (await value('STALE_CHECK_EVERY_SEC')) * SECOND_MS
  return {
    name: 'stale',
    of: 'enqueues subjects that have not succeeded for STALE_DAYS',
    everyMs,
    run: async () => {
      const staleMs = (await value('STALE_DAYS')) * DAY_MS
      const rows = await upkeep.enqueueStaleSubjects({ staleMs, everyMs: await everyMs(), limit: PASS })
      return { rows, more: rows >= PASS }
    },
  }
}

/** Events a pass counts; each may be a batch of jobs. */
const EVENTS_PER_PASS = 200

function rollUp({ upkeep }: Store, value: ReadSetting): Chore {
  return {
    name: 'roll-up',
    of: 'counts what happened into the minutes of each queue, and keeps the registry of subjects',
    everyMs: async () => (await value('ROLLUP_EVERY_SEC')) * SECOND_MS,
    run: async () => {
      const rows = await upkeep.countMinutes(EVENTS_PER_PASS)
      return { rows, more: rows >= EVENTS_PER_PASS }
    },
  }
}

function partitions({ upkeep }: Store, value: ReadSetting): Chore {
  return {
    name: 'partitions',
    of: 'creates partitions ahead',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => ({ rows: await upkeep.makePartitions() }),
  }
}

function prune({ upkeep }: Store, value: ReadSetting): Chore {
  return {
    name: 'prune',
    of: 'deletes ended jobs older than the retention of their queue',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    deadlineMs: PRUNE_MS + PASS_DEADLINE_MS,
    run: async () => {
      const rows = await upkeep.prune()
      return { rows, more: rows > 0 }
    },
  }
}

function pruneRecords({ upkeep }: Store, value: ReadSetting): Chore {
  return {
    name: 'prune-records',
    of: 'deletes old events, idempotent answers, workers and audited calls',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => ({ rows: await upkeep.pruneRecords() }),
  }
}

function expireKeys({ upkeep }: Store, value: ReadSetting): Chore {
  return {
    name: 'expire-keys',
    of: 'reports expired keys and deletes old ones',
    everyMs: async () => (await value('UPKEEP_EVERY_SEC')) * SECOND_MS,
    run: async () => {
      const rows = await upkeep.expireKeys(PASS)
      return { rows, more: rows >= PASS }
    },
  }
}

/** Per tick the database lets one node evaluate the rules; every node sends deliveries that are due. */
function alerts(store: Store, value: ReadSetting, webhooks: WebhookOptions = {}): Chore {
  const deliveries = new Deliveries(store, webhooks)
  return {
    name: 'alerts',
    of: 'evaluates alert rules and notifies webhooks',
    everyMs: async () => (await value('ALERT_EVERY_SEC')) * SECOND_MS,
    run: async (stopping) => {
      const changed = (await store.alerts.check()) ?? 0
      // Failed deliveries are no longer due, so the next round has others.
      const { arrived, more } = await deliveries.round(stopping)
      return { rows: changed + arrived, more }
    },
    finish: async () => (await deliveries.finish()).arrived,
  }
}

/** How soon a process takes the operation of one that crashed. A server begins with a new operation at once. */
const BULK_EVERY_MS = 60_000

function bulk(store: Store): Chore {
  return {
    name: BULK_CHORE,
    of: 'carries out bulk operations',
    everyMs: async () => BULK_EVERY_MS,
    run: async (stopping) => {
      const runner = `${hostname()}:${process.pid}:${randomUUID()}`
      const { jobs: rows, more } = await carryOut(store.bulk, { runner, ...given({ stopping }) })
      return { rows, more }
    },
  }
}

const CHORES: readonly ((store: Store, value: ReadSetting, webhooks?: WebhookOptions) => Chore)[] = [
  promote,
  age,
  fire,
  reset,
  stale,
  rollUp,
  partitions,
  prune,
  pruneRecords,
  expireKeys,
  alerts,
  bulk,
]

export function choresOf(store: Store, value: ReadSetting, webhooks?: WebhookOptions): Chore[] {
  return CHORES.map((chore) => chore(store, value, webhooks))
}

/**
 * Fires schedules: at the very instant of the next slot where that is known, and otherwise every FIRE_EVERY_SEC, because somebody may have
 * made a schedule meanwhile. Any number of processes do so at once; the database gives each slot to one of them.
 */
import type { Store } from '../../store/store.js'
import type { WorkerLog } from '../../worker/worker-options.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

/** A firing waits for a job whose end nobody announces, or a schedule cannot be fired: look again after this. */
const AGAIN_MS = 1_000

export function fireChore(
  { scheduler }: Pick<Store, 'scheduler'>,
  intervalMs: () => Promise<number>,
  log?: WorkerLog,
): { name: string; exact: true; everyMs(): Promise<number>; run(): Promise<boolean> } {
  return {
    name: 'schedules',
    exact: true,
    async everyMs() {
      const { inMs, waiting } = await scheduler.next()
      // Not in step with others, who look as well.
      const usual = (await intervalMs()) * (0.9 + Math.random() / 5)
      const due = inMs === undefined ? usual : inMs > 0 ? Math.ceil(inMs) : AGAIN_MS
      return Math.min(usual, due, waiting ? AGAIN_MS : usual)
    },
    async run() {
      // Two looks late, and nobody was there.
      const { more, failures } = await scheduler.fireDue({ lateAfterMs: 2 * (await intervalMs()) })
      for (const { tenant, name, error } of failures)
        log?.warn(
          { schedule: name, tenant, error: (error as Error).message },
          'a schedule could not be fired',
        )
      return more
    },
  }
}

/** The same as an entry of the table of chores. */
export function fire(store: Pick<Store, 'scheduler'>, value: Value): Chore {
  const { name, exact, everyMs, run } = fireChore(
    store,
    async () => (await value('FIRE_EVERY_SEC')) * SECOND_MS,
  )
  return {
    name,
    of: 'fires schedules that are due',
    exact,
    everyMs,
    run: async () => ({ rows: 0, more: await run() }),
  }
}

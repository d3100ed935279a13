/**
 * Fires schedules: at the very instant of the next slot where that is known, and otherwise every SCHEDULER_EVERY_SEC, because somebody may have
 * made a schedule meanwhile. Any number of processes do so at once; the database gives each slot to one of them.
 */
import type { Store } from '../../store/store.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

/** A firing waits for a job whose end nobody announces, or a schedule cannot be fired: look again after this. */
const AGAIN_MS = 1_000

export function fire({ scheduler }: Pick<Store, 'scheduler'>, value: Value): Chore {
  const intervalMs = async () => (await value('SCHEDULER_EVERY_SEC')) * SECOND_MS
  return {
    name: 'schedules',
    of: 'fires schedules that are due',
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
      const { fired, more, failures } = await scheduler.fireDue({ lateAfterMs: 2 * (await intervalMs()) })
      const [failure] = failures
      // Said once for all of them, with the chore; explain says it of each.
      if (failure !== undefined && fired === 0)
        throw new Error(
          `The schedule ${failure.name} could not be fired: ${(failure.error as Error).message}`,
        )
      return { rows: fired, more }
    },
  }
}

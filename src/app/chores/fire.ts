/**
 * Fires schedules: exactly at the next slot where that is known, and otherwise every SCHEDULER_EVERY_SEC, because a caller may have
 * created a schedule meanwhile. Any number of processes do so at once; the database gives each slot to one of them.
 */
import type { Store } from '../../store/store.js'
import { type Chore, type ReadSetting, SECOND_MS } from './chore.js'

/** A firing waits for a job whose end sends no notification, or a schedule cannot be fired: try again after this. */
const AGAIN_MS = 1_000

export function fire({ scheduler }: Pick<Store, 'scheduler'>, value: ReadSetting): Chore {
  const intervalMs = async () => (await value('SCHEDULER_EVERY_SEC')) * SECOND_MS
  return {
    name: 'schedules',
    of: 'fires schedules that are due',
    exact: true,
    async everyMs() {
      const { inMs, waiting } = await scheduler.next()
      // With jitter, so that processes do not look at the same time.
      const usual = (await intervalMs()) * (0.9 + Math.random() / 5)
      const due = inMs === undefined ? usual : inMs > 0 ? Math.ceil(inMs) : AGAIN_MS
      return Math.min(usual, due, waiting ? AGAIN_MS : usual)
    },
    async run() {
      // Two passes late: no process fired it.
      const { fired, more, failures } = await scheduler.fireDue({ lateAfterMs: 2 * (await intervalMs()) })
      const [failure] = failures
      // Reported once for all of them, by the chore; explain reports it for each.
      if (failure !== undefined && fired === 0)
        throw new Error(
          `The schedule ${failure.name} could not be fired: ${(failure.error as Error).message}`,
        )
      return { rows: fired, more }
    },
  }
}

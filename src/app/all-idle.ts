import type { WorkerStats } from '../worker/worker-options.js'

/** One worker may give work to another that was idle already: so all of them, until none has claimed anything since. */
export async function allIdle(
  eachIdle: () => Promise<unknown>,
  stats: () => Promise<readonly WorkerStats[]>,
): Promise<void> {
  const claimed = async () => (await stats()).reduce((sum, one) => sum + one.claimed, 0)
  for (let before = -1, now = await claimed(); now !== before; now = await claimed()) {
    before = now
    await eachIdle()
  }
}

/** Combines the results of several workers, in this process or in child processes. */
import type { Drained, WorkerStats } from '../worker/worker-options.js'

export function allDrained(drained: readonly Drained[]): Drained {
  return {
    clean: drained.every(({ clean }) => clean),
    released: drained.reduce((sum, worker) => sum + worker.released, 0),
    unwritten: drained.reduce((sum, worker) => sum + worker.unwritten, 0),
  }
}

/**
 * Resolves when every worker is idle at once. A busy worker may create jobs for another that was idle already, so a check counts only if
 * no process held a job when it began and none has claimed one until its end.
 */
export async function allIdle(
  eachIdle: () => Promise<unknown>,
  stats: () => Promise<readonly WorkerStats[]>,
): Promise<void> {
  for (;;) {
    await eachIdle()
    const before = await stats()
    if (before.some(({ busy, buffered, unwritten }) => busy + buffered + unwritten > 0)) continue
    await eachIdle()
    if (claimedBy(await stats()) === claimedBy(before)) return
  }
}

function claimedBy(workers: readonly WorkerStats[]): number {
  return workers.reduce((sum, { claimed }) => sum + claimed, 0)
}

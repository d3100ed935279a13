import type { WorkerStats } from '../worker/worker-options.js'

/**
 * Resolves when every worker is idle at once. One that is busy may give work to another that was idle already, so a look counts only if
 * nobody held a job when it began and nobody has claimed one until its end.
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

/**
 * Whether the database still knows of what runs under a retired lease. After a failover it may not: the claims are gone, the jobs are given
 * to others, and the lease, which has survived, is renewed as if nothing had happened. Handlers of such claims are told to stop.
 *
 * `start` answers what is held, but for rows that somebody has locked before their beginning was noted. So a run is only given up
 * when it was missing several times in a row.
 */
import { attemptName, type WorkPort } from '../domain/port.js'
import type { Run } from './run.js'

const LOOKS = 3
const LOOK_EVERY_MS = 500

export interface StillHeldParts {
  readonly port: Pick<WorkPort, 'start'>
  readonly lease: number
  /** What runs here. */
  runs(): Iterable<Run>
  /** Jobs under the lease wait to begin, and have to be looked for when they have. */
  waits(): boolean
  /** The lease is closed or lost. */
  isOver(): boolean
  giveUp(run: Run): void
}

export async function lookForRuns({
  port,
  lease,
  runs,
  waits,
  isOver,
  giveUp,
}: StillHeldParts): Promise<void> {
  let missing = new Map<Run, number>()
  for (let looks = 0; !isOver() && (looks < LOOKS || missing.size > 0 || waits()); ) {
    const running = [...runs()].filter((run) => run.job.lease === lease && mayBeHeld(run))
    const held = running.length === 0 ? new Set() : await heldOf(port, running)
    if (held !== undefined) {
      looks += 1
      const gone = running.filter((run) => !held.has(attemptName(run.job)) && mayBeHeld(run))
      missing = new Map(gone.map((run) => [run, (missing.get(run) ?? 0) + 1]))
      for (const [run, times] of missing) if (times >= LOOKS) giveUp(run)
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref())
  }
}

/** Undefined: no answer, which says nothing. */
async function heldOf(
  port: StillHeldParts['port'],
  running: readonly Run[],
): Promise<Set<string> | undefined> {
  const fences = running.map(({ job: { jobId, attempt, lease }, startedAt }) => ({
    jobId,
    attempt,
    lease,
    startedAgoMs: performance.now() - startedAt,
  }))
  return port.start(fences).then(
    (answered) => new Set(answered.map(attemptName)),
    () => undefined,
  )
}

/** What has ended by a report or a commit of its own is not held, and should not be. */
function mayBeHeld({ lost, written, completed, settled }: Run): boolean {
  return !lost && !written && !completed && !settled
}

/**
 * Checks after a broken connection whether the database still has the claims under a retired lease. A failover may have lost them: then
 * other workers claim the jobs again, while the lease, which survived, is renewed as before. Handlers of such claims are aborted.
 *
 * `start` returns the claims that are held, except for rows that another transaction has locked. So a run is given up only when it was
 * missing several times in a row.
 */
import { attemptName, type ClaimPort } from '../domain/port.js'
import type { Run } from './run.js'

const CHECKS = 3
const CHECK_EVERY_MS = 500

export interface VerifyClaimsParts {
  readonly port: Pick<ClaimPort, 'start'>
  readonly lease: number
  /** All running jobs of this worker. */
  runs(): Iterable<Run>
  /** Whether jobs under the lease have yet to start; they are checked once they have. */
  waits(): boolean
  /** The lease is closed or lost. */
  isOver(): boolean
  giveUp(run: Run): void
}

export async function verifyClaims({
  port,
  lease,
  runs,
  waits,
  isOver,
  giveUp,
}: VerifyClaimsParts): Promise<void> {
  let missing = new Map<Run, number>()
  for (let checks = 0; !isOver() && (checks < CHECKS || missing.size > 0 || waits()); ) {
    const running = [...runs()].filter((run) => run.job.lease === lease && mayBeHeld(run))
    const held = running.length === 0 ? new Set() : await heldOf(port, running)
    if (held !== undefined) {
      checks += 1
      const gone = running.filter((run) => !held.has(attemptName(run.job)) && mayBeHeld(run))
      missing = new Map(gone.map((run) => [run, (missing.get(run) ?? 0) + 1]))
      for (const [run, times] of missing) if (times >= CHECKS) giveUp(run)
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS).unref())
  }
}

/** Undefined: the call failed, which proves nothing. */
async function heldOf(
  port: VerifyClaimsParts['port'],
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

/** A job that its handler ended by a report or a commit is rightly no longer held. */
function mayBeHeld({ lost, written, completed, settled }: Run): boolean {
  return !lost && !written && !completed && !settled
}

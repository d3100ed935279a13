/**
 * Logs one line for each ended attempt: duration, error, number of the retry, new state of the job. Never its
 * input or result.
 */
import type { Log, LogFields } from '../domain/log.js'
import type { EndedAttempt } from '../worker/worker-options.js'

/** Undefined without a logger, so that an ended attempt costs nothing. */
export function attemptLog(log: Log | undefined): ((ended: EndedAttempt) => void) | undefined {
  if (log === undefined) return undefined
  if (log.attempt !== undefined) return (ended) => log.attempt?.(ended)
  return (ended) => {
    const level = levelOf(ended)
    if (log.isLevelEnabled?.(level) === false) return
    log[level](lineOf(ended), 'attempt ended')
  }
}

/** A failure is worth a look; a success is no news, and there are millions of them. */
function levelOf({ outcome, accepted }: EndedAttempt): 'warn' | 'info' | 'debug' {
  if (outcome === 'failed' || !accepted) return 'warn'
  return outcome === 'succeeded' ? 'debug' : 'info'
}

function lineOf(ended: EndedAttempt): LogFields {
  const { jobId, attempt, kind, queue, worker, retry, outcome, accepted, state, dueAt, ranMs } = ended
  return {
    event: 'attempt_ended',
    job_id: jobId,
    kind,
    queue,
    attempt,
    retry,
    worker_id: worker,
    trace_id: ended.traceId,
    outcome,
    accepted,
    state,
    duration_ms: Math.round(ranMs),
    ...(ended.reason === null ? {} : { reason: ended.reason }),
    ...(dueAt === null ? {} : { due_at: dueAt }),
  }
}

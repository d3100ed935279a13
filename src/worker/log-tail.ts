/**
 * Shows people what running jobs log, before their attempts end. Jobs that end within a second send nothing, a worker sends the lines of
 * ten jobs every two seconds at most, and a job the less often the longer it runs. What is not sent in time is not lost: the end of the
 * attempt stores the log. A failed call is not repeated.
 */
import type { Log } from '../domain/log.js'
import type { ClaimPort } from '../domain/port.js'
import type { Run } from './run.js'

const EVERY_MS = 2_000
const JOBS_MAX = 10
const RUNS_FOR_MS = 1_000
/** The time between two calls for a job, as a share of the time it has run: some 400 calls in a day. */
const PAUSE_SHARE = 0.02

export interface LogTailParts {
  readonly port: Pick<ClaimPort, 'logLines'>
  readonly log: Log | undefined
  runs(): Iterable<Run>
}

export class LogTail {
  readonly #parts: LogTailParts
  #nextAt = 0
  #isSending = false

  constructor(parts: LogTailParts) {
    this.#parts = parts
  }

  /** Called often; sends what is due. */
  runIfDue(now = performance.now()): void {
    const { port } = this.#parts
    if (port.logLines === undefined || this.#isSending || now < this.#nextAt) return
    const due = this.#due(now)
    if (due.length === 0) return
    this.#nextAt = now + EVERY_MS
    this.#isSending = true
    const lines = due.map(({ job: { jobId, attempt, lease }, log }) => ({
      ...{ jobId, attempt, lease },
      text: log.takeUnsent(),
    }))
    port
      .logLines(lines)
      .catch((error: Error) =>
        this.#parts.log?.debug?.(
          { event: 'log_lines_failed', error: error.message },
          'log lines of running jobs were not shown; the attempts will store them',
        ),
      )
      .finally(() => {
        this.#isSending = false
      })
  }

  #due(now: number): Run[] {
    const due: Run[] = []
    for (const run of this.#parts.runs()) {
      const ranMs = now - run.startedAt
      if (ranMs < RUNS_FOR_MS || !run.hasUnsentLog || run.lost || run.written || now < run.logDueAt) continue
      run.logDueAt = now + ranMs * PAUSE_SHARE
      due.push(run)
      if (due.length === JOBS_MAX) break
    }
    return due
  }
}

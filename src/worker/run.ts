/** The state of one job in one slot. Its signal and its log are created on first use. */
import type { ClaimedJob } from '../domain/port.js'
import type { HandlerEntry } from './handlers.js'
import { JobLog } from './job-log.js'
import type { JobAborted } from './outcomes.js'
import type { AttemptTrace } from './worker-options.js'

export class Run {
  readonly job: ClaimedJob
  readonly entry: HandlerEntry | undefined
  readonly startedAt: number
  /** Its row in the memory shared with the heartbeat. */
  vitalsRow = -1
  /** The first abort reason; later ones change nothing. */
  aborted: JobAborted | null = null
  /** The handler has read its signal, or was thrown its reason: it may end because of the abort. */
  abortSeen = false
  /** Its handler was called. */
  called = false
  /** The lease is lost: no outcome is written. */
  lost = false
  /** Ended by the handler's own report or commit. */
  written = false
  /** Ended in the handler's own transaction, if that commits. */
  completed = false
  /** No longer in its slot. */
  settled = false
  /** Its timeout, or after an abort the end of the time to settle. */
  dueAt = Number.POSITIVE_INFINITY
  /** `dueAt` is the time to settle. */
  settling = false
  /** When it is aborted because the job's own lease is about to end, on the shared clock. */
  fenceAt = Number.POSITIVE_INFINITY
  trace: AttemptTrace | null = null
  /** The number of the last report sent. */
  reports = 0
  /** When its log may be sent again. */
  logDueAt = 0
  #controller: AbortController | null = null
  #log: JobLog | null = null

  constructor(job: ClaimedJob, entry: HandlerEntry | undefined, startedAt: number) {
    this.job = job
    this.entry = entry
    this.startedAt = startedAt
  }

  /** False: it was aborted before. */
  abort(reason: JobAborted): boolean {
    if (this.aborted !== null) return false
    this.aborted = reason
    this.#controller?.abort(reason)
    return true
  }

  /** The signal, for internal use: reading it here does not set `abortSeen`. */
  listen(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.aborted !== null) this.#controller.abort(this.aborted)
    }
    return this.#controller.signal
  }

  get log(): JobLog {
    this.#log ??= new JobLog()
    return this.#log
  }

  get hasUnsentLog(): boolean {
    return this.#log?.hasUnsent ?? false
  }

  /** The logged lines; undefined without any. */
  get excerpt(): string | undefined {
    return this.#log?.text
  }
}

/** One job in one slot: what is known of it until its end is on its way. What is not always needed is made when asked for. */
import type { ClaimedJob } from '../domain/port.js'
import type { HandlerEntry } from './handlers.js'
import { JobLog } from './job-log.js'
import type { JobAborted } from './outcomes.js'
import type { AttemptTrace } from './tracing.js'

export class Run {
  readonly job: ClaimedJob
  readonly entry: HandlerEntry | undefined
  readonly startedAt: number
  /** Where the heartbeat finds it. */
  place = -1
  /** The first reason to stop; later ones change nothing. */
  aborted: JobAborted | null = null
  /** The handler has looked at its signal, or was thrown its reason: what it does from then on may be because of it. */
  heard = false
  /** Its handler was called. */
  called = false
  /** Not ours any more: nothing of it is written. */
  lost = false
  /** Ended by a report or a commit of its own. */
  written = false
  /** Ended in a transaction of the handler's own, if that one commits. */
  completed = false
  /** No longer in its slot. */
  settled = false
  /** The next moment something happens to it by itself: its timeout, or the end of the time to settle after an abort. */
  dueAt = Number.POSITIVE_INFINITY
  /** `dueAt` is the time to settle. */
  settling = false
  /** Until when a lease of its own lasts, on the clock that threads share. */
  ownUntil = Number.POSITIVE_INFINITY
  /** Where somebody traces it. */
  trace: AttemptTrace | null = null
  /** Reports sent: the number of the last one. */
  reports = 0
  #controller: AbortController | null = null
  #log: JobLog | null = null

  constructor(job: ClaimedJob, entry: HandlerEntry | undefined, startedAt: number) {
    this.job = job
    this.entry = entry
    this.startedAt = startedAt
  }

  /** False: it was told already. */
  abort(reason: JobAborted): boolean {
    if (this.aborted !== null) return false
    this.aborted = reason
    this.#controller?.abort(reason)
    return true
  }

  /** The signal, for ourselves: taking it does not mean that the handler knows of it. */
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

  /** What it logged; undefined when it logged nothing. */
  get excerpt(): string | undefined {
    return this.#log?.text
  }
}

/** A minimal worker for the demo: claims batches under a lease, renews it by heartbeat, runs handlers and finishes jobs. */
import { setTimeout as wait } from 'node:timers/promises'
import { HoldfastError } from '../../domain/errors/errors.js'
import type { ClaimedJob, Ended, Ending } from '../../store/rows.js'
import type { Store } from '../../store/store.js'
import { CommandError, EXIT } from '../failure.js'

/** Only for the demo, because other programs may have jobs in the same database. */
export const QUEUE = 'holdfast-demo'
export const KINDS = ['welcome-mail', 'receipt', 'charge-card', 'export', 'nightly-report', 'transfer']
const BATCH = 4
const LEASE_MS = 3_000
const HEARTBEAT_MS = 1_000
const POLL_MS = 25
/** The demo fails after waiting this long for a job. */
const STUCK_MS = 60_000
/** What the work of a job takes. */
const WORK_MS = 120
/** How the first attempt of each charge-card ends. */
export const CARD_PROBLEM = 'the card network timed out'

export interface Batch {
  readonly jobs: ClaimedJob[]
  readonly ended: Ended[]
}

export class DemoWorker {
  readonly name: string
  readonly #store: Store
  readonly #signal: AbortSignal
  #lease: number | undefined
  #heartbeat: NodeJS.Timeout | undefined

  constructor(store: Store, name: string, signal: AbortSignal) {
    this.#store = store
    this.name = name
    this.#signal = signal
  }

  /** Claims and finishes batches until `done`, and reports each batch to `onBatch`. */
  async workUntil(done: () => boolean | Promise<boolean>, onBatch: (batch: Batch) => void): Promise<void> {
    let lastJobAt = performance.now()
    while (!(await done())) {
      const jobs = await this.claim(BATCH)
      if (jobs.length > 0) {
        onBatch({ jobs, ended: await this.finish(jobs) })
        lastJobAt = performance.now()
      } else if (performance.now() - lastJobAt > STUCK_MS) throw stuck()
      else await wait(POLL_MS, undefined, { signal: this.#signal })
    }
  }

  async claim(limit: number): Promise<ClaimedJob[]> {
    this.#signal.throwIfAborted()
    this.#lease ??= await this.#openLease()
    try {
      const jobs = await this.#store.work.claim({
        worker: this.name,
        lease: this.#lease,
        queues: [QUEUE],
        limit,
      })
      return await this.#onlyKnown(jobs)
    } catch (error) {
      // This computer stood still for longer than the lease: begin again, as any worker would.
      if (!(error instanceof HoldfastError && error.code === 'lease_gone')) throw error
      this.#lease = undefined
      return []
    }
  }

  /** Does the work of each job, all at the same time, and ends each attempt with what came of it. */
  async finish(jobs: readonly ClaimedJob[]): Promise<Ended[]> {
    const endings = await Promise.all(jobs.map((job) => this.#work(job)))
    return this.#store.work.finish(endings)
  }

  /** What is still claimed goes back to the queue, uncharged. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    if (this.#lease !== undefined) await this.#store.work.closeLease(this.#lease)
    this.#lease = undefined
  }

  async #openLease(): Promise<number> {
    const { lease } = await this.#store.work.openLease(this.name, LEASE_MS)
    clearInterval(this.#heartbeat)
    // A heartbeat that fails is followed by the next; what it means for the jobs, the fence decides.
    this.#heartbeat = setInterval(() => void this.#store.work.renew([lease]).catch(() => {}), HEARTBEAT_MS)
    return lease
  }

  /** As every worker does: a job of a kind it does not know is put aside for one that does. */
  async #onlyKnown(jobs: readonly ClaimedJob[]): Promise<ClaimedJob[]> {
    const strange = jobs.filter(({ kind }) => !KINDS.includes(kind))
    if (strange.length > 0)
      await this.#store.work.finish(
        strange.map((job) => ({ ...job, outcome: 'parked', reason: `the demo has no kind "${job.kind}"` })),
      )
    return jobs.filter((job) => !strange.includes(job))
  }

  async #work(job: ClaimedJob): Promise<Ending> {
    const began = performance.now()
    try {
      await wait(WORK_MS, undefined, { signal: this.#signal })
      if (job.kind === 'charge-card' && job.failures === 0) throw new Error(CARD_PROBLEM)
      return { ...job, outcome: 'succeeded', startedAgoMs: performance.now() - began }
    } catch (error) {
      if (this.#signal.aborted) throw error
      return { ...job, outcome: 'failed', error, startedAgoMs: performance.now() - began }
    }
  }
}

function stuck(): CommandError {
  return new CommandError({
    code: 'demo_stuck',
    message: `The demo waits for a job of its queue, and for ${STUCK_MS / 1000} s there was none to claim.`,
    remedy: `\`holdfast jobs list --queue ${QUEUE}\` shows them, \`holdfast jobs explain <id>\` what one waits for.`,
    exitCode: EXIT.failed,
  })
}

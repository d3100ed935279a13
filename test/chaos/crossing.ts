/**
 * Two calls that meet, for whoever looks first and acts a moment later on what was there. At the load of a run this is a matter of luck;
 * here it is made to happen.
 *
 * Jobs come to a target at the moment the last one there ends: a mistaken one waits behind a job that has ended, or nowhere at all.
 * Several sweeps find the same expired lease, and its job is claimed as soon as the first has returned it: a mistaken one takes it again,
 * from the worker that has it now.
 */
import { type ClaimedJob, openStore, type Store } from 'holdfast/store'
import type { Handled, Journal } from './journal.js'
import { monotonic } from './processes.js'

export const CROSSINGS = 'crossings'
const KIND = 'crossing'
const LEASE_MS = 5_000
/** How much earlier the arrival sets out than the end, round by round: whatever takes how long, some of them meet. */
const AHEAD_MS = [0, 0, 5, 10, 20, 40, 60, 80]
/** A lease that is not renewed, and how often it is swept once it may have expired. */
const SWEPT_LEASE_MS = 1_000
const SWEEP_ROUNDS = 3
const SWEEP_EVERY_MS = 30
const SWEEPS_AT_ONCE = 6
/** How long the job is held after the claim that follows the first sweep: the others end meanwhile. */
const HELD_MS = 400
const DONE_WITHIN_MS = 1_000
const LOOK_MS = 10
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export class Crossing {
  readonly #url: () => string
  readonly #worker: Journal
  readonly #producer: Journal
  /** Begun and not ended. */
  readonly #open = new Set<ClaimedJob>()
  #living: Promise<void> = Promise.resolve()
  #made = 0
  #born = 0
  /** Arrivals that were on their way when the last job of their target ended. */
  met = 0
  /** Claims made while the expired lease of the job was still being swept. */
  claimedAmidSweeps = 0

  constructor(parts: { url: () => string; worker: Journal; producer: Journal }) {
    this.#url = parts.url
    this.#worker = parts.worker
    this.#producer = parts.producer
  }

  /** One at a time: two of them would abort each other's jobs. */
  live(): Promise<void> {
    const lived = this.#living.then(() => this.#live())
    this.#living = lived.catch(() => {})
    return lived
  }

  async #live(): Promise<void> {
    const store = await openStore({ url: this.#url(), connections: 2 + SWEEPS_AT_ONCE, notify: false })
    try {
      const worker = `crossing.${++this.#born}`
      for (const [round, aheadMs] of AHEAD_MS.entries()) {
        const { lease } = await store.work.openLease(worker, LEASE_MS)
        await this.#cross(store, { worker, lease, target: `${worker}.${round}` }, aheadMs)
        await store.work.closeLease(lease)
      }
      for (let round = 0; round < SWEEP_ROUNDS; round++) await this.#sweep(store, worker, round)
    } finally {
      for (const job of this.#open) this.#abort(job)
      await store.close().catch(() => {})
    }
  }

  async #cross(
    store: Store,
    at: { worker: string; lease: number; target: string },
    aheadMs: number,
  ): Promise<void> {
    const first = await this.#arrive(store, at.target)
    const head = await this.#claimed(store, at, first)
    if (head === undefined) return
    let isUnderWay = true
    const arriving = this.#arrive(store, at.target).finally(() => {
      isUnderWay = false
    })
    arriving.catch(() => {})
    await pass(aheadMs)
    if (isUnderWay) this.met += 1
    await this.#end(store, head)
    const next = await this.#claimed(store, at, await arriving)
    if (next !== undefined) await this.#end(store, next)
  }

  async #sweep(store: Store, worker: string, round: number): Promise<void> {
    const { lease } = await store.work.openLease(worker, SWEPT_LEASE_MS)
    const id = await this.#arrive(store, `${worker}.swept.${round}`)
    const held = await this.#claimed(store, { worker, lease }, id)
    if (held === undefined) return
    // A worker that does not renew its lease has aborted its handlers by then.
    this.#abort(held)
    await pass(SWEPT_LEASE_MS)
    const underWay = new Set<Promise<unknown>>()
    const sweeping = setInterval(() => {
      if (underWay.size >= SWEEPS_AT_ONCE) return
      const sweep: Promise<unknown> = store.upkeep
        .reclaim()
        .catch(() => {})
        .finally(() => underWay.delete(sweep))
      underWay.add(sweep)
    }, SWEEP_EVERY_MS)
    try {
      const { lease: next } = await store.work.openLease(worker, LEASE_MS)
      const again = await this.#claimed(store, { worker, lease: next }, id)
      if (again !== undefined) {
        if (underWay.size > 0) this.claimedAmidSweeps += 1
        await pass(HELD_MS)
        await this.#end(store, again)
      }
      await store.work.closeLease(next)
    } finally {
      clearInterval(sweeping)
      await Promise.all(underWay)
    }
  }

  #abort(job: ClaimedJob): void {
    this.#open.delete(job)
    this.#worker.write({ t: 'aborted', ...this.#handled(job) })
  }

  async #arrive(store: Store, target: string): Promise<number> {
    const token = `crossing.${this.#made++}`
    this.#producer.write({ t: 'intent', token, kind: KIND, target })
    const { jobId } = await store.enqueue({ queue: CROSSINGS, kind: KIND, target, input: { token, ms: 0 } })
    this.#producer.write({ t: 'ack', token, job: jobId, existing: false })
    return jobId
  }

  /** Undefined when it does not come in time: whether that is a mistake, what is left at the end says. */
  async #claimed(
    store: Store,
    { worker, lease }: { worker: string; lease: number },
    jobId: number,
  ): Promise<ClaimedJob | undefined> {
    const until = performance.now() + DONE_WITHIN_MS
    while (performance.now() < until) {
      for (const job of await store.work.claim({ worker, lease, queues: [CROSSINGS] })) {
        this.#open.add(job)
        const begun = { ...this.#handled(job), queue: CROSSINGS, target: job.target, remote: false }
        this.#worker.write({ t: 'begin', ...begun })
        if (job.jobId === jobId) return job
        // Left by a round before.
        await this.#end(store, job)
      }
      await pass(LOOK_MS)
    }
    return undefined
  }

  async #end(store: Store, job: ClaimedJob): Promise<void> {
    const { jobId, attempt, lease } = job
    // Once it is committed the next one may begin.
    this.#open.delete(job)
    this.#worker.write({ t: 'end', ...this.#handled(job) })
    const result = { attempt, lease }
    const [ended] = await store.work.finish([{ jobId, attempt, lease, outcome: 'succeeded', result }])
    const accepted = ended?.accepted ?? false
    this.#worker.write({ t: 'ended', job: jobId, attempt, outcome: 'succeeded', accepted })
  }

  #handled({ jobId, attempt, lease }: ClaimedJob): Handled {
    return { job: jobId, attempt, lease, at: monotonic(), by: `crossing.${this.#born}` }
  }
}

/**
 * A worker that does not know it is dead: it claims, hears nothing for longer than its lease lasts, and then writes as if nothing had
 * happened. The library's own workers fence themselves and would rarely get as far.
 */
import { type ClaimedJob, type Store, storeOn } from 'holdfast/store'
import type { Journal } from './journal.js'
import type { Random } from './random.js'
import type { PrivateServer } from './server.js'

const LEASE_MS = 1_000
/** Until somebody else has its jobs; after that it writes whatever has become of them. */
const WAIT_MS = 8_000
const LOOK_MS = 20
const SWEEPERS = 4
const SWEEP_EVERY_MS = 200
/** Together well within the lease. */
const LOOKS = 20
const MINE = ['commit', 'plain', 'lane', 'few', 'keyed', 'report']
const EFFECT = 'insert into chaos.effect (job, attempt, lease, kind, by) values ($1, $2, $3, $4, $5)'

export class Zombie {
  readonly #store: Store
  readonly #server: PrivateServer
  readonly #journal: Journal
  readonly #random: Random
  #born = 0

  constructor(parts: { store: Store; server: PrivateServer; journal: Journal; random: Random }) {
    this.#store = storeOn(parts.store.database)
    this.#server = parts.server
    this.#journal = parts.journal
    this.#random = parts.random
  }

  /** Claims, sleeps, wakes up. The database may be away: then there is nothing to learn. */
  async live(): Promise<void> {
    const name = `zombie.${++this.#born}`
    const { work } = this.#store
    const { lease } = await work.openLease(name, LEASE_MS)
    const queues = this.#random.shuffled(['plain', 'lanes', 'keys', 'few'])
    const claimed = await this.#claim(name, lease, [...queues, 'reports'])
    const others = claimed.filter(({ kind }) => !MINE.includes(kind))
    if (others.length > 0) await work.finish(others.map((job) => ({ ...fence(job), outcome: 'released' })))
    const mine = claimed.filter(({ kind }) => MINE.includes(kind))
    if (mine.length === 0) throw new Error('there was nothing to claim')
    for (const job of mine) if (isPlain(job)) await this.#effect(job, name)
    await this.#amongSweeps(this.#haunt(mine, name))
  }

  /** Meanwhile sweeps come close upon each other, as from the many processes that look after one database. */
  async #amongSweeps(haunting: Promise<void>): Promise<void> {
    let over = false
    const sweep = async (n: number) => {
      await pass((n * SWEEP_EVERY_MS) / SWEEPERS)
      while (!over) {
        await this.#store.upkeep.reclaim().catch(() => {})
        await pass(SWEEP_EVERY_MS)
      }
    }
    const sweeps = Array.from({ length: SWEEPERS }, (_, n) => sweep(n))
    try {
      await haunting
    } finally {
      over = true
      await Promise.all(sweeps)
    }
  }

  /** Beside workers that wait for every job it takes several looks to get some. */
  async #claim(worker: string, lease: number, queues: string[]): Promise<ClaimedJob[]> {
    const most = this.#random.whole(8, 16)
    const all: ClaimedJob[] = []
    for (let look = 0; look < LOOKS && all.length < most; look++) {
      if (look > 0) await pass(LOOK_MS)
      const limit = most - all.length
      all.push(...(await this.#store.work.claim({ worker, lease, queues, limit, leaseMs: LEASE_MS })))
    }
    return all
  }

  /** Writes to each job as soon as somebody else runs it, when a missing fence would do most harm; to the rest when it is over, or late. */
  async #haunt(jobs: readonly ClaimedJob[], name: string): Promise<void> {
    const until = performance.now() + WAIT_MS
    const [lease] = jobs.map((job) => job.lease)
    const writing: Promise<void>[] = []
    let left = [...jobs]
    while (left.length > 0) {
      const taken = new Set(await this.#takenOver(left))
      const isDue = ({ jobId }: ClaimedJob) => taken.has(jobId) || performance.now() > until
      const due = left.filter(isDue)
      if (taken.size > 0 && lease !== undefined) await this.#renewLate(lease)
      left = left.filter((job) => !due.includes(job))
      writing.push(...due.map((job) => this.#writeLate(job, name)))
      if (left.length > 0) await pass(LOOK_MS)
    }
    await Promise.all(writing)
  }

  /** Others have some of its jobs: whatever is left of its lease, it has ended. */
  async #renewLate(lease: number): Promise<void> {
    const [row] = await this.#server.rows<{ swept: number }>(
      "select count(*)::int as swept from holdfast.attempt where lease = $1 and outcome = 'lost'",
      [lease],
    )
    const [renewed] = await this.#store.work.renew([lease])
    const alive = renewed?.alive ?? false
    this.#journal.write({ t: 'renewed', lease, swept: row?.swept ?? 0, alive })
  }

  async #takenOver(jobs: readonly ClaimedJob[]): Promise<number[]> {
    const rows = await this.#server.rows<{ job: string }>(
      `select i.job from unnest($1::bigint[], $2::int[]) i (job, attempt)
       where exists (select from holdfast.running r where r.job_id = i.job and r.attempt > i.attempt)
         or exists (select from holdfast.attempt a where a.job_id = i.job and a.final)`,
      [jobs.map(({ jobId }) => jobId), jobs.map(({ attempt }) => attempt)],
    )
    return rows.map(({ job }) => Number(job))
  }

  async #writeLate(job: ClaimedJob, name: string): Promise<void> {
    const { work } = this.#store
    const { jobId, attempt } = job
    const result = { attempt, lease: job.lease }
    const starting = work.start([fence(job)]).catch(() => {})
    const refused = (what: string) => this.#journal.write({ t: 'refused', job: jobId, attempt, what })
    try {
      if (job.kind === 'report') {
        // Without a cursor: where it is accepted, rightly, the next attempt must not skip anything.
        await work.report({ ...fence(job), items: [{ late: name, jobId }] })
      }
      if (isPlain(job) || job.kind === 'report') {
        const [ended] = await work.finish([{ ...fence(job), outcome: 'succeeded', result }])
        const accepted = ended?.accepted ?? false
        this.#journal.write({ t: 'ended', job: jobId, attempt, outcome: 'succeeded', accepted })
        if (!accepted) refused('late finish')
      } else {
        await work.commit({ ...fence(job), outcome: 'succeeded', result }, (tx) =>
          tx.query(EFFECT, [jobId, attempt, job.lease, job.kind, name]),
        )
        this.#journal.write({ t: 'ended', job: jobId, attempt, outcome: 'succeeded', accepted: true })
      }
    } catch (error) {
      if ((error as { code?: string }).code === 'lease_lost') refused('late write')
    }
    await starting
  }

  async #effect({ jobId, attempt, lease, kind }: ClaimedJob, name: string): Promise<void> {
    await this.#store.database.query(EFFECT, [jobId, attempt, lease, kind, name])
  }
}

/** Kinds whose effect is not tied to the completion. */
const isPlain = ({ kind }: ClaimedJob) => ['plain', 'few', 'keyed'].includes(kind)
const fence = ({ jobId, attempt, lease }: ClaimedJob) => ({ jobId, attempt, lease })
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

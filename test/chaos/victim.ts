/**
 * A worker whose job an operator ends over its head and sends back at once: the next attempt comes to the same worker, under the same lease, before it
 * has learnt of the first one's end. What its renewals then name must be the attempt that was ended, and no other.
 */
import { type Store, storeOn } from 'holdfast/store'
import { CROSSINGS } from './crossing.js'
import type { Journal } from './journal.js'

const LEASE_MS = 5_000
const QUEUE = 'victims'
/** What is worked on by hand, which no worker of the fleet does. */
const BY_HAND = [QUEUE, CROSSINGS]

export class Victim {
  readonly #store: Store
  readonly #worker: Journal
  readonly #producer: Journal
  #born = 0

  constructor(parts: { store: Store; worker: Journal; producer: Journal }) {
    this.#store = storeOn(parts.store.database)
    this.#worker = parts.worker
    this.#producer = parts.producer
  }

  async live(): Promise<void> {
    const { work, commands } = this.#store
    // Or a claim would get what an earlier try has left.
    await this.tidy([QUEUE])
    const worker = `victim.${++this.#born}`
    this.#producer.write({ t: 'intent', token: worker, kind: 'victim' })
    const { jobId } = await this.#store.enqueue({
      queue: QUEUE,
      kind: 'victim',
      input: { token: worker, ms: 0 },
    })
    const { lease } = await work.openLease(worker, LEASE_MS)
    const ask = { worker, lease, queues: [QUEUE] }
    await work.claim(ask)
    await commands.forceFinish(jobId, 'failed', { actor: worker })
    await commands.retry(jobId, { actor: worker })
    const [again] = await work.claim(ask)
    const [renewed] = await work.renew([lease])
    const current = again?.jobId === jobId ? again.attempt : null
    for (const named of renewed?.revoked ?? []) {
      // By a number alone nobody knows which attempt is meant.
      const attempt = typeof named === 'number' ? null : named.attempt
      this.#worker.write({ t: 'revoked', job: jobId, attempt, current })
    }
    const result = { lease }
    if (again !== undefined)
      await work.finish([{ jobId, attempt: again.attempt, lease, outcome: 'succeeded', result }])
    await work.closeLease(lease)
  }

  /** What was left half way, done by nobody else. */
  async tidy(queues: readonly string[] = BY_HAND): Promise<void> {
    const { work } = this.#store
    const worker = 'victim.last'
    const { lease } = await work.openLease(worker, LEASE_MS)
    const left = await work.claim({ worker, lease, queues: [...queues], limit: 50 })
    const done = left.map(({ jobId, attempt, lease }) => ({ jobId, attempt, lease }))
    if (done.length > 0)
      await work.finish(done.map((fence) => ({ ...fence, outcome: 'succeeded', result: null })))
    await work.closeLease(lease)
  }
}

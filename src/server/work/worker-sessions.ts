/** What a server keeps for the workers that use it: the tenants of their leases, the state of their claims, and their long polls. */
import type { JobClaimer } from '../../store/claim/job-claimer.js'
import type { Call } from '../http/route.js'
import { ClaimWaiters } from './claim-waiters.js'
import { OwnLeases } from './own-leases.js'
import { WorkScout } from './work-scout.js'

type SessionCall = Pick<Call, 'store' | 'tenant'>

const CLAIMERS_MAX = 10_000

export class WorkerSessions {
  readonly leases = new OwnLeases()
  readonly #claimers = new Map<string, JobClaimer>()
  readonly #waiters = new Map<string, ClaimWaiters>()
  readonly #scouts = new Map<string, WorkScout>()

  /** One claimer for each lease and its queues: jobs that a full pass found under one lease must not go to another. */
  claimer({ store, tenant }: SessionCall, lease: number, queues: readonly string[]): JobClaimer {
    const name = `${tenant} ${lease} ${queues.join(' ')}`
    const claimer = this.#claimers.get(name) ?? store.work.claimer()
    // Inserted again, so that the first key is the least recently used.
    this.#claimers.delete(name)
    this.#claimers.set(name, claimer)
    const [oldest] = this.#claimers.keys()
    if (this.#claimers.size > CLAIMERS_MAX && oldest !== undefined) this.#claimers.delete(oldest)
    return claimer
  }

  /** The long polls of this tenant for these queues. */
  waitersFor({ store, tenant }: SessionCall, queues: readonly string[]): ClaimWaiters {
    const sorted = [...new Set(queues)].sort()
    const name = `${tenant} ${sorted.join(' ')}`
    let waiters = this.#waiters.get(name)
    if (waiters === undefined) {
      const scout = this.#scoutFor({ store, tenant })
      waiters = new ClaimWaiters({
        wakeups: store.wakeups(tenant),
        queues: sorted,
        isWork: async () => (await store.work.depth(sorted, 1, tenant)) > 0,
        awaited: (each, isAwaited) => (isAwaited ? scout.join(each) : scout.leave(each)),
        unused: () => this.#waiters.delete(name),
      })
      this.#waiters.set(name, waiters)
    }
    return waiters
  }

  #scoutFor({ store, tenant }: SessionCall): WorkScout {
    const scout =
      this.#scouts.get(tenant) ??
      new WorkScout({
        queuesWithWork: (queues) => store.work.queuesWithWork({ queues, tenant }),
        isNotified: () => store.wakeups(tenant).active,
      })
    this.#scouts.set(tenant, scout)
    return scout
  }
}

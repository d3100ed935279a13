/** Crashes of the whole Postgres at moments that matter: as a handler begins, and with nothing flushed that no commit waited for. */
import { type ClaimedJob, openStore, type Store } from 'holdfast/store'
import type { Handled } from './journal.js'
import type { Scene } from './nemesis.js'
import { killAll, monotonic } from './processes.js'
import type { Wire } from './wire.js'

/** Just after a claim, in microseconds. */
const JUST_AFTER = 50_000
const CLAIMED_WITHIN_MS = 4_000
/** As many transaction ids, given out again. */
const ROLLED_BACK = 60
const GIVEN_WITHIN_MS = 5_000
const STILL_WITHIN_MS = 2_000
const LEASE_MS = 2_000
const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export class Crashes {
  readonly #scene: Scene
  /** Within 50 ms of a claim, and with the WAL writer frozen. */
  justAfterClaim = 0
  unflushed = 0
  /** Transaction ids that were given out a second time after a crash. */
  idsGivenAgain = 0
  #alone = 0

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async afterClaim(): Promise<void> {
    const { server, fleet } = this.#scene
    let at = Number.POSITIVE_INFINITY
    await server.powerCut(false, async (pids) => {
      at = await fleet.cutAtBegin(pids, CLAIMED_WITHIN_MS)
    })
    this.#countIfJustAfter(at)
  }

  #countIfJustAfter(at: number): void {
    if (at - this.#scene.fleet.lastBegin <= JUST_AFTER) this.justAfterClaim += 1
  }

  /** Rolled back work waits for nobody: where it is quiet, nothing that is flushed comes after it. Then who follows the feed looks, and it crashes. */
  async amongRollbacks(forMs: number): Promise<void> {
    const { server, reader } = this.#scene
    const wires = this.#wires()
    let given = 0
    try {
      await server.powerCut(true, async () => {
        for (const wire of wires) wire.hold()
        await pass(forMs)
        const client = await server.connect()
        for (let n = 0; n < ROLLED_BACK; n++)
          await client.query("begin; select holdfast.enqueue('plain', 'plain'); rollback")
        await reader.looked()
        reader.hold()
        given = await this.#nextXid()
      })
      this.unflushed += 1
      this.idsGivenAgain += Math.max(0, given - (await this.#nextXid()))
      for (const wire of wires) wire.letGo('reset')
      const until = performance.now() + GIVEN_WITHIN_MS
      while (performance.now() < until && (await this.#nextXid()) <= given) await pass(20)
    } finally {
      for (const wire of wires) wire.letGo('reset')
      reader.letGo()
    }
  }

  /**
   * One worker alone, which claims a job; the crash comes with the reply, before anything else can. Nobody's commit flushes the claim: everybody
   * else is held, what they had sent has been carried out, and this worker has no heartbeat, no chores and no other job.
   */
  async afterOneClaim(forMs: number): Promise<void> {
    const { server, reader, journal } = this.#scene
    const wires = this.#wires()
    const by = `alone.${++this.#alone}`
    let handled: Handled | undefined
    try {
      const at = await server.powerCut(true, async (pids) => {
        for (const wire of wires) wire.hold()
        // A look at the feed flushes.
        reader.hold()
        await pass(forMs)
        const store = await openStore({ url: server.url, connections: 1, notify: false })
        try {
          await this.#untilStill()
          const { jobId, attempt, lease } = await this.#claimOne(store, by)
          handled = { job: jobId, attempt, lease, at: monotonic(), by }
          killAll(pids)
        } finally {
          store.close().catch(() => {})
        }
        journal.write({ t: 'begin', ...handled, queue: 'plain', target: null, remote: false })
        journal.write({ t: 'aborted', ...handled })
      })
      this.unflushed += 1
      if (handled !== undefined && at - handled.at <= JUST_AFTER) this.justAfterClaim += 1
    } finally {
      for (const wire of wires) wire.letGo('reset')
      reader.letGo()
    }
  }

  /** Until no statement of somebody who is held now is still being carried out: its commit would flush. One that waits for a lock waits for another who is held. */
  async #untilStill(): Promise<void> {
    const until = performance.now() + STILL_WITHIN_MS
    while (performance.now() < until) {
      const [row] = await this.#scene.server.rows<{ writing: number }>(
        "select count(*)::int as writing from pg_stat_activity where state = 'active' and backend_xid is not null and wait_event_type is distinct from 'Lock'",
      )
      if (row?.writing === 0) return
      await pass(20)
    }
    throw new Error('somebody writes all the time')
  }

  /** Of a job that comes before everything else that waits. */
  async #claimOne(store: Store, by: string): Promise<ClaimedJob> {
    this.#scene.promised.write({ t: 'intent', token: by, kind: 'plain' })
    await store.enqueue({ queue: 'plain', kind: 'plain', priority: 100, input: { token: by, ms: 300 } })
    const { lease } = await store.work.openLease(by, LEASE_MS)
    const [claimed] = await store.work.claim({ worker: by, lease, queues: ['plain'] })
    if (claimed === undefined) throw new Error('nothing was claimed')
    return claimed
  }

  #wires(): Wire[] {
    return [...this.#scene.wires, ...this.#scene.otherWires]
  }

  async #nextXid(): Promise<number> {
    const [row] = await this.#scene.server.rows<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    )
    return Number(row?.next)
  }
}

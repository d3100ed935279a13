/** Does what the timeline says. A fault that cannot be done just then (the server is away already) is noted and skipped. */
import type { ChildProcess } from 'node:child_process'
import type { Store } from 'holdfast/store'
import type pg from 'pg'
import { Crashes } from './crashes.js'
import type { Crossing } from './crossing.js'
import type { FeedReader } from './feed-reader.js'
import type { Fleet } from './fleet.js'
import type { HttpServer } from './http-server.js'
import type { Journal } from './journal.js'
import type { PrivateServer } from './server.js'
import type { Fault, FaultAt, LockMode } from './timeline.js'
import type { Victim } from './victim.js'
import type { Wire } from './wire.js'
import type { Zombie } from './zombie.js'

export interface Scene {
  readonly server: PrivateServer
  readonly fleet: Fleet
  /** One for each worker. */
  readonly wires: readonly Wire[]
  /** Those of the producers, and of what is done by hand. */
  readonly otherWires: readonly Wire[]
  readonly load: readonly ChildProcess[]
  readonly zombie: Zombie
  readonly victim: Victim
  readonly crossing: Crossing
  /** What is worked on by hand. */
  readonly journal: Journal
  /** What the nemesis itself asks for. */
  readonly promised: Journal
  /** Behind one of the other wires. */
  readonly store: Store
  readonly http: HttpServer
  readonly reader: FeedReader
}

export interface Deed {
  readonly atMs: number
  readonly fault: Fault
  readonly failed?: string
}

const TRIES = 8
const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export class Nemesis {
  readonly #scene: Scene
  readonly deeds: Deed[] = []
  readonly #underway = new Set<Promise<void>>()
  readonly crashes: Crashes

  constructor(scene: Scene) {
    this.#scene = scene
    this.crashes = new Crashes(scene)
  }

  /** Resolves when the time is over; what was begun last may go on until `finish`. */
  async follow(timeline: readonly FaultAt[], seconds: number): Promise<void> {
    const began = performance.now()
    for (const { atMs, ...fault } of timeline) {
      await pass(began + atMs - performance.now())
      const doing = this.#do(fault as Fault)
        .then(
          () => void this.deeds.push({ atMs, fault: fault as Fault }),
          (error: Error) =>
            void this.deeds.push({ atMs, fault: fault as Fault, failed: error.message || String(error) }),
        )
        .finally(() => this.#underway.delete(doing))
      this.#underway.add(doing)
    }
    await pass(began + seconds * 1_000 - performance.now())
  }

  async finish(): Promise<void> {
    await Promise.all(this.#underway)
  }

  async #do(fault: Fault): Promise<void> {
    const { fleet, server } = this.#scene
    switch (fault.fault) {
      case 'kill':
        return fleet.kill(fault.worker)
      case 'freeze':
        fleet.freeze(fault.worker)
        await pass(fault.forMs)
        return fleet.thaw(fault.worker)
      case 'drain':
        return fleet.drain(fault.worker, fault.again)
      case 'restart':
        return server.restart(fault.how)
      case 'terminate backends':
        return this.#storm(fault.times)
      case 'blackhole':
        return this.#blackhole(fault.worker, fault.forMs, fault.end)
      case 'half-open':
        for (const wire of this.#wiresOf(fault.worker)) wire.halfOpen()
        return
      case 'cut after commit':
        for (const wire of this.#wires()) wire.loseRepliesTo(fault.words, fault.times)
        return
      case 'latency':
        for (const wire of this.#wires()) wire.delay(fault.ms)
        await pass(fault.forMs)
        for (const wire of this.#wires()) wire.delay(0)
        return
      case 'idle in transaction':
        return this.#patiently(() => this.#holdTransaction((client) => this.#enqueueIn(client), fault.forMs))
      case 'lock':
        return this.#patiently(() =>
          this.#holdTransaction((client) => client.query(lockOf(fault)), fault.forMs),
        )
      case 'exhaust pools':
        return this.#make('hog', fault.jobs)
      case 'poison':
        return this.#make('poison', 1)
      case 'kill HTTP server':
        return this.#scene.http.kill()
      case 'crash after a claim':
        return this.#patiently(() => this.crashes.afterClaim())
      case 'crash, WAL writer frozen':
        return this.#patiently(() =>
          fault.quiet ? this.crashes.amongRollbacks(fault.forMs) : this.crashes.afterOneClaim(fault.forMs),
        )
      case 'revoke':
        return this.#patiently(() => this.#scene.victim.live())
      case 'crossing':
        return this.#patiently(() => this.#scene.crossing.live())
      case 'zombie':
        return this.#patiently(() => this.#scene.zombie.live())
    }
  }

  #wires(): Wire[] {
    return [...this.#scene.wires, ...this.#scene.otherWires]
  }

  #wiresOf(worker: number | 'all'): Wire[] {
    return worker === 'all' ? this.#wires() : [this.#scene.wires[worker] as Wire]
  }

  async #storm(times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      await this.#scene.server.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'chaos' and random() < 0.7`,
      )
      await pass(100)
    }
  }

  async #blackhole(worker: number | 'all', forMs: number, then: 'deliver' | 'reset'): Promise<void> {
    const wires = this.#wiresOf(worker)
    for (const wire of wires) wire.hold()
    await pass(forMs)
    for (const wire of wires) wire.letGo(then)
  }

  async #holdTransaction(act: (client: pg.Client) => Promise<unknown>, forMs: number): Promise<void> {
    // While it restarts there is nothing to hold.
    await this.#scene.server.rows('select 1')
    const client = await this.#scene.server.connect()
    try {
      await client.query('begin')
      await client.query("set local lock_timeout = '1s'")
      await act(client)
      await pass(forMs)
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** A key and a place at a target, taken by a transaction that does nothing more and comes to nothing. */
  async #enqueueIn(client: pg.Client): Promise<void> {
    const made = { input: { token: `nemesis.${this.deeds.length}`, ms: 0 } }
    const { store } = this.#scene
    await store.enqueue({ queue: 'lanes', kind: 'lane', target: 't1', ...made }, { tx: client })
    await store.enqueue({ queue: 'keys', kind: 'keyed', key: 'k1', ...made }, { tx: client })
  }

  /** The server may be away, a reply lost, a lock be somebody else's: then once more, a little later. */
  async #patiently(act: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await act()
      } catch (error) {
        if (tries === TRIES) throw error
        await pass(250)
      }
    }
  }

  async #make(kind: string, times: number): Promise<void> {
    this.#scene.load[0]?.send({ make: kind, times })
  }
}

function lockOf({ table, mode }: { table: string; mode: LockMode }): string {
  return mode === 'rows'
    ? `select from holdfast.${table} limit 50 for update skip locked`
    : `lock table holdfast.${table} in ${mode} mode`
}

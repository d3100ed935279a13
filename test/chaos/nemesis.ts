/** Does what the timeline says. A fault that cannot be done just then (the server is away already) is noted and skipped. */
import type { ChildProcess } from 'node:child_process'
import type { Fleet } from './fleet.js'
import type { PrivateServer } from './server.js'
import type { Fault, FaultAt } from './timeline.js'
import type { Wire } from './wire.js'
import type { Zombie } from './zombie.js'

export interface Scene {
  readonly server: PrivateServer
  readonly fleet: Fleet
  /** One for each worker. */
  readonly wires: readonly Wire[]
  /** Those of the producers and of the zombie. */
  readonly otherWires: readonly Wire[]
  readonly load: readonly ChildProcess[]
  readonly zombie: Zombie
}

export interface Deed {
  readonly atMs: number
  readonly fault: Fault
  readonly failed?: string
}

const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export class Nemesis {
  readonly #scene: Scene
  readonly deeds: Deed[] = []
  readonly #underway = new Set<Promise<void>>()

  constructor(scene: Scene) {
    this.#scene = scene
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
        return fleet.drain(fault.worker)
      case 'restart':
        return server.restart(fault.how)
      case 'terminate backends':
        return this.#storm(fault.times)
      case 'blackhole':
        return this.#blackhole(fault.worker, fault.forMs, fault.end)
      case 'cut after commit':
        for (const wire of this.#wires()) wire.loseRepliesTo(fault.words, fault.times)
        return
      case 'latency':
        for (const wire of this.#wires()) wire.delay(fault.ms)
        await pass(fault.forMs)
        for (const wire of this.#wires()) wire.delay(0)
        return
      case 'idle in transaction':
        return this.#holdTransaction('select 1', fault.forMs)
      case 'lock':
        return this.#holdTransaction(`lock table holdfast.${fault.table} in share mode`, fault.forMs)
      case 'exhaust pools':
        return this.#make('hog', fault.jobs)
      case 'poison':
        return this.#make('poison', 1)
      case 'zombie':
        return this.#untilItLives()
    }
  }

  #wires(): Wire[] {
    return [...this.#scene.wires, ...this.#scene.otherWires]
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
    const wires = worker === 'all' ? this.#wires() : [this.#scene.wires[worker] as Wire]
    for (const wire of wires) wire.hold()
    await pass(forMs)
    for (const wire of wires) wire.letGo(then)
  }

  async #holdTransaction(statement: string, forMs: number): Promise<void> {
    const client = await this.#scene.server.connect()
    try {
      await client.query('begin isolation level repeatable read')
      await client.query("set local lock_timeout = '1s'")
      await client.query(statement)
      await pass(forMs)
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** A claim is not sent twice; when its reply was lost there is no zombie yet. */
  async #untilItLives(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#scene.zombie.live()
      } catch (error) {
        if (tries === 5) throw error
        await pass(200)
      }
    }
  }

  async #make(kind: string, times: number): Promise<void> {
    this.#scene.load[0]?.send({ make: kind, times })
  }
}

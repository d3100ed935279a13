/** Crashes of the whole Postgres at moments that matter: as a handler begins, and with nothing flushed that no commit waited for. */
import type { Scene } from './nemesis.js'
import type { Wire } from './wire.js'

/** Just after a claim, in microseconds. */
const JUST_AFTER = 50_000
const CLAIMED_WITHIN_MS = 4_000
/** As many transaction ids, given out again. */
const ROLLED_BACK = 60
const GIVEN_WITHIN_MS = 5_000
/** Of the eight slots of a worker. */
const BUSY_AT_MOST = 3
const ROOM_WITHIN_MS = 2_000
const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export class Crashes {
  readonly #scene: Scene
  /** Within 50 ms of a claim, and with the WAL writer frozen. */
  justAfterClaim = 0
  unflushed = 0
  /** Transaction ids that were given out a second time after a crash. */
  idsGivenAgain = 0

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
   * One worker alone, which is given a job; the crash comes as that job begins. Nobody else's commit flushes its claim, and nor does one of its own:
   * between the reply to a claim and the begin of a handler a worker that has room asks for nothing.
   */
  async withOne(forMs: number): Promise<void> {
    const { server, fleet, wires, reader } = this.#scene
    const one = fleet.anyWorking()
    const others = this.#wires().filter((wire) => wire !== wires[one])
    const token = `nemesis.one.${this.unflushed}.${Math.round(performance.now())}`
    let at = Number.POSITIVE_INFINITY
    try {
      await server.powerCut(true, async (pids) => {
        for (const wire of others) wire.hold()
        // A look at the feed flushes.
        reader.hold()
        await pass(forMs)
        await this.#untilRoom(fleet.nameOf(one))
        at = await fleet.cutAtBegin(pids, CLAIMED_WITHIN_MS, { token, give: () => this.#give(token) })
      })
      this.unflushed += 1
      this.#countIfJustAfter(at)
    } finally {
      for (const wire of others) wire.letGo('reset')
      reader.letGo()
    }
  }

  /** Until the worker runs so little that it begins at once what it claims; a worker that stays busy is taken as it is. */
  async #untilRoom(worker: string): Promise<void> {
    const until = performance.now() + ROOM_WITHIN_MS
    while (performance.now() < until) {
      const [row] = await this.#scene.server.rows<{ busy: number }>(
        `select count(*)::int as busy from holdfast.running r join holdfast.worker w on w.id = r.worker_id where w.name = $1`,
        [worker],
      )
      if ((row?.busy ?? 0) <= BUSY_AT_MOST) return
      await pass(20)
    }
  }

  /** Before everything else that waits. */
  async #give(token: string): Promise<void> {
    this.#scene.promised.write({ t: 'intent', token, kind: 'plain' })
    const client = await this.#scene.server.connect()
    await client.query("select holdfast.enqueue('plain', 'plain', $1::jsonb, '{\"priority\": 100}')", [
      { token, ms: 300 },
    ])
    await client.end().catch(() => {})
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

/**
 * The heartbeat itself, wherever it runs: a thread with a connection of its own as a rule, the main thread where there is only one
 * connection. Each beat renews the member's leases, learns what was canceled or taken away, says which jobs have begun, and who is
 * there. It decides nothing: what a silence means is for the worker to say, which sees it by the same memory.
 */
import type { Fence, Renewed, WorkPort } from '../domain/port.js'
import { Pulse, sharedNow } from './pulse.js'
import type { PresenceFacts } from './worker-options.js'

export interface Member {
  readonly id: number
  readonly facts: PresenceFacts
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly pulse: SharedArrayBuffer
  /** The worker's lease, and those of jobs that have one of their own. */
  lease: number | null
  own: number[]
}

/** What a beat learned; nothing is sent when there is nothing to say. */
export interface Told {
  readonly cancel: number[]
  readonly revoked: number[]
  /** Leases that are gone. */
  readonly lost: number[]
  /** Leases of jobs' own with the time left to them, in milliseconds after `at`. */
  readonly own: [lease: number, leftMs: number][]
  readonly at: number
  readonly drain: boolean
  readonly problem: string | null
}

/** A beat that hangs does not keep the next from trying, on another connection. */
const BEATS_IN_FLIGHT = 2
/** A renewal that takes a larger share of the lease is given up, so that one by a new connection still comes in time. */
const RENEWAL_SHARE = 3
const RENEWAL_MOST_MS = 10_000

interface Beating {
  readonly member: Member
  readonly pulse: Pulse
  /** The job last said to have begun, by place. */
  readonly said: Map<number, string>
  readonly timer: NodeJS.Timeout
  inFlight: Set<Promise<void>>
}

export class Heart {
  readonly #port: WorkPort
  readonly #tell: (id: number, told: Told) => void
  readonly #members = new Map<number, Beating>()

  constructor(port: WorkPort, tell: (id: number, told: Told) => void) {
    this.#port = port
    this.#tell = tell
  }

  join(member: Member): void {
    const timer = setInterval(() => this.#beat(member.id), member.heartbeatMs)
    this.#members.set(member.id, {
      member,
      pulse: new Pulse(member.pulse),
      said: new Map(),
      timer,
      inFlight: new Set(),
    })
    this.#beat(member.id)
  }

  update(id: number, lease: number | null, own: number[]): void {
    const beating = this.#members.get(id)
    if (beating === undefined) return
    beating.member.lease = lease
    beating.member.own = own
  }

  async leave(id: number): Promise<void> {
    const beating = this.#members.get(id)
    if (beating === undefined) return
    clearInterval(beating.timer)
    this.#members.delete(id)
    await Promise.all(beating.inFlight)
    await this.#port.leave(beating.member.facts.worker)
  }

  #beat(id: number): void {
    const beating = this.#members.get(id)
    if (beating === undefined || beating.inFlight.size >= BEATS_IN_FLIGHT) return
    const beat = this.#once(beating)
      .then((told) => {
        if (this.#members.has(id) && isNews(told)) this.#tell(id, told)
      })
      .finally(() => beating.inFlight.delete(beat))
    beating.inFlight.add(beat)
  }

  async #once(beating: Beating): Promise<Told> {
    const { member, pulse } = beating
    const at = sharedNow()
    const news = { cancel: [] as number[], revoked: [] as number[], lost: [] as number[] }
    const told = { ...news, own: [] as [number, number][], at, drain: false, problem: null as string | null }
    try {
      const { lease, own } = member
      const leases = lease === null ? own : [lease, ...own]
      if (leases.length > 0) {
        const renewed = await this.#port.renew(
          leases,
          Math.min(RENEWAL_MOST_MS, member.leaseMs / RENEWAL_SHARE),
        )
        const mine = renewed.find((one) => one.lease === lease)
        // Not if another has taken its place meanwhile, which this call has not renewed.
        if (mine?.alive === true && member.lease === lease) pulse.renewedAt = Math.max(pulse.renewedAt, at)
        for (const one of renewed) {
          told.cancel.push(...one.cancel)
          told.revoked.push(...one.revoked)
          if (!one.alive) told.lost.push(one.lease)
          else if (one !== mine) told.own.push([one.lease, leftMs(one, mine, member.leaseMs)])
        }
      }
      await this.#sayBegun(beating)
      told.drain = (await this.#port.beat(this.#presence(member, pulse))).drain
    } catch (error) {
      told.problem = error instanceof Error ? error.message : String(error)
    }
    return told
  }

  async #sayBegun({ pulse, said }: Beating): Promise<void> {
    const now = sharedNow()
    const words: [place: number, word: string][] = []
    const begun: (Fence & { startedAgoMs: number })[] = []
    for (const { place, jobId, attempt, lease, startedAt } of pulse.underway()) {
      const word = `${jobId} ${attempt}`
      if (said.get(place) === word) continue
      words.push([place, word])
      begun.push({ jobId, attempt, lease, startedAgoMs: now - startedAt })
    }
    if (begun.length > 0) await this.#port.start(begun)
    for (const [place, word] of words) said.set(place, word)
  }

  #presence({ facts }: Member, pulse: Pulse) {
    const { busy, slots, lagMs, draining } = pulse
    return { ...facts, busy, slots, lagMs, draining }
  }
}

/** Both ends are the database's; the worker's lease, renewed by the same call, tells what time it is there. */
function leftMs(one: Renewed, mine: Renewed | undefined, leaseMs: number): number {
  if (one.expiresAt === null || mine?.expiresAt == null) return Number.POSITIVE_INFINITY
  return one.expiresAt.getTime() - (mine.expiresAt.getTime() - leaseMs)
}

function isNews({ cancel, revoked, lost, own, drain, problem }: Told): boolean {
  return drain || problem !== null || cancel.length + revoked.length + lost.length + own.length > 0
}

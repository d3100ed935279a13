/**
 * The heartbeat itself, wherever it runs: a thread with a connection of its own as a rule, the main thread where there is only one
 * connection. Each beat renews the member's leases and passes on at once what the answer says: attempts that were canceled or revoked,
 * leases that have ended. Then it sends what is only information: which jobs have begun, and who is there. No renewal waits for that. It
 * decides nothing: what a silence means is for the worker to say, which sees it by the same memory.
 */
import { attemptName, type Fence, type JobAttempt, type Renewed, type WorkPort } from '../domain/port.js'
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
  readonly cancel: readonly JobAttempt[]
  readonly revoked: readonly JobAttempt[]
  /** Leases that have ended. */
  readonly lost: readonly number[]
  /** Leases of jobs' own with the time left to them, in milliseconds after `at`. */
  readonly own: readonly (readonly [lease: number, leftMs: number])[]
  readonly at: number
  readonly drain: boolean
  readonly problem: string | null
}

const NO_NEWS = { cancel: [], revoked: [], lost: [], own: [], drain: false, problem: null }

/** A renewal that hangs does not keep the next from trying, on another connection. */
const RENEWALS_IN_FLIGHT = 2
/** A renewal that takes a larger share of the lease is given up, so that one by a new connection still comes in time. */
const RENEWAL_SHARE = 3
const RENEWAL_MOST_MS = 10_000

interface Beating {
  readonly member: Member
  readonly pulse: Pulse
  /** The attempt last noted as begun, by place. */
  readonly noted: Map<number, string>
  /** Revoked attempts that have been passed on, until a renewal that acknowledges them is answered. */
  readonly seen: Map<string, JobAttempt>
  readonly timer: NodeJS.Timeout
  readonly renewals: Set<Promise<void>>
  /** One at a time: however long it takes, it holds one connection. */
  informing: Promise<void> | null
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
      noted: new Map(),
      seen: new Map(),
      timer,
      renewals: new Set(),
      informing: null,
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
    await Promise.all([...beating.renewals, beating.informing])
    await this.#port.leave(beating.member.facts.worker)
  }

  #beat(id: number): void {
    const beating = this.#members.get(id)
    if (beating === undefined || beating.renewals.size >= RENEWALS_IN_FLIGHT) return
    const renewal = this.#renew(beating).then((told) => {
      beating.renewals.delete(renewal)
      this.#pass(id, told)
      if (told.problem === null && this.#members.has(id)) this.#inform(beating)
    })
    beating.renewals.add(renewal)
  }

  async #renew({ member, pulse, seen }: Beating): Promise<Told> {
    const at = sharedNow()
    const { lease, own, leaseMs } = member
    const leases = lease === null ? own : [lease, ...own]
    if (leases.length === 0) return { ...NO_NEWS, at }
    const acknowledged = [...seen]
    const asked = {
      seen: acknowledged.map(([, attempt]) => attempt),
      deadlineMs: Math.min(RENEWAL_MOST_MS, Math.floor(leaseMs / RENEWAL_SHARE)),
    }
    try {
      const renewed = await this.#port.renew(leases, asked)
      const mine = renewed.find((one) => one.lease === lease)
      // Not if another lease has taken its place meanwhile, which this call has not renewed.
      if (mine?.alive === true && member.lease === lease) pulse.renewedAt = Math.max(pulse.renewedAt, at)
      for (const [name] of acknowledged) seen.delete(name)
      const alive = renewed.filter((one) => one.alive && one !== mine)
      const told = {
        cancel: renewed.flatMap(({ cancel }) => cancel),
        revoked: renewed.flatMap(({ revoked }) => revoked),
        lost: renewed.filter((one) => !one.alive).map((one) => one.lease),
        own: alive.map((one) => [one.lease, leftMs(one, mine, leaseMs)] as const),
      }
      for (const attempt of told.revoked) seen.set(attemptName(attempt), attempt)
      return { ...NO_NEWS, ...told, at }
    } catch (error) {
      return { ...NO_NEWS, at, problem: messageOf(error) }
    }
  }

  #pass(id: number, told: Told): void {
    if (this.#members.has(id) && isNews(told)) this.#tell(id, told)
  }

  #inform(beating: Beating): void {
    if (beating.informing !== null) return
    const { id } = beating.member
    const at = sharedNow()
    beating.informing = this.#sendInformation(beating)
      .then(
        (drain) => this.#pass(id, { ...NO_NEWS, at, drain }),
        (error) => this.#pass(id, { ...NO_NEWS, at, problem: messageOf(error) }),
      )
      .finally(() => {
        beating.informing = null
      })
  }

  async #sendInformation(beating: Beating): Promise<boolean> {
    await this.#noteBegun(beating)
    const { member, pulse } = beating
    const { busy, slots, lagMs, draining } = pulse
    return (await this.#port.beat({ ...member.facts, busy, slots, lagMs, draining })).drain
  }

  /** What is not answered is locked just now, or not held any more: it is sent again for as long as it runs. */
  async #noteBegun({ pulse, noted }: Beating): Promise<void> {
    const now = sharedNow()
    const begun: (Fence & { place: number; startedAgoMs: number })[] = []
    for (const { startedAt, ...one } of pulse.underway()) {
      if (noted.get(one.place) !== attemptName(one)) begun.push({ ...one, startedAgoMs: now - startedAt })
    }
    if (begun.length === 0) return
    const fences = begun.map(({ place: _place, ...fence }) => fence)
    const answered = new Set((await this.#port.start(fences)).map(attemptName))
    for (const one of begun) if (answered.has(attemptName(one))) noted.set(one.place, attemptName(one))
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Both ends are the database's; the worker's lease, renewed by the same call, tells what time it is there. */
function leftMs(one: Renewed, mine: Renewed | undefined, leaseMs: number): number {
  if (one.expiresAt === null || mine?.expiresAt == null) return Number.POSITIVE_INFINITY
  return one.expiresAt.getTime() - (mine.expiresAt.getTime() - leaseMs)
}

function isNews({ cancel, revoked, lost, own, drain, problem }: Told): boolean {
  return drain || problem !== null || cancel.length + revoked.length + lost.length + own.length > 0
}

/**
 * A worker: claims jobs under one lease, runs them in slots, and writes how they ended.
 *
 *   flow: claimer → buffer → executor (slots) → finisher
 *   guard: the lease, renewed by heartbeats from a thread of its own; lost and taken anew, or retired when a connection broke
 *
 * What may never happen: that something is written for a job whose lease is lost (the fence in the database sees to it; here handlers
 * are told, so that they stop), that an ending is forgotten, and that a job is held by a worker that does not know of it.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { isSystemKind } from '../domain/system-kinds.js'
import { Drain } from './drain.js'
import { Flow } from './flow.js'
import { Guard } from './guard.js'
import { type HeartbeatHost, inlineHeartbeat, ThreadHeartbeat } from './heartbeat.js'
import { Pulse, TICK_MS } from './pulse.js'
import type { Run } from './run.js'
import { Upkeeping } from './upkeeping.js'
import type { Drained, SetOptions, Worker, WorkerOptions, WorkerStats } from './worker-options.js'

const DEFAULTS = {
  concurrency: 10,
  tenant: 'default',
  version: '0',
  leaseMs: 30_000,
  pollMs: 250,
  longestPollMs: 5_000,
  graceMs: 300_000,
  abortMs: 5_000,
  doubtMs: 20_000,
  extras: {},
}

/** To give a lease back when the start failed over something else. */
const START_FAILED_MS = 2_000
/** Jobs whose beginning can be told while they run. */
const PLACES = 4_096
/** Claims that failed so may have been made on a connection that broke, or would be made on another one than the lease was opened on. */
const NEEDS_NEW_LEASE = new Set(['lease_stale', 'unavailable', 'deadline_exceeded', 'server_unreachable'])
/** How soon `idle` looks again when something may still come of what others hold. */
const IDLE_LOOK_MS = 5

export function createWorker(options: WorkerOptions): Worker {
  return new JobWorker(options)
}

class JobWorker implements Worker {
  readonly name: string
  readonly gone: Promise<Drained>
  #hasGone: (drained: Drained) => void = () => {}
  readonly #options: SetOptions
  readonly #pulse = new Pulse(PLACES)
  readonly #flow: Flow
  readonly #guard: Guard
  readonly #upkeeping: Upkeeping
  readonly #drain: Drain
  #state: WorkerStats['state'] = 'new'
  #starting: Promise<void> | null = null
  #ownHost: HeartbeatHost | undefined
  #ticking: NodeJS.Timeout | undefined

  constructor(given: WorkerOptions) {
    const options: SetOptions = { ...DEFAULTS, ...given }
    this.#options = options
    this.gone = new Promise((resolve) => {
      this.#hasGone = resolve
    })
    this.name = options.name ?? `${plain(hostname())}:${process.pid}:${randomBytes(3).toString('hex')}`
    this.#flow = new Flow({
      options,
      worker: this.name,
      pulse: this.#pulse,
      lease: () => this.#guard.claimable,
      leases: () => this.#guard.leases,
      ownUntil: (expiresAt) => this.#guard.ownUntil(expiresAt),
      mayBegin: (job) => this.#guard.mayBegin(job),
      claimFailed: (error, lease) => this.#claimFailed(error, lease),
    })
    this.#guard = this.#makeGuard()
    this.#upkeeping = new Upkeeping({
      ...options,
      log: options.log,
      kinds: [...options.jobs.keys()],
      leases: () => this.#guard.leases,
      held: () => this.#flow.held(),
      unparked: () => this.#flow.claimer.wake(),
    })
    this.#drain = this.#makeDrain()
  }

  start(): Promise<void> {
    if (this.#state !== 'new') return Promise.reject(new Error('a worker starts once'))
    this.#state = 'working'
    this.#starting = this.#start()
    return this.#starting
  }

  drain(reason = 'shutdown', { graceMs = this.#options.graceMs } = {}): Promise<Drained> {
    this.#options.log?.info({ worker: this.name, reason }, 'the worker drains')
    return this.#goAway(graceMs)
  }

  stop(): Promise<Drained> {
    return this.#goAway(0)
  }

  async idle(): Promise<void> {
    const { finisher, claimer } = this.#flow
    const isStill = () => this.#flow.isQuiet && finisher.backlog === 0 && claimer.inFlight === 0
    while (this.#state === 'working') {
      await this.#flow.quiet()
      await finisher.empty()
      const { claimed } = claimer
      const found = await claimer.look()
      // A look that found nothing may have passed over what others have in hand just now.
      const none = found === 0 && isStill() && !(await this.#hasWork())
      if (none && isStill() && claimer.claimed === claimed) return
      if (found === 0) await new Promise((resolve) => setTimeout(resolve, IDLE_LOOK_MS))
    }
  }

  /** Also true when that cannot be known. */
  async #hasWork(): Promise<boolean> {
    const { port, queues, tenant } = this.#options
    const { lease } = this.#guard
    if (lease === null) return true
    return (
      port.hasWork?.({ worker: this.name, lease, queues, tenant }).catch((error: Error) => {
        this.#options.log?.warn({ error: error.message }, 'whether there is work is not known')
        return true
      }) ?? false
    )
  }

  setConcurrency(slots: number): void {
    this.#flow.slots = slots
  }

  stats(): WorkerStats {
    const { executor, finisher, claimer, buffer, load, outcomes, refused, slots } = this.#flow
    return {
      state: this.#state,
      lease: this.#guard.lease,
      slots,
      busy: executor.busy,
      buffered: buffer.size,
      unwritten: finisher.backlog,
      claimed: claimer.claimed,
      outcomes: { ...outcomes },
      refused,
      leasesLost: this.#guard.leasesLost,
      leaked: executor.leaked,
      meanRunMs: load.meanRunMs,
      claims: claimer.claims,
      lagMs: this.#pulse.lagMs,
      running: countByKind(executor.runs),
    }
  }

  async #start(): Promise<void> {
    const {
      port,
      heartbeat = 'inline',
      log,
      leaseMs,
      heartbeatMs,
      queues,
      jobs,
      version,
      tenant,
    } = this.#options
    const host =
      heartbeat === 'inline'
        ? inlineHeartbeat(port)
        : 'module' in heartbeat
          ? new ThreadHeartbeat(heartbeat, log)
          : heartbeat
    if (host !== heartbeat) this.#ownHost = host
    try {
      await host.ready()
      await this.#guard.open()
      await this.#upkeeping.unparkAll()
    } catch (error) {
      await this.#guard.close(START_FAILED_MS)
      await this.#ownHost?.close()
      throw error
    }
    const kinds = [...jobs.keys()].filter((kind) => !isSystemKind(kind)).sort()
    this.#guard.join(host, {
      facts: { worker: this.name, host: hostname(), pid: process.pid, version, kinds, queues, tenant },
      leaseMs,
      heartbeatMs: heartbeatMs ?? Math.floor(leaseMs / 3),
      pulse: this.#pulse.buffer,
    })
    // The first handler may keep this thread from ever ticking.
    this.#pulse.tick()
    this.#ticking = setInterval(() => {
      this.#guard.tick()
      this.#upkeeping.look()
      this.#flow.pump()
    }, TICK_MS)
    this.#flow.claimer.start(queues)
  }

  async #goAway(graceMs: number): Promise<Drained> {
    const drained = await this.#end(graceMs)
    this.#hasGone(drained)
    return drained
  }

  async #end(graceMs: number): Promise<Drained> {
    if (this.#state === 'new') this.#state = 'stopped'
    // One that is just starting is drained when it has; what failed to start holds nothing.
    const started = await this.#starting?.then(
      () => true,
      () => false,
    )
    if (started !== true) {
      this.#state = 'stopped'
      return { clean: true, released: 0, unwritten: 0 }
    }
    if (this.#state === 'working') this.#state = 'draining'
    this.#pulse.draining = true
    return this.#drain.begin(graceMs)
  }

  #claimFailed(error: unknown, lease: number): void {
    this.#options.log?.warn({ error: (error as Error).message }, 'a claim failed')
    const { code = '' } = error as { code?: string }
    if (code === 'lease_gone') this.#guard.lose(lease, 'swept')
    else if (code !== 'lease_stale') this.#upkeeping.doubt()
    if (NEEDS_NEW_LEASE.has(code)) this.#guard.retire(lease)
  }

  #makeGuard(): Guard {
    const { port, log, leaseMs, onDrainAsked } = this.#options
    const flow = this.#flow
    return new Guard({
      port,
      log,
      leaseMs,
      worker: this.name,
      pulse: this.#pulse,
      flow,
      drainAsked: () => {
        if (this.#drain.begun) return
        if (onDrainAsked !== undefined) onDrainAsked()
        else void this.drain('asked to')
      },
    })
  }

  #makeDrain(): Drain {
    const flow = this.#flow
    return new Drain(
      {
        stopClaiming: () => flow.claimer.stop(),
        quiet: () => flow.quiet(),
        abort: () => flow.abort(),
        release: () => flow.release(),
        written: () => flow.finisher.empty(),
        close: (ms) => this.#close(ms),
      },
      this.#options.abortMs,
    )
  }

  async #close(ms: number): Promise<Omit<Drained, 'clean'>> {
    const { finisher, executor, isolates, outcomes } = this.#flow
    const unwritten = finisher.backlog
    finisher.stop()
    executor.stop()
    clearInterval(this.#ticking)
    const left = await this.#guard.close(ms)
    isolates.close()
    await this.#ownHost?.close()
    this.#state = 'stopped'
    return { released: (outcomes.released ?? 0) + left, unwritten }
  }
}

function countByKind(runs: Iterable<Run>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { job } of runs) counts[job.kind] = (counts[job.kind] ?? 0) + 1
  return counts
}

/** Names are made of few characters, and hosts of any. */
function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 60)
}

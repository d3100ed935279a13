/**
 * A worker: claims jobs under one lease, runs them in slots, and writes their outcomes.
 *
 *   flow: claimer → buffer → executor (slots) → finisher
 *   guard: the lease, renewed by the heartbeat thread; reopened after a loss, retired after a broken connection
 *
 * Three things must never happen: a write for a job whose lease is lost (the fence in the database refuses it; here the handlers are
 * aborted), a forgotten outcome, and a job held by a worker that does not know of it.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { isSystemKind } from '../domain/system-kinds.js'
import { Drain } from './drain.js'
import { Flow } from './flow.js'
import { Guard } from './guard.js'
import { type HeartbeatHost, inlineHeartbeat, ThreadHeartbeat } from './heartbeat/heartbeat-host.js'
import { SharedVitals, TICK_MS } from './heartbeat/shared-vitals.js'
import { LogTail } from './log-tail.js'
import { LostClaimRecovery } from './lost-claim-recovery.js'
import type { Run } from './run.js'
import type { Drained, ResolvedWorkerOptions, Worker, WorkerOptions, WorkerStats } from './worker-options.js'

const DEFAULTS = {
  concurrency: 10,
  tenant: 'default',
  version: '0',
  leaseMs: 30_000,
  pollMs: 250,
  longestPollMs: 5_000,
  graceMs: 300_000,
  abortMs: 5_000,
  lostClaimMs: 20_000,
  extras: {},
}

/** How long closing the lease may take after a failed start. */
const START_FAILED_MS = 2_000
/** How many running jobs the heartbeat thread can see. */
const VITALS_ROWS = 4_096
/** After these errors of a claim the connection may have broken, and the lease may predate the server that answers the next claim. */
const NEEDS_NEW_LEASE = new Set(['lease_stale', 'unavailable', 'deadline_exceeded', 'server_unreachable'])
/** How soon `idle` claims again while jobs that others hold may still become claimable. */
const IDLE_POLL_MS = 5

export function createWorker(options: WorkerOptions): Worker {
  return new JobWorker(options)
}

class JobWorker implements Worker {
  readonly name: string
  readonly stopped: Promise<Drained>
  #hasGone: (drained: Drained) => void = () => {}
  readonly #options: ResolvedWorkerOptions
  readonly #vitals = new SharedVitals(VITALS_ROWS)
  readonly #flow: Flow
  readonly #guard: Guard
  readonly #recovery: LostClaimRecovery
  readonly #logTail: LogTail
  readonly #drain: Drain
  #state: WorkerStats['state'] = 'new'
  #starting: Promise<void> | null = null
  #ownHost: HeartbeatHost | undefined
  #ticking: NodeJS.Timeout | undefined

  constructor(given: WorkerOptions) {
    const options: ResolvedWorkerOptions = { ...DEFAULTS, ...given }
    this.#options = options
    this.stopped = new Promise((resolve) => {
      this.#hasGone = resolve
    })
    this.name = options.name ?? `${plain(hostname())}:${process.pid}:${randomBytes(3).toString('hex')}`
    this.#flow = new Flow({
      options,
      worker: this.name,
      vitals: this.#vitals,
      lease: () => this.#guard.claimable,
      leases: () => this.#guard.leases,
      onSharedClock: (at) => this.#guard.onSharedClock(at),
      fenceAt: (expiresAt) => this.#guard.fenceAt(expiresAt),
      mayBegin: (job) => this.#guard.mayBegin(job),
      claimFailed: (error, lease) => this.#claimFailed(error, lease),
    })
    this.#guard = this.#makeGuard()
    this.#recovery = new LostClaimRecovery({
      ...options,
      log: options.log,
      kinds: [...options.jobs.keys()],
      leases: () => this.#guard.leases,
      held: () => this.#flow.held(),
      unparked: () => this.#flow.claimer.wake(),
    })
    this.#logTail = new LogTail({
      port: options.port,
      log: options.log,
      runs: () => this.#flow.executor.runs,
    })
    this.#drain = this.#makeDrain()
  }

  start(): Promise<void> {
    if (this.#state !== 'new') return Promise.reject(new Error('The worker was started already.'))
    this.#state = 'working'
    this.#starting = this.#start()
    return this.#starting
  }

  drain(reason = 'shutdown', { graceMs = this.#options.graceMs } = {}): Promise<Drained> {
    this.#options.log?.info(
      { event: 'worker_drain_started', worker: this.name, reason },
      'worker drain started',
    )
    return this.#goAway(graceMs)
  }

  stop(): Promise<Drained> {
    return this.#goAway(0)
  }

  async idle(): Promise<void> {
    const { finisher, claimer } = this.#flow
    const isIdle = () => this.#flow.isIdle && finisher.backlog === 0 && claimer.inFlight === 0
    while (this.#state === 'working') {
      await this.#flow.whenIdle()
      await finisher.whenEmpty()
      const { claimed } = claimer
      const found = await claimer.claimNow()
      // An empty claim may have skipped rows that others have locked.
      const none = found === 0 && isIdle() && !(await this.#hasWork())
      if (none && isIdle() && claimer.claimed === claimed) return
      if (found === 0) await new Promise((resolve) => setTimeout(resolve, IDLE_POLL_MS))
    }
  }

  /** True also when the check fails. */
  async #hasWork(): Promise<boolean> {
    const { port, queues, tenant } = this.#options
    const { lease } = this.#guard
    if (lease === null) return true
    return (
      port.hasWork?.({ worker: this.name, lease, queues, tenant }).catch((error: Error) => {
        this.#options.log?.warn(
          { event: 'work_check_failed', error: error.message },
          'could not check whether the queues have work',
        )
        return true
      }) ?? false
    )
  }

  setConcurrency(slots: number): void {
    this.#flow.slots = slots
  }

  stats(): WorkerStats {
    const { executor, finisher, claimer, buffer, throughput, outcomes, refused, slots } = this.#flow
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
      meanRunMs: throughput.meanRunMs,
      claims: claimer.claims,
      lagMs: this.#vitals.lagMs,
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
      appVersion,
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
      await this.#recovery.unparkAll()
    } catch (error) {
      await this.#guard.close(START_FAILED_MS)
      await this.#ownHost?.close()
      throw error
    }
    const kinds = [...jobs.keys()].filter((kind) => !isSystemKind(kind)).sort()
    this.#guard.join(host, {
      facts: {
        worker: this.name,
        host: hostname(),
        pid: process.pid,
        version,
        ...(appVersion === undefined ? {} : { appVersion }),
        kinds,
        queues,
        tenant,
      },
      leaseMs,
      heartbeatMs: heartbeatMs ?? Math.floor(leaseMs / 3),
      vitals: this.#vitals.buffer,
    })
    // Before the timer: the first handler may block this thread.
    this.#vitals.recordTick()
    this.#ticking = setInterval(() => {
      this.#guard.tick()
      this.#recovery.runIfDue()
      this.#logTail.runIfDue()
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
    // A start in progress is awaited and then drained. After a failed start there is nothing to drain.
    const started = await this.#starting?.then(
      () => true,
      () => false,
    )
    if (started !== true) {
      this.#state = 'stopped'
      return { clean: true, released: 0, unwritten: 0 }
    }
    if (this.#state === 'working') this.#state = 'draining'
    this.#vitals.draining = true
    return this.#drain.begin(graceMs)
  }

  #claimFailed(error: unknown, lease: number): void {
    this.#options.log?.warn({ event: 'claim_failed', error: (error as Error).message }, 'claim failed')
    const { code = '' } = error as { code?: string }
    if (code === 'lease_gone') this.#guard.lose(lease, 'swept')
    else if (code !== 'lease_stale') this.#recovery.claimLost()
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
      vitals: this.#vitals,
      flow,
      onDrainRequest: () => {
        if (this.#drain.begun) return
        if (onDrainAsked !== undefined) onDrainAsked()
        else void this.drain('requested')
      },
    })
  }

  #makeDrain(): Drain {
    const flow = this.#flow
    return new Drain(
      {
        stopClaiming: () => flow.claimer.stop(),
        whenIdle: () => flow.whenIdle(),
        abort: () => flow.abort(),
        release: () => flow.release(),
        whenWritten: () => flow.finisher.whenEmpty(),
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

/** Host names may contain characters that worker names may not. */
function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 60)
}

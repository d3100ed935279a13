/**
 * Starts the workers of an app: one for all its queues, or one for each group, in this process or in several. Claims, outcomes and
 * heartbeats use their own connections, so that handlers that use up the app's connections lose no lease.
 */
import { PACKAGE_VERSION } from '../database/package.js'
import { invalidInput } from '../domain/errors/errors.js'
import type { DeclaredKind } from '../domain/kinds.js'
import type { Log } from '../domain/log.js'
import type { ScaleDecision } from '../domain/port.js'
import { given } from '../json/given.js'
import type { Trigger, Triggering } from '../store/triggers/trigger.js'
import type { ProcessSpans, Traces } from '../telemetry/traces.js'
import type { WorkerMetrics } from '../telemetry/worker-metrics.js'
import type { ContextExtras, HandlerTable } from '../worker/handlers.js'
import { createManager, type Manager } from '../worker/manager.js'
import { settlesWithin } from '../worker/settles-within.js'
import { createWorker } from '../worker/worker.js'
import type { Drained, EndedAttempt, Worker, WorkerStats } from '../worker/worker-options.js'
import { attemptLog } from './attempt-log.js'
import { checkWorkOptions } from './check-options.js'
import { declareKinds } from './declare-kinds.js'
import type { Engine } from './engine.js'
import { allDrained, allIdle } from './several-workers.js'
import { attachTrigger, triggeredPort } from './triggered-port.js'
import type { UpkeepLoop } from './upkeep-loop.js'

export interface WorkGroup {
  readonly name?: string
  readonly tenant?: string
  /** The queues of all jobs of the app if not given. */
  readonly queues?: readonly string[]
  /** The smallest number of slots. */
  readonly defaultCount: number
  /** The largest number of slots. */
  readonly maxCount: number
}

export interface WorkOptions {
  /** The queues of all jobs of the app if not given. */
  readonly queues?: readonly string[]
  /** Jobs at the same time, 10 if not given. */
  readonly concurrency?: number
  /** Instead of `queues` and `concurrency`: groups that scale with the queue depth. */
  readonly groups?: readonly WorkGroup[]
  /** How often groups are scaled. */
  readonly scaleIntervalMs?: number
  /** Scale groups so that a job waits no longer than this, instead of one slot for each waiting job. */
  readonly maxWaitMs?: number
  /** Run this program in so many processes, to use several cores. */
  readonly processes?: number
  /** The worker's name in the attempts log. */
  readonly name?: string
  /**
   * The version of your program: kinds are counted by it ("fails since 1.4.2"). If not given: the variable HOLDFAST_APP_VERSION, or the
   * version in package.json where npm started the program.
   */
  readonly version?: string
  /**
   * How often an idle worker looks for jobs. If not given: every 250 ms and, while notifications work, ever less often up to the setting
   * PROCESSING_POLL_MS.
   */
  readonly pollMs?: number
  /** How long its lease lasts at most; a queue that wants a shorter one gets it. */
  readonly leaseMs?: number
  /** How long `stop` waits for running jobs; the setting SHUTDOWN_GRACE_PERIOD_SECONDS if not given. */
  readonly graceMs?: number
  /** Where this process counts and measures: `workerMetrics()` of holdfast/metrics. */
  readonly metrics?: WorkerMetrics
  /** Whether an attempt has a trace of its own that links to the job's (`link`, if not given), or continues the job's (`child`). */
  readonly processSpans?: ProcessSpans
  /** Each ended attempt. Must not throw. */
  readonly onEnded?: (ended: EndedAttempt) => void
  readonly onScale?: (decision: ScaleDecision) => void
  /** Claim the jobs that this trigger announces instead of polling; `connectSqs` of holdfast/sqs makes one. */
  readonly trigger?: Trigger
}

/** Running workers. */
export interface WorkHandle {
  /** Takes no more jobs, waits `graceMs` for those that run, then aborts and gives them back. A second call gives them back at once. */
  drain(options?: DrainOptions): Promise<Drained>
  /** Resolves when all workers have stopped: after `drain`, or because an operator drained each of them through the database. */
  readonly stopped: Promise<Drained>
  /** Resolves when nothing runs and there is nothing to claim. */
  idle(): Promise<void>
  /** One entry for each worker: one for each group and process. */
  stats(): Promise<WorkerStats[]>
  setConcurrency(slots: number): void
}

export interface DrainOptions {
  readonly reason?: string
  readonly graceMs?: number
}

export interface WorkerDeps {
  readonly tenant: string | undefined
  /** What the workers of one call work on, with connections of their own. */
  engine(): Promise<Engine>
  readonly handlers: HandlerTable
  /** Of all jobs of the app. */
  readonly queues: readonly string[]
  /** What they declare. */
  readonly kinds: readonly DeclaredKind[]
  readonly log: Log | undefined
  readonly traces: Traces | undefined
  extras(tenant: string | undefined): ContextExtras
  ended(): void
}

const CONCURRENCY = 10
/** A group that is just being sized when we stop is waited for no longer. */
const SIZING_MS = 1_000

export async function startWork(deps: WorkerDeps, options: WorkOptions): Promise<WorkHandle> {
  checkWorkOptions(options)
  const groups = checkGroups(deps, options)
  const engine = await deps.engine()
  const unwatch = options.metrics === undefined ? () => {} : engine.watch(options.metrics)
  if (options.trigger !== undefined) options.metrics?.joinTrigger(options.trigger)
  const workers: Worker[] = []
  const triggerings: Triggering[] = []
  try {
    for (const tenant of new Set(groups.map((group) => group.tenant)))
      await declareKinds(engine.declareKinds, deps.kinds, tenant)
    for (const group of groups) workers.push(await workerOf(deps, engine, group, options, triggerings))
    await Promise.all(workers.map((worker) => worker.start()))
  } catch (error) {
    await Promise.all(workers.map((worker) => worker.stop().catch(() => {})))
    await endAll(triggerings)
    unwatch()
    await engine.close()
    throw error
  }
  const manager =
    options.groups === undefined ? undefined : managerOf(engine, groups, workers, options, deps.log)
  manager?.start()
  return working(workers, engine.startUpkeep(), manager, triggerings, async () => {
    unwatch()
    await engine.close()
  })
}

async function endAll(triggerings: readonly Triggering[]): Promise<void> {
  await Promise.all(triggerings.map((each) => each.stop()))
  await Promise.all(triggerings.map((each) => each.close()))
}

interface Group {
  readonly name: string | undefined
  readonly tenant: string | undefined
  readonly queues: readonly string[]
  readonly min: number
  readonly max: number
}

function checkGroups(deps: WorkerDeps, options: WorkOptions): Group[] {
  const { concurrency = CONCURRENCY } = options
  const given = options.groups ?? [{ defaultCount: concurrency, maxCount: concurrency }]
  return given.map(
    ({ name, tenant = deps.tenant, queues = options.queues ?? deps.queues, ...size }, index) => {
      const at = options.groups === undefined ? '' : `/groups/${index}`
      if (queues.length === 0)
        throw invalidInput(`${at}/queues`, 'there is no queue to work on; define jobs, or name queues')
      const { defaultCount: min, maxCount: max } = size
      if (!Number.isInteger(min) || !Number.isInteger(max) || min < 0 || max < 1 || min > max) {
        const path = options.groups === undefined ? '/concurrency' : `${at}/maxCount`
        throw invalidInput(path, 'must be a whole number of at least 1, and not less than defaultCount')
      }
      return { name, tenant, queues, min, max }
    },
  )
}

async function workerOf(
  deps: WorkerDeps,
  engine: Engine,
  group: Group,
  options: WorkOptions,
  triggerings: Triggering[],
): Promise<Worker> {
  const { name, tenant, queues, max } = group
  const { name: workerName = undefined, pollMs } = options
  const called = [workerName, name].filter((part) => part !== undefined).join('.')
  const { graceMs, ...lease } = await engine.terms(queues, tenant, options.leaseMs)
  const logged = attemptLog(deps.log)
  const triggering = await attachTrigger(options.trigger, engine, {
    tenant,
    queues,
    slots: max,
    leaseMs: lease.leaseMs,
    log: deps.log,
  })
  if (triggering !== undefined) triggerings.push(triggering)
  const wakeups = triggering?.wakeups ?? engine.wakeups(tenant)
  const worker: Worker = createWorker({
    port: triggeredPort(engine.port(), triggering),
    jobs: deps.handlers,
    version: PACKAGE_VERSION,
    ...given({ appVersion: appVersionOf(options) }),
    queues,
    concurrency: max,
    heartbeat: engine.beats ?? 'inline',
    graceMs: options.graceMs ?? graceMs,
    extras: deps.extras(tenant),
    ...lease,
    ...(called === '' ? {} : { name: called }),
    ...given({ wakeups, tenant, pollMs, log: deps.log }),
    ...(pollMs === undefined ? {} : { longestPollMs: pollMs }),
    ...(options.metrics === undefined ? {} : { onMeasured: (one) => options.metrics?.measured(one) }),
    ...(deps.traces === undefined ? {} : { tracer: deps.traces.attempts(options.processSpans) }),
    onEnded: (ended) => {
      deps.ended()
      counted?.ended(ended)
      logged?.(ended)
      triggering?.ended(ended)
      options.onEnded?.(ended)
    },
  })
  const counted = options.metrics?.join({
    tenant: tenant ?? 'default',
    kinds: [...deps.handlers.keys()],
    stats: () => worker.stats(),
    depths: (max) => engine.depths(queues, tenant, max),
  })
  void worker.stopped.then(() => counted?.leave())
  return worker
}

/** Enough to distinguish versions; longer ones are cut. */
const APP_VERSION_CHARS = 100

function appVersionOf({ version }: WorkOptions): string | undefined {
  const { HOLDFAST_APP_VERSION: set, npm_package_version: npm } = process.env
  return (version ?? set ?? npm)?.slice(0, APP_VERSION_CHARS) || undefined
}

function managerOf(
  engine: Engine,
  groups: readonly Group[],
  workers: readonly Worker[],
  { scaleIntervalMs, maxWaitMs, onScale }: WorkOptions,
  log: Log | undefined,
): Manager {
  return createManager({
    port: engine.port(),
    groups: groups.map(({ name, tenant = 'default', queues, min, max }, index) => ({
      name: name ?? `${tenant}-${index + 1}`,
      tenant,
      queues,
      defaultCount: min,
      maxCount: max,
      worker: workers[index] as Worker,
    })),
    ...given({ scaleIntervalMs, maxWaitMs, onDecision: onScale, log }),
  })
}

function working(
  workers: readonly Worker[],
  upkeep: UpkeepLoop | undefined,
  manager: Manager | undefined,
  triggerings: readonly Triggering[],
  end: () => Promise<void>,
): WorkHandle {
  let ending: Promise<unknown> | undefined
  const stopOthers = () => {
    ending ??= Promise.all([manager && settlesWithin(SIZING_MS, manager.stop()), upkeep?.stop()])
    return ending
  }
  // Also when they were sent home through the database, one by one.
  const stopped = Promise.all(workers.map((worker) => worker.stopped)).then(async (drained) => {
    await stopOthers()
    await endAll(triggerings)
    await end()
    return allDrained(drained)
  })
  return {
    async drain({ reason, graceMs } = {}) {
      // Beside the rest: while the database is away each of these takes its time.
      void stopOthers()
      await Promise.all(triggerings.map((each) => each.stop()))
      await Promise.all(workers.map((worker) => worker.drain(reason, given({ graceMs }))))
      return stopped
    },
    stopped,
    idle: () =>
      allIdle(
        () => Promise.all(workers.map((worker) => worker.idle())),
        async () => workers.map((worker) => worker.stats()),
      ),
    stats: async () => workers.map((worker) => worker.stats()),
    setConcurrency: (slots) => {
      for (const worker of workers) worker.setConcurrency(slots)
    },
  }
}

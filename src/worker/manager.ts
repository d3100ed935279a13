/**
 * Scales worker groups by queue depth. A group is a worker of one tenant and its queues, and its size is the worker's number of slots.
 * Shrinking never ends a running job: a removed slot takes no next job.
 *
 * Every `scaleIntervalMs` the size is set to the number of due, unclaimed jobs, between `defaultCount` and `maxCount`. With
 * `maxWaitMs` it is set to the number of slots that starts all of them within that time, given how long handlers took recently; it grows
 * at once and shrinks only after three smaller readings in a row, because a slot too many costs less than one too few.
 *
 * Every change is recorded in the database afterwards; a failed write does not undo it.
 */
import type { Log } from '../domain/log.js'
import type { PresencePort, ScaleDecision } from '../domain/port.js'
import type { Worker } from './worker-options.js'

export interface ManagedGroup {
  readonly name: string
  readonly tenant: string
  readonly queues: readonly string[]
  readonly defaultCount: number
  readonly maxCount: number
  readonly worker: Pick<Worker, 'name' | 'setConcurrency' | 'stats'>
}

export interface ManagerOptions {
  readonly port: Pick<PresencePort, 'depth' | 'recordScale'>
  readonly groups: readonly ManagedGroup[]
  readonly scaleIntervalMs?: number
  readonly maxWaitMs?: number
  readonly onDecision?: (decision: ScaleDecision) => void
  readonly log?: Log
}

export interface Manager {
  /** Gives each group its default size and starts the interval. */
  start(): void
  /** Reads the depth of every group once and scales it. */
  scaleNow(): Promise<void>
  stop(): Promise<void>
}

const SHRINK_AFTER = 3
/** The count stops here, so that it stays cheap. */
const DEPTH_MAX = 10_000

interface GroupState {
  readonly group: ManagedGroup
  size: number
  /** The sizes that the last readings asked for, all smaller than the present one. */
  smaller: number[]
}

export function createManager(options: ManagerOptions): Manager {
  const { scaleIntervalMs = 1000 } = options
  const groups = options.groups.map((group): GroupState => ({ group, size: 0, smaller: [] }))
  let timer: NodeJS.Timeout | undefined
  let scaling: Promise<void> | null = null

  const scaleNow = () => {
    scaling ??= Promise.all(groups.map((state) => scaleGroup(state, options)))
      .then(() => {})
      .finally(() => {
        scaling = null
      })
    return scaling
  }

  return {
    start() {
      for (const state of groups) {
        state.size = state.group.defaultCount
        state.group.worker.setConcurrency(state.size)
      }
      timer ??= setInterval(() => void scaleNow(), scaleIntervalMs)
    },
    scaleNow,
    async stop() {
      clearInterval(timer)
      timer = undefined
      await scaling
    },
  }
}

async function scaleGroup(
  state: GroupState,
  { port, maxWaitMs, onDecision, log }: ManagerOptions,
): Promise<void> {
  const { group } = state
  try {
    const countMax = maxWaitMs === undefined ? group.maxCount : DEPTH_MAX
    const depth = await port.depth(group.queues, countMax, group.tenant)
    const to = maxWaitMs === undefined ? bounded(depth, group) : sizeForWait(state, depth, maxWaitMs)
    if (to === state.size) return
    const decision: ScaleDecision = {
      group: group.name,
      tenant: group.tenant,
      from: state.size,
      to,
      depth,
      reason: maxWaitMs === undefined ? 'depth' : 'wait',
    }
    state.size = to
    group.worker.setConcurrency(to)
    log?.info({ event: 'group_scaled', ...decision }, 'worker group scaled')
    onDecision?.(decision)
    await recordDecision(port, group.worker.name, decision, log)
  } catch (error) {
    // The size stays as it is; the next reading decides.
    log?.warn(
      { event: 'depth_read_failed', group: group.name, error: (error as Error).message },
      'could not read the depth of a worker group',
    )
  }
}

async function recordDecision(
  port: Pick<PresencePort, 'recordScale'>,
  worker: string,
  decision: ScaleDecision,
  log: Log | undefined,
): Promise<void> {
  await port.recordScale(worker, decision).catch((error: Error) => {
    log?.warn(
      { event: 'scale_record_failed', group: decision.group, error: error.message },
      'could not record scaling event',
    )
  })
}

function bounded(wanted: number, { defaultCount, maxCount }: ManagedGroup): number {
  return Math.min(Math.max(wanted, defaultCount), maxCount)
}

function sizeForWait(state: GroupState, depth: number, maxWaitMs: number): number {
  const { meanRunMs } = state.group.worker.stats()
  const wanted = bounded(Math.ceil((depth * Math.max(meanRunMs, 1)) / maxWaitMs), state.group)
  if (wanted >= state.size) {
    state.smaller = []
    return wanted
  }
  state.smaller.push(wanted)
  if (state.smaller.length < SHRINK_AFTER) return state.size
  const to = Math.max(...state.smaller)
  state.smaller = []
  return to
}

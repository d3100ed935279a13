/**
 * Sizes worker groups. A group is a worker of one tenant and its queues; its "workers" are the slots of that worker, so that fewer of
 * them never end a running job: a slot that is taken away is one that takes no next job.
 *
 * Every `scaleIntervalMs` a group wants as many slots as it has due, unclaimed jobs, between its default and its most. With
 * `targetWaitMs` it wants as many as it takes to begin all of them within that time, by how long handlers take lately; it grows at
 * once, and shrinks only when three readings in a row say so, because a slot too many costs less than one too few.
 *
 * Every change is kept in the database, after it was made: a note that cannot be written changes no size.
 */
import type { ScaleDecision, WorkPort } from '../domain/port.js'
import type { Worker, WorkerLog } from './worker-options.js'

export interface ManagedGroup {
  readonly name: string
  readonly tenant: string
  readonly queues: readonly string[]
  readonly defaultCount: number
  readonly maxCount: number
  readonly worker: Pick<Worker, 'name' | 'setConcurrency' | 'stats'>
}

export interface ManagerOptions {
  readonly port: Pick<WorkPort, 'depth' | 'noteScale'>
  readonly groups: readonly ManagedGroup[]
  readonly scaleIntervalMs?: number
  readonly targetWaitMs?: number
  readonly onDecision?: (decision: ScaleDecision) => void
  readonly log?: WorkerLog
}

export interface Manager {
  /** Gives each group its default size and begins to look. */
  start(): void
  /** Reads the depth of every group once and sizes it; what the interval does. */
  look(): Promise<void>
  stop(): Promise<void>
}

const SHRINK_AFTER = 3
/** Past this a wait is only "long": the count stays cheap. */
const DEPTH_MOST = 10_000

interface Sized {
  readonly group: ManagedGroup
  size: number
  /** What the last readings wanted, all less than the present size. */
  less: number[]
}

export function createManager(options: ManagerOptions): Manager {
  const { scaleIntervalMs = 1000 } = options
  const sized = options.groups.map((group): Sized => ({ group, size: 0, less: [] }))
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null

  const look = () => {
    looking ??= Promise.all(sized.map((one) => sizeGroup(one, options)))
      .then(() => {})
      .finally(() => {
        looking = null
      })
    return looking
  }

  return {
    start() {
      for (const one of sized) {
        one.size = one.group.defaultCount
        one.group.worker.setConcurrency(one.size)
      }
      timer ??= setInterval(() => void look(), scaleIntervalMs)
    },
    look,
    async stop() {
      clearInterval(timer)
      timer = undefined
      await looking
    },
  }
}

async function sizeGroup(
  sized: Sized,
  { port, targetWaitMs, onDecision, log }: ManagerOptions,
): Promise<void> {
  const { group } = sized
  try {
    const most = targetWaitMs === undefined ? group.maxCount : DEPTH_MOST
    const depth = await port.depth(group.queues, most, group.tenant)
    const to = targetWaitMs === undefined ? bounded(depth, group) : forWait(sized, depth, targetWaitMs)
    if (to === sized.size) return
    const decision: ScaleDecision = {
      group: group.name,
      tenant: group.tenant,
      from: sized.size,
      to,
      depth,
      reason: targetWaitMs === undefined ? 'depth' : 'wait',
    }
    sized.size = to
    group.worker.setConcurrency(to)
    log?.info({ ...decision }, 'a worker group changes its size')
    onDecision?.(decision)
    await noted(port, group.worker.name, decision, log)
  } catch (error) {
    // The size stays as it is; the next reading decides.
    log?.warn(
      { group: group.name, error: (error as Error).message },
      'the depth of a group could not be read',
    )
  }
}

async function noted(
  port: Pick<WorkPort, 'noteScale'>,
  worker: string,
  decision: ScaleDecision,
  log: WorkerLog | undefined,
): Promise<void> {
  await port.noteScale(worker, decision).catch((error: Error) => {
    log?.warn({ group: decision.group, error: error.message }, 'a change of size could not be kept')
  })
}

function bounded(wanted: number, { defaultCount, maxCount }: ManagedGroup): number {
  return Math.min(Math.max(wanted, defaultCount), maxCount)
}

function forWait(sized: Sized, depth: number, targetWaitMs: number): number {
  const { meanRunMs } = sized.group.worker.stats()
  const wanted = bounded(Math.ceil((depth * Math.max(meanRunMs, 1)) / targetWaitMs), sized.group)
  if (wanted >= sized.size) {
    sized.less = []
    return wanted
  }
  sized.less.push(wanted)
  if (sized.less.length < SHRINK_AFTER) return sized.size
  const to = Math.max(...sized.less)
  sized.less = []
  return to
}

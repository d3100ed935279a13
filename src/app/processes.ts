/**
 * One program in several processes, to use several cores. The parent runs this very program again, once for each process, and in
 * each of these the same call of `work()` does the work: it does not return there, so what comes after it happens in the parent only. A
 * child that dies is replaced; the jobs it had come back when its lease runs out. A child whose workers somebody sent home through the
 * database ends, and is not replaced: whoever asked wanted fewer.
 *
 * Children do not listen to signals, which a terminal sends to all of them at once: the parent decides, and tells them. A child
 * whose parent is gone drains by itself.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { holdfastError } from '../domain/errors.js'
import { checkWhole } from '../domain/validate.js'
import type { Drained, WorkerLog, WorkerStats } from '../worker/worker-options.js'
import { allDrained } from './all-drained.js'
import { allIdle } from './all-idle.js'
import type { DrainOptions, Working } from './work.js'

const MARK = 'HOLDFAST_WORKER_CHILD'
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 30_000
/** A program that never gets as far as work() will not get there at the next try either. */
const TRIES = 3
/** Who lived this long did not die of its beginning. */
const SETTLED_MS = 10_000

/** Parent to child. */
type Order =
  | { readonly holdfast: 'drain'; readonly options: DrainOptions }
  | { readonly holdfast: 'idle' | 'stats'; readonly id: number }
  | { readonly holdfast: 'slots'; readonly slots: number }
/** Child to parent. */
type Answer =
  | { readonly holdfast: 'working' }
  | { readonly holdfast: 'answer'; readonly id: number; readonly stats: WorkerStats[] }
  | { readonly holdfast: 'drained'; readonly drained: Drained }

/** Which call of `work()` this process was made for, and the how-manieth it is for it; undefined in a process that nobody of us made. */
export function thisChild(env: NodeJS.ProcessEnv = process.env): { call: number; place: number } | undefined {
  const mark = env[MARK]
  if (mark === undefined || process.send === undefined) return undefined
  const [call = 0, place = 0] = mark.split('.').map(Number)
  return { call, place }
}

/** In the child: works until the parent says otherwise, and ends the process. Never returns. */
export async function workForParent(start: () => Promise<Working>): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  let working: Working | undefined
  // Before there is work there is nothing to give back. The parent may also have gone while this program came up.
  const parentGone = () => {
    if (working === undefined) process.exit(0)
    void working.drain({ reason: 'parent gone' }).finally(() => process.exit(0))
  }
  process.on('disconnect', parentGone)
  if (!process.connected) parentGone()
  working = await start()
  const under = working
  process.on('message', (order: Order) => {
    if (order.holdfast === 'drain') void under.drain(order.options)
    else if (order.holdfast === 'slots') under.setConcurrency(order.slots)
    else if (order.holdfast === 'stats' || order.holdfast === 'idle') void answer(under, order)
  })
  // Drained by the parent's order, or sent home by somebody else.
  void under.gone.then((drained) => say({ holdfast: 'drained', drained }, () => process.exit(0)))
  say({ holdfast: 'working' })
  return new Promise<never>(() => {})
}

async function answer(working: Working, { holdfast, id }: { holdfast: 'stats' | 'idle'; id: number }) {
  if (holdfast === 'idle') await working.idle()
  say({ holdfast: 'answer', id, stats: await working.stats() })
}

function say(message: Answer, then?: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => then?.())
  else then?.()
}

/** In the parent: resolves when every child has begun to work. */
export async function superviseProcesses(count: number, call: number, log?: WorkerLog): Promise<Working> {
  checkWhole(count, '/processes', { least: 1, most: 1_000 })
  const children = Array.from({ length: count }, (_none, n) => new Supervised(`${call}.${n + 1}`, log))
  try {
    await Promise.all(children.map((child) => child.working))
  } catch (error) {
    await Promise.all(children.map((child) => child.drain({ graceMs: 0 })))
    throw error
  }
  const stats = async () => (await Promise.all(children.map((child) => child.ask('stats')))).flat()
  return {
    drain: async (options = {}) =>
      allDrained(await Promise.all(children.map((child) => child.drain(options)))),
    gone: Promise.all(children.map((child) => child.gone)).then(allDrained),
    idle: () => allIdle(() => Promise.all(children.map((child) => child.ask('idle'))), stats),
    stats,
    setConcurrency: (slots) => {
      for (const child of children) child.setSlots(slots)
    },
  }
}

/** A child that died without having said so: nobody knows what it left behind, and its lease will tell. */
const DIED: Drained = { clean: false, released: 0, unwritten: 0 }

class Supervised {
  readonly working: Promise<void>
  /** Resolves when it has ended for good. */
  readonly gone: Promise<Drained>
  readonly #mark: string
  readonly #log: WorkerLog | undefined
  #child: ChildProcess | undefined
  #began: () => void = () => {}
  #gaveUp: (error: Error) => void = () => {}
  #hasBegun = false
  #deaths = 0
  #slots: number | undefined
  #restart: NodeJS.Timeout | undefined
  #draining: DrainOptions | undefined
  #ended: (drained: Drained) => void = () => {}
  /** It has said so, and will end. */
  #drained: Drained | undefined
  #lastId = 0
  readonly #asked = new Map<number, (stats: WorkerStats[]) => void>()

  constructor(mark: string, log: WorkerLog | undefined) {
    this.#mark = mark
    this.#log = log
    this.working = new Promise((resolve, reject) => {
      this.#began = resolve
      this.#gaveUp = reject
    })
    this.gone = new Promise((resolve) => {
      this.#ended = resolve
    })
    this.#spawn()
  }

  drain(options: DrainOptions): Promise<Drained> {
    clearTimeout(this.#restart)
    this.#draining ??= options
    if (this.#child === undefined) this.#ended(this.#drained ?? DIED)
    else this.#tell({ holdfast: 'drain', options })
    return this.gone
  }

  /** What a child that dies meanwhile would have said, nobody knows: it has no stats. */
  ask(holdfast: 'idle' | 'stats'): Promise<WorkerStats[]> {
    if (this.#child === undefined) return Promise.resolve([])
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#asked.set(id, resolve)
      this.#tell({ holdfast, id })
    })
  }

  setSlots(slots: number): void {
    this.#slots = slots
    this.#tell({ holdfast: 'slots', slots })
  }

  #tell(order: Order): void {
    if (this.#child?.connected) this.#child.send(order, () => {})
  }

  #spawn(): void {
    const bornAt = performance.now()
    const child = fork(process.argv[1] as string, process.argv.slice(2), {
      env: { ...process.env, [MARK]: this.#mark },
    })
    this.#child = child
    child.on('message', (message: Answer) => this.#hear(message))
    child.on('exit', (code, signal) => {
      this.#child = undefined
      for (const resolve of this.#asked.values()) resolve([])
      this.#asked.clear()
      if (this.#drained !== undefined || this.#draining !== undefined) this.#ended(this.#drained ?? DIED)
      else this.#replace(performance.now() - bornAt, code ?? signal)
    })
  }

  #hear(message: Answer): void {
    if (message.holdfast === 'working') {
      this.#hasBegun = true
      this.#began()
      if (this.#slots !== undefined) this.#tell({ holdfast: 'slots', slots: this.#slots })
      if (this.#draining !== undefined) this.#tell({ holdfast: 'drain', options: this.#draining })
    } else if (message.holdfast === 'drained') this.#drained = message.drained
    else if (message.holdfast === 'answer') {
      this.#asked.get(message.id)?.(message.stats)
      this.#asked.delete(message.id)
    }
  }

  #replace(livedMs: number, how: number | string | null): void {
    this.#deaths = livedMs > SETTLED_MS ? 0 : this.#deaths + 1
    if (!this.#hasBegun && this.#deaths === TRIES) {
      const problem = `the process ended ${TRIES} times before it began to work, at last with ${how}`
      this.#gaveUp(holdfastError('internal', { problem }))
      return
    }
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#deaths)
    this.#log?.error({ exit: how, again_in_ms: waitMs }, 'a worker process ended by itself and is replaced')
    this.#restart = setTimeout(() => this.#spawn(), waitMs)
  }
}

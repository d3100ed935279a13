/**
 * Runs one program in several processes, to use several cores (`processes` of `work()`). The parent starts
 * this program again, once for each process. In a child the call of `work()` does not return, so code after
 * it runs only in the parent. A child that dies is replaced; its jobs return when its lease expires. A child
 * that an operator drained through the database ends and is not replaced.
 *
 * Children ignore signals, because a terminal sends them to all processes at once: the parent decides, and
 * passes the drain on. A child whose parent has died drains.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { holdfastError } from '../domain/errors/errors.js'
import type { Log } from '../domain/log.js'
import { Backoff } from '../domain/retry.js'
import { checkWhole } from '../domain/validate.js'
import type { Drained, WorkerStats } from '../worker/worker-options.js'
import { allDrained, allIdle } from './several-workers.js'
import type { DrainOptions, WorkHandle } from './work.js'

const MARK = 'HOLDFAST_WORKER_CHILD'
const RESTARTS = new Backoff({ firstMs: 200, maxMs: 30_000 })
/** A program that fails this often before it reaches work() will not reach it at all. */
const TRIES = 3
/** A child that lived this long did not die during its start. */
const SETTLED_MS = 10_000

/** Parent to child. */
type ParentMessage =
  | { readonly holdfast: 'drain'; readonly options: DrainOptions }
  | { readonly holdfast: 'idle' | 'stats'; readonly id: number }
  | { readonly holdfast: 'slots'; readonly slots: number }
/** Child to parent. */
type ChildMessage =
  | { readonly holdfast: 'working' }
  | { readonly holdfast: 'answer'; readonly id: number; readonly stats: WorkerStats[] }
  | { readonly holdfast: 'drained'; readonly drained: Drained }

/** For which call of `work()` this process was started, and its number there; undefined in a process that is no such child. */
export function thisChild(env: NodeJS.ProcessEnv = process.env): { call: number; place: number } | undefined {
  const mark = env[MARK]
  if (mark === undefined || process.send === undefined) return undefined
  const [call = 0, place = 0] = mark.split('.').map(Number)
  return { call, place }
}

/** In the child: works until the parent drains it, and ends the process. Never returns. */
export async function workForParent(start: () => Promise<WorkHandle>): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  let working: WorkHandle | undefined
  // Before the workers start there is nothing to release. The parent may also have died during the start.
  const parentGone = () => {
    if (working === undefined) process.exit(0)
    void working.drain({ reason: 'parent gone' }).finally(() => process.exit(0))
  }
  process.on('disconnect', parentGone)
  if (!process.connected) parentGone()
  working = await start()
  const under = working
  process.on('message', (order: ParentMessage) => {
    if (order.holdfast === 'drain') void under.drain(order.options)
    else if (order.holdfast === 'slots') under.setConcurrency(order.slots)
    else if (order.holdfast === 'stats' || order.holdfast === 'idle') void answer(under, order)
  })
  // Drained by the parent, or by an operator through the database.
  void under.stopped.then((drained) => say({ holdfast: 'drained', drained }, () => process.exit(0)))
  say({ holdfast: 'working' })
  return new Promise<never>(() => {})
}

async function answer(working: WorkHandle, { holdfast, id }: { holdfast: 'stats' | 'idle'; id: number }) {
  if (holdfast === 'idle') await working.idle()
  say({ holdfast: 'answer', id, stats: await working.stats() })
}

function say(message: ChildMessage, then?: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => then?.())
  else then?.()
}

/** In the parent: resolves when every child works. */
export async function superviseProcesses(count: number, call: number, log?: Log): Promise<WorkHandle> {
  checkWhole(count, '/processes', { min: 1, max: 1_000 })
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
    stopped: Promise.all(children.map((child) => child.stopped)).then(allDrained),
    idle: () => allIdle(() => Promise.all(children.map((child) => child.ask('idle'))), stats),
    stats,
    setConcurrency: (slots) => {
      for (const child of children) child.setSlots(slots)
    },
  }
}

/** A child that died without a report: what it left behind is unknown; its leases expire. */
const DIED: Drained = { clean: false, released: 0, unwritten: 0 }

class Supervised {
  readonly working: Promise<void>
  /** Resolves when it has ended for good. */
  readonly stopped: Promise<Drained>
  readonly #mark: string
  readonly #log: Log | undefined
  #child: ChildProcess | undefined
  #began: () => void = () => {}
  #gaveUp: (error: Error) => void = () => {}
  #hasBegun = false
  #deaths = 0
  #slots: number | undefined
  #restart: NodeJS.Timeout | undefined
  #draining: DrainOptions | undefined
  #ended: (drained: Drained) => void = () => {}
  /** It has reported its drain, and will exit. */
  #drained: Drained | undefined
  #lastId = 0
  readonly #asked = new Map<number, (stats: WorkerStats[]) => void>()

  constructor(mark: string, log: Log | undefined) {
    this.#mark = mark
    this.#log = log
    this.working = new Promise((resolve, reject) => {
      this.#began = resolve
      this.#gaveUp = reject
    })
    this.stopped = new Promise((resolve) => {
      this.#ended = resolve
    })
    this.#spawn()
  }

  drain(options: DrainOptions): Promise<Drained> {
    clearTimeout(this.#restart)
    this.#draining ??= options
    if (this.#child === undefined) this.#ended(this.#drained ?? DIED)
    else this.#order({ holdfast: 'drain', options })
    return this.stopped
  }

  /** A child that dies meanwhile has no stats. */
  ask(holdfast: 'idle' | 'stats'): Promise<WorkerStats[]> {
    if (this.#child === undefined) return Promise.resolve([])
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#asked.set(id, resolve)
      this.#order({ holdfast, id })
    })
  }

  setSlots(slots: number): void {
    this.#slots = slots
    this.#order({ holdfast: 'slots', slots })
  }

  #order(order: ParentMessage): void {
    if (this.#child?.connected) this.#child.send(order, () => {})
  }

  #spawn(): void {
    const bornAt = performance.now()
    const child = fork(process.argv[1] as string, process.argv.slice(2), {
      env: { ...process.env, [MARK]: this.#mark },
    })
    this.#child = child
    child.on('message', (message: ChildMessage) => this.#hear(message))
    child.on('exit', (code, signal) => {
      this.#child = undefined
      for (const resolve of this.#asked.values()) resolve([])
      this.#asked.clear()
      if (this.#drained !== undefined || this.#draining !== undefined) this.#ended(this.#drained ?? DIED)
      else this.#replace(performance.now() - bornAt, code ?? signal)
    })
  }

  #hear(message: ChildMessage): void {
    if (message.holdfast === 'working') {
      this.#hasBegun = true
      this.#began()
      if (this.#slots !== undefined) this.#order({ holdfast: 'slots', slots: this.#slots })
      if (this.#draining !== undefined) this.#order({ holdfast: 'drain', options: this.#draining })
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
    const waitMs = RESTARTS.delayMs(this.#deaths)
    this.#log?.error(
      { event: 'worker_process_exited', exit: how, again_in_ms: waitMs },
      'worker process exited; starting another',
    )
    this.#restart = setTimeout(() => this.#spawn(), waitMs)
  }
}

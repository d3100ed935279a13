/** The worker processes of a run, each behind a wire of its own, replaced when they end. */
import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { monotonic } from './processes.js'
import type { Watchdog } from './server.js'
import type { WorkerPlan } from './timeline.js'
import type { Wire } from './wire.js'

const RESPAWN_MS = 150
/** The grace of a drain, what comes after it, and a database that is away meanwhile. */
const DRAINED_WITHIN_MS = 25_000
/** Well within the grace of a drain. */
const SECOND_SIGNAL_MS = 300
const SLOTS = 8
const DISARMED_WITHIN_MS = 500
const PROGRAM = new URL('./worker-program.js', import.meta.url)
const REMOTE_PROGRAM = new URL('./remote-program.js', import.meta.url)

export interface FleetParts {
  readonly folder: string
  readonly url: () => string
  /** Of the server that workers without a database work for. */
  readonly serverUrl: () => string
  readonly watchdog: Watchdog
  readonly wires: readonly Wire[]
  readonly plans: readonly WorkerPlan[]
}

interface Place {
  readonly index: number
  generation: number
  child: ChildProcess | undefined
  working: boolean
  frozen: boolean
  /** We ended it, or told it to end. */
  condemned: boolean
  rare: boolean
}

export class Fleet {
  readonly #parts: FleetParts
  readonly #places: Place[]
  #stopping = false
  spawned = 0
  killed = 0
  drained = 0
  /** Ended before they began to work, as a program does that finds no database. */
  failedStarts = 0
  /** Processes that ended although nothing and nobody ended them: what may never happen. */
  readonly died: string[] = []
  /** When a process could do nothing more. */
  readonly stops: { by: string; at: number }[] = []
  /** When a handler last began. */
  lastBegin = 0
  #onCut: (at: number) => void = () => {}

  constructor(parts: FleetParts) {
    this.#parts = parts
    this.#places = parts.plans.map(({ knowsRare }, index) => ({
      index,
      generation: 0,
      child: undefined,
      working: false,
      frozen: false,
      condemned: false,
      rare: knowsRare,
    }))
  }

  start(): void {
    for (const place of this.#places) this.#spawn(place)
  }

  get working(): number {
    return this.#places.filter(({ working }) => working).length
  }

  kill(index: number): void {
    const place = this.#places[index] as Place
    if (place.child === undefined) return
    this.killed += 1
    place.condemned = true
    place.child.kill('SIGKILL')
  }

  freeze(index: number): void {
    const place = this.#places[index] as Place
    place.frozen = place.child?.kill('SIGSTOP') ?? false
    if (place.frozen) this.stops.push({ by: nameOf(place), at: monotonic() })
  }

  /** The next handler that begins, in whichever worker, ends these processes at once. Answers when that was. */
  async cutAtBegin(pids: readonly number[], withinMs: number): Promise<number> {
    const arm = (all: readonly number[]) => {
      for (const { child } of this.#places) if (child?.connected) child.send({ arm: all }, () => {})
    }
    try {
      return await new Promise<number>((resolve, reject) => {
        this.#onCut = resolve
        setTimeout(() => {
          arm([])
          // Somebody may just be at it.
          setTimeout(() => reject(new Error('nothing was claimed')), DISARMED_WITHIN_MS)
        }, withinMs)
        arm(pids)
      })
    } finally {
      arm([])
    }
  }

  thaw(index: number): void {
    const place = this.#places[index] as Place
    place.frozen = false
    place.child?.kill('SIGCONT')
  }

  /** Resolves when it is gone. */
  async drain(index: number, again = false): Promise<void> {
    const place = this.#places[index] as Place
    const { child } = place
    if (child === undefined || place.frozen || place.condemned) return
    place.condemned = true
    const late = setTimeout(() => {
      this.died.push(`worker ${index} did not end within ${DRAINED_WITHIN_MS} ms of SIGTERM`)
      child.kill('SIGKILL')
    }, DRAINED_WITHIN_MS)
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGTERM')
    const hurry = setTimeout(() => again && child.kill('SIGTERM'), SECOND_SIGNAL_MS)
    await gone
    clearTimeout(hurry)
    clearTimeout(late)
    this.drained += 1
  }

  /** Everybody new, and everybody knows every kind: what nobody could do before is done now. */
  async renew(): Promise<void> {
    for (const place of this.#places) {
      place.rare = true
      if (place.frozen) this.thaw(place.index)
    }
    await Promise.all(this.#places.map(({ index }) => this.drain(index)))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    for (const place of this.#places) if (place.frozen) this.thaw(place.index)
    await Promise.all(this.#places.map(({ index }) => this.drain(index)))
    for (const { child } of this.#places) child?.kill('SIGKILL')
  }

  #spawn(place: Place): void {
    const { folder, url, serverUrl, wires, plans, watchdog } = this.#parts
    const { index } = place
    place.generation += 1
    place.working = false
    place.condemned = false
    this.spawned += 1
    const wire = wires[index] as Wire
    wire.newProgram()
    const { skewMs, remote } = plans[index] as WorkerPlan
    const address = new URL(remote ? url() : wire.through(url()))
    // What a worker believes the time to be, said to the database, which must not care.
    address.searchParams.set('options', `-c chaos.skew=${skewMs}ms`)
    const setup = {
      ...(remote ? { url: wire.through(serverUrl()), effectsUrl: address.href } : { url: address.href }),
      name: nameOf(place),
      journalPath: join(folder, `worker-${index}.jsonl`),
      rare: place.rare,
      concurrency: SLOTS,
    }
    const log = openSync(join(folder, `worker-${index}.log`), 'a')
    const child = fork(fileURLToPath(remote ? REMOTE_PROGRAM : PROGRAM), [JSON.stringify(setup)], {
      execArgv: ['--import', new URL('./skew.js', import.meta.url).href],
      env: { ...process.env, CHAOS_SKEW_MS: String(skewMs) },
      stdio: ['ignore', log, log, 'ipc'],
    })
    closeSync(log)
    place.child = child
    const pid = child.pid as number
    watchdog.watch(pid)
    child.on('message', ({ began, cutAt }: { began?: number; cutAt?: number }) => {
      if (cutAt !== undefined) this.#onCut(cutAt)
      else if (began !== undefined) this.lastBegin = Math.max(this.lastBegin, began)
      else place.working = true
    })
    child.on('error', () => {})
    child.on('exit', (code, signal) => {
      watchdog.forget(pid)
      this.stops.push({ by: setup.name, at: monotonic() })
      this.#ended(place, code, signal)
    })
  }

  #ended(place: Place, code: number | null, signal: string | null): void {
    place.child = undefined
    if (!place.working && !place.condemned) this.failedStarts += 1
    // A poison job kills its process from inside, with kill -9.
    else if (!place.condemned && signal !== 'SIGKILL') {
      this.died.push(`worker ${place.index} ended by itself: ${signal ?? `code ${code}`}`)
    } else if (place.condemned && signal === null && code !== 0 && place.working) {
      this.died.push(`worker ${place.index} ended its drain with code ${code}`)
    }
    place.working = false
    if (!this.#stopping) setTimeout(() => this.#stopping || this.#spawn(place), RESPAWN_MS)
  }
}

const nameOf = ({ index, generation }: Place) => `w${index}.${generation}`

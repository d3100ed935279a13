/** Workers as processes of their own: started, shown, restarted when they die, killed at random on request, and ended with the example. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ExampleOptions } from './example.js'
import { between, randomOf } from './random.js'

export interface WorkerProgram {
  readonly name: string
  /** A compiled module of the example, run by Node; or a command with its arguments. */
  readonly program: URL | string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

interface Life {
  readonly worker: WorkerProgram
  readonly child: ChildProcess
  readonly ended: Promise<void>
  /** With `chaos`: it is killed after so many lines of output. */
  readonly linesLeft: { count: number }
}

const RESTART_MS = 300
/** How long a worker may take to stop before it is killed. */
const STOP_MS = 10_000
/** So that a run with kills comes to an end. */
const KILLS_MAX = 8
/** A worker lives for one to this many lines of output. */
const LINES_MAX = 8
const DELAY_MS_MAX = 150

export class Workers {
  readonly kills: { worker: string; pid: number }[] = []
  readonly #options: ExampleOptions
  readonly #random: (() => number) | undefined
  readonly #living = new Map<string, Life>()
  #isStopping = false

  constructor(options: ExampleOptions) {
    this.#options = options
    this.#random = options.chaos === undefined ? undefined : randomOf(options.chaos)
  }

  start(worker: WorkerProgram): void {
    const { name, program, args = [], env = {} } = worker
    const [command, first] =
      typeof program === 'string' ? [program, []] : [process.execPath, [fileURLToPath(program)]]
    const child = spawn(command, [...first, ...args], {
      // Its input ends with this process, however that ends, and then so does the worker. See lifetime.ts and worker.py.
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env, WORKER_NAME: name },
      // Ctrl-C reaches every process of a terminal's group; the example stops its workers itself, in order.
      detached: process.platform !== 'win32',
    })
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const life: Life = { worker, child, ended, linesLeft: { count: this.#lifeTime() } }
    this.#living.set(name, life)
    child.once('error', (error) => this.#options.print(name, `cannot be started: ${error.message}`, 'bad'))
    this.#options.print(name, `started as process ${child.pid}`)
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) =>
        this.#shown(life, line),
      )
    child.once('close', (code, signal) => void this.#closed(life, signal ?? `exit code ${code}`))
  }

  get pids(): number[] {
    return [...this.#living.values()].flatMap(({ child }) => child.pid ?? [])
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(
      [...this.#living.values()].map(async ({ child, ended }) => {
        child.kill('SIGTERM')
        const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
        await ended
        clearTimeout(late)
      }),
    )
  }

  #shown(life: Life, line: string): void {
    this.#options.print(life.worker.name, line)
    life.linesLeft.count -= 1
    if (life.linesLeft.count === 0) void this.#kill(life)
  }

  async #kill({ child, worker }: Life): Promise<void> {
    const random = this.#random
    if (random === undefined) return
    await wait(between(random, 0, DELAY_MS_MAX))
    if (this.#isStopping || this.kills.length === KILLS_MAX) return
    if (child.pid === undefined || child.exitCode !== null || !child.kill('SIGKILL')) return
    this.kills.push({ worker: worker.name, pid: child.pid })
  }

  async #closed({ worker }: Life, how: string): Promise<void> {
    this.#living.delete(worker.name)
    if (this.#isStopping) return
    this.#options.print(worker.name, `ended by ${how}; starts again`, 'bad')
    await wait(RESTART_MS)
    if (!this.#isStopping) this.start(worker)
  }

  #lifeTime(): number {
    return this.#random === undefined ? Number.POSITIVE_INFINITY : between(this.#random, 1, LINES_MAX)
  }
}

/** Workers in processes of their own that run what SQS tells them of; and something between sender and receiver that spoils the messages. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { SqsCounts, SqsOptions } from 'holdfast/sqs'
import type { Store } from 'holdfast/store'
import { onTestFinished, vi } from 'vitest'
import { AWS_ENV, type Emulator } from './sqs.js'
import { postgresUrl } from './world.js'

const PROGRAM = fileURLToPath(new URL('../triggers/programs/worker.js', import.meta.url))
const WAIT = { timeout: 100_000, interval: 20 }

export interface Terms {
  readonly queue: string
  readonly slots: number
  readonly leaseMs: number
  readonly sqs: Omit<SqsOptions, 'client'>
}

export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #gone: Promise<void>
  readonly begun: number[] = []
  counts: SqsCounts | undefined
  stopped = false

  constructor({ schema }: Store, terms: Terms) {
    const args = JSON.stringify({ url: postgresUrl(), schema, ...terms })
    const env = { ...process.env, ...AWS_ENV }
    this.#child = spawn(process.execPath, [PROGRAM, args], { stdio: ['ignore', 'pipe', 'inherit'], env })
    this.#gone = new Promise((resolve) => this.#child.once('close', () => resolve()))
    onTestFinished(() => void this.#child.kill('SIGKILL'))
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const said = JSON.parse(line)
      if (said.begun !== undefined) this.begun.push(said.begun)
      if (said.counts !== undefined) this.counts = said.counts
      if (said.stopped === true) this.stopped = true
    })
  }

  ready(): Promise<void> {
    return vi.waitFor(() => {
      if (this.counts === undefined) throw new Error('the worker is not there yet')
    }, WAIT)
  }

  /** When it has begun `more` jobs from now on, it is killed in the middle of them. */
  async killAfter(more: number): Promise<void> {
    const target = this.begun.length + more
    await vi.waitFor(() => {
      if (this.begun.length < target) throw new Error('not begun yet')
    }, WAIT)
    this.#child.kill('SIGKILL')
    await this.#gone
  }

  async stop(): Promise<SqsCounts> {
    this.#child.kill('SIGTERM')
    await this.#gone
    if (!this.stopped) throw new Error('the worker did not stop in order')
    return this.counts as SqsCounts
  }
}

/** Moves messages from one queue to another: three of ten twice, and none in the order they came. */
export class Spoiler {
  readonly #sqs: Emulator
  readonly #from: string
  readonly #to: string
  #running: Promise<void> | undefined
  #stopped = false
  #turn = 0
  moved = 0
  doubled = 0
  readonly bodies: string[] = []

  constructor(sqs: Emulator, from: string, to: string) {
    this.#sqs = sqs
    this.#from = from
    this.#to = to
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#pass()
      } catch {
        // The emulator is away: what was in it is lost.
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  async #pass(): Promise<void> {
    const taken = await this.#sqs.takeAll(this.#from)
    const spoiled = taken.flatMap((body) => {
      this.#turn += 1
      const twice = this.#turn % 10 < 3
      if (twice) this.doubled += 1
      return twice ? [body, body] : [body]
    })
    // Backwards, and every other one later: never as they came.
    const mixed = [
      ...spoiled.filter((_body, n) => n % 2 === 0).reverse(),
      ...spoiled.filter((_body, n) => n % 2 === 1),
    ]
    for (const body of mixed) await this.#sqs.send(this.#to, body)
    this.moved += taken.length
    this.bodies.push(...taken)
  }
}

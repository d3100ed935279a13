/**
 * The open view: refreshes what is shown, one refresh at a time, and carries out what keys ask for. A database that is lost is tried again
 * until it answers; the figures of before stay on the screen, with the time since when.
 */
import type { Attribution } from '../../store/job-commands.js'
import type { Console } from '../console/console.js'
import { EXIT, failureOf } from '../failure.js'
import { JOB_COMMANDS } from '../jobs/commands.js'
import type { CommandContext } from '../program.js'
import { moment } from '../terminal/format.js'
import { mask } from '../terminal/mask.js'
import { composeFrame, type TopFrame, type TopLink } from './frame.js'
import type { TopKey } from './keys.js'
import { paintLine, type Style } from './line.js'
import type { TopData } from './rows.js'
import { Screen } from './screen.js'
import { readJob, readJobs, readSnapshot, type TopSnapshot } from './snapshot.js'
import { FIRST_STATE, onKey, questionOf, type TopCommand, type TopEffect, type TopState } from './state.js'
import { brief } from './tables.js'

export interface LiveOptions {
  readonly console: Console
  /** The database or the server, without its password. */
  readonly name: string
  readonly tenant: string
  readonly everyMs: number
  readonly act: Attribution
  /** Read before the view opens, so that a wrong address or key fails as in every other command. */
  readonly first: TopSnapshot
}

/** An answer that takes longer is shown as missing. */
const SLOW_MS = 2_000
/** How often the header is renewed between refreshes. */
const CLOCK_MS = 1_000

/** Returns when the view is closed. */
export async function runLive(options: LiveOptions, context: CommandContext): Promise<void> {
  const view = new LiveView(options, context)
  try {
    await view.run()
  } finally {
    view.close()
  }
}

class LiveView {
  readonly #options: LiveOptions
  readonly #context: CommandContext
  readonly #screen: Screen
  readonly #ended: Promise<void>
  #end: () => void = () => {}
  #fail: (error: unknown) => void = () => {}
  #state: TopState = FIRST_STATE
  #data: TopData
  #frame: TopFrame | undefined
  #askedAt: number | undefined
  #refreshAgain = false
  #lost: { readonly since: Date; readonly text: string } | undefined
  #isCommanding = false
  #isClosed = false
  #refreshTimer: NodeJS.Timeout | undefined
  #clock: NodeJS.Timeout | undefined

  constructor(options: LiveOptions, context: CommandContext) {
    this.#options = options
    this.#context = context
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve
      this.#fail = reject
    })
    this.#data = { snapshot: options.first, jobs: undefined, job: undefined }
    this.#screen = new Screen(context.terminal, process.stdin, {
      onKey: (key) => this.#guarded(() => this.#onKey(key)),
      onRedraw: () => this.#guarded(() => this.#draw()),
      onEnd: () => this.#end(),
    })
  }

  async run(): Promise<void> {
    const { signal } = this.#context
    const stop = () => this.#end()
    signal.addEventListener('abort', stop)
    if (signal.aborted) return
    this.#screen.open()
    this.#draw()
    this.#refreshTimer = setTimeout(() => this.#refresh(), this.#options.everyMs)
    this.#clock = setInterval(() => this.#guarded(() => this.#draw()), CLOCK_MS)
    await this.#ended
    signal.removeEventListener('abort', stop)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#refreshTimer)
    clearInterval(this.#clock)
    this.#screen.close()
  }

  /** A mistake of ours ends the view, so that the terminal is restored before the error is printed. */
  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #onKey(key: TopKey): void {
    const shown = this.#frame ?? { rows: [], pageLines: 1, scrollMax: 0 }
    const { state, effect } = onKey(this.#state, key, shown)
    this.#state = state
    this.#draw()
    if (effect !== undefined) this.#carryOut(effect)
  }

  #carryOut(effect: TopEffect): void {
    switch (effect.type) {
      case 'quit':
        this.#end()
        break
      case 'interrupt':
        // As Ctrl-C does outside of this view: the exit code is that of every interrupted command.
        process.kill(process.pid, 'SIGINT')
        break
      case 'suspend':
        this.#screen.suspend()
        break
      case 'redraw':
        this.#screen.forget()
        this.#draw()
        break
      case 'refresh':
        this.#refreshNow()
        break
      case 'run':
        this.#command(effect.command)
    }
  }

  #refreshNow(): void {
    if (this.#askedAt !== undefined) this.#refreshAgain = true
    else this.#refresh()
  }

  async #refresh(): Promise<void> {
    clearTimeout(this.#refreshTimer)
    this.#askedAt = Date.now()
    this.#refreshAgain = false
    try {
      await this.#read()
      this.#lost = undefined
    } catch (error) {
      const { message, remedy } = failureOf(error)
      this.#lost = {
        since: this.#lost?.since ?? new Date(this.#askedAt),
        text: `${message} ${remedy} Trying again.`,
      }
    }
    this.#askedAt = undefined
    if (this.#isClosed) return
    this.#guarded(() => this.#draw())
    this.#refreshTimer = setTimeout(() => this.#refresh(), this.#refreshAgain ? 0 : this.#options.everyMs)
  }

  /** What was just opened is read and shown first. */
  async #read(): Promise<void> {
    const { console, tenant } = this.#options
    const { job, tab, filter } = this.#state
    if (job !== null) {
      const found = await this.#readOpened(() => readJob(console, job.id))
      if (found !== undefined) this.#received({ job: found })
    }
    if (tab === 'jobs' && job === null) {
      const found = await this.#readOpened(() => readJobs(console, tenant, filter))
      if (found !== undefined) this.#received({ jobs: found })
    }
    this.#received({ snapshot: await readSnapshot(console, tenant) })
  }

  #received(part: Partial<TopData>): void {
    this.#data = { ...this.#data, ...part }
    if (!this.#isClosed) this.#guarded(() => this.#draw())
  }

  /** A job that is gone, or a search that is refused, closes what was opened; the view stays. */
  async #readOpened<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      const { message, remedy, exitCode } = failureOf(error)
      if (exitCode === EXIT.unavailable) throw error
      this.#state = { ...this.#state, job: null, filter: '' }
      this.#show(`${message} ${remedy}`, 'red')
      return undefined
    }
  }

  async #command(command: TopCommand): Promise<void> {
    if (this.#isCommanding) {
      this.#show('The last command has not been answered yet.', 'yellow')
      return
    }
    this.#isCommanding = true
    this.#show(`${questionOf(command).slice(0, -1)} …`, 'dim')
    try {
      this.#show(await this.#run(command), 'green')
    } catch (error) {
      const { message, remedy } = failureOf(error)
      this.#show(`Refused: ${message} ${remedy}`, 'red')
    }
    this.#isCommanding = false
    if (!this.#isClosed) this.#refreshNow()
  }

  async #run(command: TopCommand): Promise<string> {
    const { console, tenant, act } = this.#options
    if ('jobId' in command) {
      const { sentence } = await JOB_COMMANDS[command.verb].run(console, command.jobId, act)
      return `Job ${command.jobId} ${sentence}.`
    }
    const { verb, queue } = command
    const isPause = verb === 'pause'
    const changed = await console.queues[isPause ? 'pause' : 'resume'](queue, { ...act, tenant })
    return `Queue ${queue} ${changed ? 'is' : 'was already'} ${isPause ? 'paused' : 'resumed'}.`
  }

  #show(text: string, style: Style): void {
    this.#state = { ...this.#state, message: { text: mask(text), style } }
    if (!this.#isClosed) this.#guarded(() => this.#draw())
  }

  #draw(): void {
    const { columns = 80, rows = 24, paint } = this.#context.terminal
    this.#frame = composeFrame(this.#state, this.#data, this.#link(), { columns, rows })
    this.#screen.draw(this.#frame.lines.map((line) => paintLine(line, columns, paint)))
  }

  #link(): TopLink {
    const { name, tenant } = this.#options
    const waitingMs = this.#askedAt === undefined ? 0 : Date.now() - this.#askedAt
    if (this.#lost !== undefined) {
      const text = `× lost since ${moment(this.#lost.since)?.slice(11, 19)}`
      return { name, tenant, status: { text, style: 'red' }, failure: mask(this.#lost.text) }
    }
    if (waitingMs > SLOW_MS)
      return { name, tenant, status: { text: `! no answer for ${brief(waitingMs)}`, style: 'yellow' } }
    return { name, tenant, status: { text: '● live', style: 'green' } }
  }
}

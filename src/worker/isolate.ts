/**
 * Handlers in threads or processes of their own. A crash there fails one attempt, and an endless loop is ended for real, once its time
 * to settle is over. Each stays warm for the next job; there are never more than jobs run at the same time.
 */
import { fork } from 'node:child_process'
import { Worker as Thread } from 'node:worker_threads'
import type { MeasurementSink } from '../domain/measure.js'
import type { JobContext } from './handlers.js'
import { CALLS, type FromHandler, fromWords, type ToHandler, toWords } from './isolate-words.js'
import type { Run } from './run.js'

type Mode = 'thread' | 'process'

interface Cell {
  readonly mode: Mode
  say(message: ToHandler): void
  kill(): void
  onMessage: (message: FromHandler) => void
  onGone: (how: string) => void
}

const FILE = new URL('./isolate-handler.js', import.meta.url)

export class Isolates {
  readonly #abortMs: number
  readonly #measured: MeasurementSink
  readonly #idle: Cell[] = []
  readonly #all = new Set<Cell>()

  constructor(abortMs: number, measured: MeasurementSink = () => {}) {
    this.#abortMs = abortMs
    this.#measured = measured
  }

  run(run: Run, context: JobContext, input: unknown): Promise<unknown> {
    const { entry, job } = run
    if (entry === undefined || !('isolate' in entry)) throw new Error('the handler is not isolated')
    const cell = this.#take(entry.isolate)
    const signal = run.listen()
    return new Promise((resolve, reject) => {
      let killing: NodeJS.Timeout | undefined
      const onAbort = () => {
        const { code, message } = signal.reason as { code: 'timeout'; message: string }
        cell.say({ abort: { code, message } })
        killing = setTimeout(() => cell.kill(), this.#abortMs)
      }
      const over = () => {
        clearTimeout(killing)
        signal.removeEventListener('abort', onAbort)
        cell.onMessage = () => {}
        cell.onGone = () => {}
      }
      cell.onGone = (how) => {
        over()
        reject(signal.aborted ? signal.reason : crashed(entry.isolate, how))
      }
      cell.onMessage = (message) => {
        if ('ended' in message) {
          over()
          this.#idle.push(cell)
          const { value, error, heard } = message.ended
          run.heard ||= heard
          if (error === undefined) resolve(value)
          else reject(fromWords(error))
        } else if ('measured' in message) this.#measured(message.measured)
        else answer(cell, run, context, message)
      }
      signal.addEventListener('abort', onAbort)
      cell.say({ run: { module: entry.module, job, input, queue: context.queue } })
      if (signal.aborted) onAbort()
    })
  }

  close(): void {
    for (const cell of this.#all) cell.kill()
  }

  #take(mode: Mode): Cell {
    const at = this.#idle.findIndex((cell) => cell.mode === mode)
    const [warm] = at < 0 ? [] : this.#idle.splice(at, 1)
    if (warm !== undefined) return warm
    const cell = (mode === 'thread' ? threadCell : processCell)((dead, how) => this.#gone(dead, how))
    this.#all.add(cell)
    return cell
  }

  #gone(cell: Cell, how: string): void {
    this.#all.delete(cell)
    const idle = this.#idle.indexOf(cell)
    if (idle >= 0) this.#idle.splice(idle, 1)
    cell.onGone(how)
  }
}

type Gone = (cell: Cell, how: string) => void

function threadCell(gone: Gone): Cell {
  const thread = new Thread(FILE, { execArgv: [] })
  thread.unref()
  const cell: Cell = {
    mode: 'thread',
    say: (message) => thread.postMessage(message),
    kill: () => void thread.terminate(),
    onMessage: () => {},
    onGone: () => {},
  }
  let how: string | undefined
  thread.on('message', (message: FromHandler) => cell.onMessage(message))
  thread.on('error', (error) => {
    how = error.message
  })
  thread.on('exit', (code) => gone(cell, how ?? `exit code ${code}`))
  return cell
}

function processCell(gone: Gone): Cell {
  const child = fork(FILE, [String(process.pid)], { serialization: 'advanced', execArgv: [] })
  child.unref()
  child.channel?.unref()
  const cell: Cell = {
    mode: 'process',
    // One that is gone is heard of by its exit.
    say: (message) => void (child.connected && child.send(message, () => {})),
    kill: () => void child.kill('SIGKILL'),
    onMessage: () => {},
    onGone: () => {},
  }
  child.on('message', (message) => cell.onMessage(message as FromHandler))
  child.on('error', (error) => gone(cell, error.message))
  child.on('exit', (code, signal) => gone(cell, signal === null ? `exit code ${code}` : `signal ${signal}`))
  return cell
}

function answer(cell: Cell, run: Run, context: JobContext, message: FromHandler): void {
  if ('log' in message) {
    const { level, message: text, fields } = message.log
    run.log.add(level, text, fields)
    return
  }
  if (!('call' in message) || !CALLS.includes(message.call.name)) return
  const { call, name, args } = message.call
  const method = context[name] as (...args: unknown[]) => Promise<unknown>
  method(...args).then(
    (value) => cell.say({ reply: { call, value } }),
    (error) => cell.say({ reply: { call, error: toWords(error) } }),
  )
}

function crashed(mode: Mode, how: string): Error {
  return Object.assign(new Error(`the ${mode} that ran the handler ended: ${how}`), {
    name: 'HandlerCrashed',
  })
}

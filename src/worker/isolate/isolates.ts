/**
 * Runs handlers in isolated threads or processes. A crash there fails one attempt, and an endless loop is killed after the time to settle.
 * An isolate is reused for the next job; there are never more of them than slots.
 */
import { fork } from 'node:child_process'
import { Worker as Thread } from 'node:worker_threads'
import type { MeasurementSink } from '../../domain/measure.js'
import type { HandlerContext } from '../handlers.js'
import type { Run } from '../run.js'
import {
  CALLS,
  deserializeError,
  type FromHandler,
  serializeError,
  type ToHandler,
} from './isolate-protocol.js'

type IsolateMode = 'thread' | 'process'

interface Isolate {
  readonly mode: IsolateMode
  send(message: ToHandler): void
  kill(): void
  onMessage: (message: FromHandler) => void
  onExit: (how: string) => void
}

const FILE = new URL('./isolate-handler.js', import.meta.url)

export class Isolates {
  readonly #abortMs: number
  readonly #measured: MeasurementSink
  readonly #idle: Isolate[] = []
  readonly #all = new Set<Isolate>()

  constructor(abortMs: number, measured: MeasurementSink = () => {}) {
    this.#abortMs = abortMs
    this.#measured = measured
  }

  run(run: Run, context: HandlerContext, input: unknown): Promise<unknown> {
    const { entry, job } = run
    if (entry === undefined || !('isolate' in entry)) throw new Error('the handler is not isolated')
    const isolate = this.#take(entry.isolate)
    const signal = run.listen()
    return new Promise((resolve, reject) => {
      let killing: NodeJS.Timeout | undefined
      const onAbort = () => {
        const { code, message } = signal.reason as { code: 'timeout'; message: string }
        isolate.send({ abort: { code, message } })
        killing = setTimeout(() => isolate.kill(), this.#abortMs)
      }
      const over = () => {
        clearTimeout(killing)
        signal.removeEventListener('abort', onAbort)
        isolate.onMessage = () => {}
        isolate.onExit = () => {}
      }
      isolate.onExit = (how) => {
        over()
        reject(signal.aborted ? signal.reason : crashed(entry.isolate, how))
      }
      isolate.onMessage = (message) => {
        if ('ended' in message) {
          over()
          this.#idle.push(isolate)
          const { value, error, abortSeen } = message.ended
          run.abortSeen ||= abortSeen
          if (error === undefined) resolve(value)
          else reject(deserializeError(error))
        } else if ('measured' in message) this.#measured(message.measured)
        else answer(isolate, run, context, message)
      }
      signal.addEventListener('abort', onAbort)
      isolate.send({ run: { module: entry.module, job, input, queue: context.queue } })
      if (signal.aborted) onAbort()
    })
  }

  close(): void {
    for (const isolate of this.#all) isolate.kill()
  }

  #take(mode: IsolateMode): Isolate {
    const at = this.#idle.findIndex((isolate) => isolate.mode === mode)
    const [warm] = at < 0 ? [] : this.#idle.splice(at, 1)
    if (warm !== undefined) return warm
    const isolate = (mode === 'thread' ? threadIsolate : processIsolate)((dead, how) => this.#gone(dead, how))
    this.#all.add(isolate)
    return isolate
  }

  #gone(isolate: Isolate, how: string): void {
    this.#all.delete(isolate)
    const idle = this.#idle.indexOf(isolate)
    if (idle >= 0) this.#idle.splice(idle, 1)
    isolate.onExit(how)
  }
}

type ExitListener = (isolate: Isolate, how: string) => void

function threadIsolate(gone: ExitListener): Isolate {
  const thread = new Thread(FILE, { execArgv: [] })
  thread.unref()
  const isolate: Isolate = {
    mode: 'thread',
    send: (message) => thread.postMessage(message),
    kill: () => void thread.terminate(),
    onMessage: () => {},
    onExit: () => {},
  }
  let how: string | undefined
  thread.on('message', (message: FromHandler) => isolate.onMessage(message))
  thread.on('error', (error) => {
    how = error.message
  })
  thread.on('exit', (code) => gone(isolate, how ?? `exit code ${code}`))
  return isolate
}

function processIsolate(gone: ExitListener): Isolate {
  const child = fork(FILE, [String(process.pid)], { serialization: 'advanced', execArgv: [] })
  child.unref()
  child.channel?.unref()
  const isolate: Isolate = {
    mode: 'process',
    // A process that is gone is noticed by its exit event.
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill: () => void child.kill('SIGKILL'),
    onMessage: () => {},
    onExit: () => {},
  }
  child.on('message', (message) => isolate.onMessage(message as FromHandler))
  child.on('error', (error) => gone(isolate, error.message))
  child.on('exit', (code, signal) =>
    gone(isolate, signal === null ? `exit code ${code}` : `signal ${signal}`),
  )
  return isolate
}

function answer(isolate: Isolate, run: Run, context: HandlerContext, message: FromHandler): void {
  if ('log' in message) {
    const { level, message: text, fields } = message.log
    run.log.add(level, text, fields)
    return
  }
  if (!('call' in message) || !CALLS.includes(message.call.name)) return
  const { call, name, args } = message.call
  const method = context[name] as (...args: unknown[]) => Promise<unknown>
  method(...args).then(
    (value) => isolate.send({ reply: { call, value } }),
    (error) => isolate.send({ reply: { call, error: serializeError(error) } }),
  )
}

function crashed(mode: IsolateMode, how: string): Error {
  return Object.assign(new Error(`the ${mode} that ran the handler ended: ${how}`), {
    name: 'HandlerCrashed',
  })
}

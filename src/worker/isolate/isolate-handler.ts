/** Entry of an isolated thread or process: imports a handler module and runs one job at a time; its context works by messages. */
import { parentPort, Worker as Thread } from 'node:worker_threads'
import { cleanJson } from '../../domain/clean.js'
import { measureInto } from '../../domain/measure.js'
import type { Reported } from '../../domain/port.js'
import type { HandlerContext, JobLogger } from '../handlers.js'
import { JobAborted } from '../outcomes.js'
import {
  type CallName,
  deserializeError,
  type FromHandler,
  serializeError,
  type ToHandler,
} from './isolate-protocol.js'

type IsolatedHandler = (context: HandlerContext, input: unknown) => unknown

const port = parentPort
const send = (message: FromHandler) => {
  if (port !== null) port.postMessage(message)
  else process.send?.(message)
}

const measure = measureInto((measured) => send({ measured }))

let controller = new AbortController()
let abortSeen = false
let calls = 0
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()

function onMessage(message: ToHandler): void {
  if ('run' in message) void run(message.run)
  else if ('abort' in message) {
    controller.abort(new JobAborted(message.abort.code, message.abort.message))
  } else {
    const { call, value, error } = message.reply
    const asked = waiting.get(call)
    waiting.delete(call)
    if (error === undefined) asked?.resolve(value)
    else asked?.reject(controller.signal.aborted ? controller.signal.reason : deserializeError(error))
  }
}

async function run({ module, job, input, queue }: Extract<ToHandler, { run: unknown }>['run']) {
  controller = new AbortController()
  abortSeen = false
  waiting.clear()
  try {
    const { default: handler } = (await import(module)) as { default: IsolatedHandler }
    const value = await handler(contextOf(job, queue), input)
    endWith(value)
  } catch (error) {
    send({ ended: { error: serializeError(error), abortSeen } })
  }
}

function endWith(value: unknown): void {
  try {
    send({ ended: { value, abortSeen } })
  } catch {
    // The value cannot be cloned; what can be stored can be sent.
    send({ ended: { value: JSON.parse(cleanJson(value).json), abortSeen } })
  }
}

function ask<T>(name: CallName, args: unknown[]): Promise<T> {
  const call = ++calls
  const answer = new Promise<unknown>((resolve, reject) => waiting.set(call, { resolve, reject }))
  answer.catch(() => {})
  send({ call: { call, name, args } })
  return answer as Promise<T>
}

function contextOf(job: HandlerContext['job'], queue: string): HandlerContext {
  const elsewhere = (what: string) => () =>
    Promise.reject(new Error(`${what} is for handlers that run in the worker's own thread`))
  return {
    jobId: job.jobId,
    attempt: job.attempt,
    kind: job.kind,
    queue,
    job,
    get signal() {
      abortSeen = true
      return controller.signal
    },
    log: logger(),
    measure,
    previous: job.progress,
    cursor: job.progress?.cursor ?? null,
    progress: (value) => ask<void>('progress', [value]),
    report: (...args) => ask<Reported>('report', args),
    usage: (tokens) => ask<Reported>('usage', [tokens]),
    heartbeat: () => ask<void>('heartbeat', []),
    commit: elsewhere('commit'),
    completeIn: elsewhere('completeIn'),
    enqueue: elsewhere('enqueue'),
  }
}

function logger(): JobLogger {
  const at = (level: string) => (message: string, fields?: object) =>
    send({ log: { level, message: String(message), ...(fields === undefined ? {} : { fields }) } })
  return Object.assign(at('info'), {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  })
}

if (port !== null) port.on('message', onMessage)
else {
  const parent = new Thread(new URL('./isolate-parent.js', import.meta.url), {
    workerData: Number(process.argv[2]),
    execArgv: [],
  })
  parent.unref()
  process.on('message', onMessage)
  // The worker is gone. If the handler blocks this event loop, the thread ends the process.
  process.on('disconnect', () => process.exit(0))
}

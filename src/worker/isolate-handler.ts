/** Runs in a thread or process of its own: imports handlers by their address and runs one job at a time, with a context by message. */
import { parentPort, Worker as Thread } from 'node:worker_threads'
import { cleanJson } from '../domain/clean.js'
import { measureInto } from '../domain/measure.js'
import type { Reported } from '../domain/port.js'
import type { JobContext, JobLogger } from './handlers.js'
import { type CallName, type FromHandler, fromWords, type ToHandler, toWords } from './isolate-words.js'
import { JobAborted } from './outcomes.js'

type IsolatedHandler = (context: JobContext, input: unknown) => unknown

const port = parentPort
const say = (message: FromHandler) => {
  if (port !== null) port.postMessage(message)
  else process.send?.(message)
}

const measure = measureInto((measured) => say({ measured }))

let controller = new AbortController()
let heard = false
let calls = 0
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()

function hear(message: ToHandler): void {
  if ('run' in message) void run(message.run)
  else if ('abort' in message) {
    controller.abort(new JobAborted(message.abort.code, message.abort.message))
  } else {
    const { call, value, error } = message.reply
    const asked = waiting.get(call)
    waiting.delete(call)
    if (error === undefined) asked?.resolve(value)
    else asked?.reject(controller.signal.aborted ? controller.signal.reason : fromWords(error))
  }
}

async function run({ module, job, input, queue }: Extract<ToHandler, { run: unknown }>['run']) {
  controller = new AbortController()
  heard = false
  waiting.clear()
  try {
    const { default: handler } = (await import(module)) as { default: IsolatedHandler }
    const value = await handler(contextOf(job, queue), input)
    endWith(value)
  } catch (error) {
    say({ ended: { error: toWords(error), heard } })
  }
}

function endWith(value: unknown): void {
  try {
    say({ ended: { value, heard } })
  } catch {
    // Not everything can be sent from here; what can be stored can.
    say({ ended: { value: JSON.parse(cleanJson(value).json), heard } })
  }
}

function ask<T>(name: CallName, args: unknown[]): Promise<T> {
  const call = ++calls
  const answer = new Promise<unknown>((resolve, reject) => waiting.set(call, { resolve, reject }))
  answer.catch(() => {})
  say({ call: { call, name, args } })
  return answer as Promise<T>
}

function contextOf(job: JobContext['job'], queue: string): JobContext {
  const elsewhere = (what: string) => () =>
    Promise.reject(new Error(`${what} is for handlers that run in the worker's own thread`))
  return {
    jobId: job.jobId,
    attempt: job.attempt,
    kind: job.kind,
    queue,
    job,
    get signal() {
      heard = true
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
    say({ log: { level, message: String(message), ...(fields === undefined ? {} : { fields }) } })
  return Object.assign(at('info'), {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  })
}

if (port !== null) port.on('message', hear)
else {
  const parent = new Thread(new URL('./isolate-parent.js', import.meta.url), {
    workerData: Number(process.argv[2]),
    execArgv: [],
  })
  parent.unref()
  process.on('message', hear)
  // The worker is gone, whatever happened to it. A handler that keeps us from hearing of it is ended by the thread.
  process.on('disconnect', () => process.exit(0))
}

/**
 * Traces, by OpenTelemetry: `enqueue {queue}` where a job is made, `process {queue}` around its handler, `settle {queue}` until the database has
 * said what became of the attempt. The context of the first is stored with the job, so that the others find it in whatever process they are.
 *
 * Only the API package is used, and only if it is there; which SDK records, samples and exports is the program's own business. Where none is
 * registered, nothing is made: a look at the API, some 20 ns, is all a job pays.
 */
import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'
import type { ClaimedJob } from '../domain/port.js'
import { parseTraceContext, writeTraceContext } from '../domain/trace-context.js'

/** Whether an attempt gets a trace of its own that links to the job's, or continues the job's. */
export type ProcessSpans = 'link' | 'child'

interface Traceable {
  readonly queue: string
  readonly kind: string
  /** Of the caller, where there is no active span. */
  readonly trace?: string | undefined
}

interface EnqueueFacts extends Traceable {
  readonly count: number
}

interface Made {
  readonly jobId: number
}

export class Traces {
  readonly #api: typeof Api
  readonly #version: string

  constructor(api: typeof Api, version: string) {
    this.#api = api
    this.#version = version
  }

  /** Undefined while nobody has registered an SDK. */
  get #tracer(): Api.Tracer | undefined {
    const provider = this.#api.trace.getTracerProvider() as Partial<Api.ProxyTracerProvider>
    return provider.getDelegateTracer?.('holdfast', this.#version)
  }

  /** Runs `make` with what to store as the job's trace. */
  async enqueue<T extends Made | readonly Made[]>(
    facts: EnqueueFacts,
    make: (trace: string | undefined) => Promise<T>,
  ): Promise<T> {
    const tracer = this.#tracer
    if (tracer === undefined) return make(facts.trace)
    const { trace, SpanKind } = this.#api
    const { queue, kind, count } = facts
    const attributes = {
      ...attributesOf('enqueue', 'send', queue),
      'messaging.holdfast.kind': kind,
      ...(count === 1 ? {} : { 'messaging.batch.message_count': count }),
    }
    const parent = this.#parentOf(facts.trace)
    const span = tracer.startSpan(`enqueue ${queue}`, { kind: SpanKind.PRODUCER, attributes }, parent)
    try {
      const { traceId, spanId, traceFlags } = span.spanContext()
      const stored = writeTraceContext({ traceId, spanId, flags: traceFlags })
      const made = await this.#api.context.with(trace.setSpan(parent, span), () => make(stored))
      const [only, ...more] = [made].flat() as Made[]
      if (only !== undefined && more.length === 0)
        span.setAttribute('messaging.message.id', String(only.jobId))
      return made
    } catch (error) {
      this.#fail(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  /** Makes traces of attempts, as a worker wants it. */
  attempts(spans: ProcessSpans = 'link') {
    return {
      begin: (job: ClaimedJob, queue: string, worker: string) => {
        const tracer = this.#tracer
        return tracer && this.#process(tracer, spans, job, queue, worker)
      },
    }
  }

  #process(tracer: Api.Tracer, spans: ProcessSpans, job: ClaimedJob, queue: string, worker: string) {
    const { trace, context, SpanKind } = this.#api
    const from = job.trace === null ? undefined : this.#remote(job.trace)
    const said = { 'messaging.message.id': String(job.jobId), 'messaging.holdfast.attempt': job.attempt }
    const attributes = {
      ...attributesOf('process', 'process', queue),
      ...said,
      'messaging.holdfast.kind': job.kind,
      'messaging.holdfast.worker': worker,
    }
    const isChild = spans === 'child' && from !== undefined
    const span = tracer.startSpan(
      `process ${queue}`,
      {
        kind: SpanKind.CONSUMER,
        attributes,
        root: !isChild,
        links: from === undefined || isChild ? [] : [{ context: from }],
      },
      isChild ? trace.setSpanContext(this.#api.ROOT_CONTEXT, from) : this.#api.ROOT_CONTEXT,
    )
    const around = trace.setSpan(this.#api.ROOT_CONTEXT, span)
    let settle: Api.Span | undefined
    return {
      traceId: span.spanContext().traceId,
      within: <T>(run: () => T): T => context.with(around, run),
      ended: (outcome: string, error: unknown) => {
        span.setAttribute('messaging.holdfast.outcome', outcome)
        if (error !== undefined) this.#fail(span, error)
        span.end()
        const settling = { ...attributesOf('settle', 'settle', queue), ...said }
        settle = tracer.startSpan(`settle ${queue}`, { kind: SpanKind.CLIENT, attributes: settling }, around)
      },
      settled: (accepted: boolean, state: string | null) => {
        settle?.setAttributes({
          'messaging.holdfast.accepted': accepted,
          ...(state === null ? {} : { 'messaging.holdfast.state': state }),
        })
        if (!accepted)
          settle?.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: 'the lease was lost' })
        settle?.end()
      },
    }
  }

  /** The active span, or else what the caller says. */
  #parentOf(trace: string | undefined): Api.Context {
    const active = this.#api.context.active()
    if (trace === undefined || this.#api.trace.getSpanContext(active) !== undefined) return active
    const from = this.#remote(trace)
    return from === undefined ? active : this.#api.trace.setSpanContext(active, from)
  }

  #remote(text: string): Api.SpanContext | undefined {
    const known = parseTraceContext(text)
    if (known === undefined) return undefined
    return { traceId: known.traceId, spanId: known.spanId, traceFlags: known.flags, isRemote: true }
  }

  #fail(span: Api.Span, error: unknown): void {
    const { name, message = String(error) } = (error ?? {}) as { name?: string; message?: string }
    span.recordException({ ...(name === undefined ? {} : { name }), message })
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message })
  }
}

/** The jobs of one call are one step of a trace, which each of them carries on. */
export function tracedJobs<J extends Traceable, T extends Made | readonly Made[]>(
  traces: Traces | undefined,
  jobs: readonly J[],
  make: (jobs: readonly J[]) => Promise<T>,
): Promise<T> {
  const [first] = jobs
  if (traces === undefined || first === undefined) return make(jobs)
  const { queue, kind, trace } = first
  return traces.enqueue({ queue, kind, trace, count: jobs.length }, (stored) =>
    make(stored === trace ? jobs : jobs.map((job) => ({ ...job, trace: stored }))),
  )
}

function attributesOf(name: string, type: string, queue: string) {
  return {
    'messaging.system': 'holdfast',
    'messaging.operation.name': name,
    'messaging.operation.type': type,
    'messaging.destination.name': queue,
  }
}

/**
 * Undefined where the package is not installed. By require, because that can be asked for without waiting; what is registered with the API is
 * the same however it was loaded.
 */
export function openTraces(
  version: string,
  load: (name: string) => unknown = createRequire(import.meta.url),
): Traces | undefined {
  try {
    return new Traces(load('@opentelemetry/api') as typeof Api, version)
  } catch {
    return undefined
  }
}

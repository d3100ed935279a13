/**
 * Traces, by OpenTelemetry: `enqueue {queue}` where a job is enqueued, `process {queue}` around its handler, `settle {queue}` until the database
 * has answered the finish. The context of the first is stored with the job, so that the others can continue it in any process.
 *
 * Only the API package is used, and only if it is installed; the program chooses the SDK that records, samples and exports. If none is
 * registered, no spans are created, and a job costs one check of the API, about 20 ns.
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
  /** The trace of the caller, if there is no active span. */
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

  /** Undefined while no SDK is registered. */
  get #tracer(): Api.Tracer | undefined {
    const provider = this.#api.trace.getTracerProvider() as Partial<Api.ProxyTracerProvider>
    return provider.getDelegateTracer?.('holdfast', this.#version)
  }

  /** Runs `make` with the trace to store with the job. */
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

  /** Creates the spans of attempts for a worker. */
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
    const ids = { 'messaging.message.id': String(job.jobId), 'messaging.holdfast.attempt': job.attempt }
    const attributes = {
      ...attributesOf('process', 'process', queue),
      ...ids,
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
        const settling = { ...attributesOf('settle', 'settle', queue), ...ids }
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

  /** The active span, or else the trace that the caller passed. */
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

/** The jobs of one call share one span, which each of them continues. */
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
 * Undefined if the package is not installed. Loaded by require, which is synchronous; the API shares its registrations however it is loaded.
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

// Traces across processes: this one makes the jobs, another works on them, each with an SDK of its own.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { type App, defineJob } from 'holdfast'
import { afterEach, expect, it } from 'vitest'
import { openTraces } from '../../src/telemetry/traces.js'
import { freshServer } from '../server/world.js'
import { freshApp } from '../support/app.js'
import { postgresUrl } from '../support/world.js'

interface Told {
  readonly name: string
  readonly kind: SpanKind
  readonly traceId: string
  readonly spanId: string
  readonly parentId?: string
  readonly links: string[]
  readonly attributes: Record<string, unknown>
  readonly status: SpanStatusCode
  readonly events: string[]
}

const exporter = new InMemorySpanExporter()

function registerSdk(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
}
afterEach(() => {
  trace.disable()
  context.disable()
  exporter.reset()
})

const parent = defineJob({ kind: 'parent', queue: 'q', handler: (_ctx, _input: { fail: boolean }) => {} })

async function workElsewhere({ store }: App, processSpans?: 'child') {
  const program = fileURLToPath(new URL('./programs/traced-worker.js', import.meta.url))
  const options = JSON.stringify({ url: postgresUrl(), schema: store.schema, processSpans })
  const { stdout } = await promisify(execFile)(process.execPath, [program, options])
  return JSON.parse(stdout) as { spans: Told[]; traceIds: [number, string | null][] }
}

const only = (spans: readonly Told[], name: string): Told => {
  const [span, more] = spans.filter((one) => one.name === name)
  expect(more).toBeUndefined()
  if (span === undefined) throw new Error(`there is no span ${name} among ${spans.map((one) => one.name)}`)
  return span
}

it('a job is one step where it is made, a trace of its own that links to it where it is worked on, and a step until that is settled', async () => {
  registerSdk()
  const app = await freshApp({ jobs: [parent] })
  const caller = trace.getTracer('caller').startSpan('request')
  const job = await context.with(trace.setSpan(context.active(), caller), () =>
    app.enqueue(parent, { fail: false }),
  )
  const [enqueued] = exporter.getFinishedSpans()
  expect(enqueued).toMatchObject({
    name: 'enqueue q',
    kind: SpanKind.PRODUCER,
    parentSpanContext: { spanId: caller.spanContext().spanId },
    attributes: {
      'messaging.system': 'holdfast',
      'messaging.operation.name': 'enqueue',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'q',
      'messaging.message.id': String(job.id),
      'messaging.holdfast.kind': 'parent',
    },
  })

  const { spans, traceIds } = await workElsewhere(app)
  const processed = only(spans, 'process q')
  expect(processed).toMatchObject({
    kind: SpanKind.CONSUMER,
    links: [enqueued?.spanContext().spanId],
    attributes: {
      'messaging.system': 'holdfast',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'q',
      'messaging.message.id': String(job.id),
      'messaging.holdfast.kind': 'parent',
      'messaging.holdfast.attempt': 1,
      'messaging.holdfast.worker': 'w',
      'messaging.holdfast.outcome': 'succeeded',
    },
    status: SpanStatusCode.UNSET,
  })
  expect(processed.parentId).toBeUndefined()
  expect(processed.traceId).not.toBe(caller.spanContext().traceId)
  const within = { traceId: processed.traceId, parentId: processed.spanId }
  expect(only(spans, 'settle q')).toMatchObject({
    ...within,
    kind: SpanKind.CLIENT,
    attributes: { 'messaging.holdfast.accepted': true, 'messaging.holdfast.state': 'succeeded' },
  })
  expect(only(spans, 'inside')).toMatchObject(within)
  // What a handler makes goes on from its attempt.
  const made = only(spans, 'enqueue children')
  expect(made).toMatchObject(within)
  expect(only(spans, 'process children').links).toEqual([made.spanId])
  expect(traceIds).toContainEqual([job.id, processed.traceId])
})

it('on request an attempt continues the trace of its job, and a failure is a step that failed', async () => {
  registerSdk()
  const app = await freshApp({ jobs: [parent] })
  await app.enqueueMany(parent, [{ fail: true }, { fail: true }])
  const [enqueued] = exporter.getFinishedSpans()
  expect(enqueued?.attributes['messaging.batch.message_count']).toBe(2)
  const { spans } = await workElsewhere(app, 'child')
  const processed = spans.filter(({ name }) => name === 'process q')
  expect(processed).toHaveLength(2)
  for (const span of processed)
    expect(span).toMatchObject({
      traceId: enqueued?.spanContext().traceId,
      parentId: enqueued?.spanContext().spanId,
      links: [],
      attributes: { 'messaging.holdfast.outcome': 'failed' },
      status: SpanStatusCode.ERROR,
      events: ['exception'],
    })
})

it('a job made over HTTP carries on the trace of the header traceparent, also where nobody traces', async () => {
  const { call } = await freshServer()
  const traceOf = async (made: { body: { id: number } }) =>
    (await call('GET', `/api/v1/jobs/${made.body.id}`)).body.trace
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const body = { queue: 'q', kind: 'k' }
  const plain = await call('POST', '/api/v1/jobs', { body, headers: { traceparent } })
  expect(await traceOf(plain)).toBe(traceparent)
  const odd = await call('POST', '/api/v1/jobs', { body, headers: { traceparent: 'nonsense' } })
  expect(await traceOf(odd)).toBeNull()

  registerSdk()
  const traced = await call('POST', '/api/v1/jobs', { body, headers: { traceparent } })
  const [span] = exporter.getFinishedSpans()
  expect(span).toMatchObject({ name: 'enqueue q', parentSpanContext: { spanId: 'b7ad6b7169203331' } })
  expect(await traceOf(traced)).toBe(`00-0af7651916cd43dd8448eb211c80319c-${span?.spanContext().spanId}-01`)
})

it('the same call again under its idempotency key is the same call, wherever in a trace it stands', async () => {
  registerSdk()
  const app = await freshApp({ jobs: [parent] })
  const first = await app.enqueue(parent, { fail: false }, { idempotencyKey: 'once' })
  const second = await app.enqueue(parent, { fail: false }, { idempotencyKey: 'once' })
  expect(second.id).toBe(first.id)
  await expect(app.enqueue(parent, { fail: true }, { idempotencyKey: 'once' })).rejects.toMatchObject({
    code: 'idempotency_mismatch',
  })
})

it('without the package there are no traces, and with it but without an SDK nothing is made', async () => {
  const missing = () => {
    throw Object.assign(new Error('not found'), { code: 'MODULE_NOT_FOUND' })
  }
  expect(openTraces('1', missing)).toBeUndefined()
  const traces = openTraces('1')
  expect(traces?.attempts().begin({ trace: null } as never, 'q', 'w')).toBeUndefined()
  const facts = { queue: 'q', kind: 'k', trace: 'as it was', count: 1 }
  expect(await traces?.enqueue(facts, async (stored) => ({ jobId: stored === 'as it was' ? 1 : 0 }))).toEqual(
    {
      jobId: 1,
    },
  )
})

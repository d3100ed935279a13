// A worker in a process of its own whose SDK keeps its spans and says them when it ends. Run by traces.slow.test.ts.
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { defineJob, holdfast } from 'holdfast'

const { url, schema, processSpans } = JSON.parse(process.argv[2])
const exporter = new InMemorySpanExporter()
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
)

const child = defineJob({ kind: 'child', queue: 'children', handler: () => {} })
const parent = defineJob({
  kind: 'parent',
  queue: 'q',
  maxRetries: 0,
  handler: async (ctx, { fail }) => {
    if (fail) throw new TypeError('no')
    await Promise.resolve()
    // Belongs to the span of this attempt, because it is the active one.
    trace.getTracer('mine').startSpan('inside').end()
    await ctx.enqueue(child, null)
  },
})

const app = await holdfast({ url, schema, jobs: [parent, child] })
const log = []
const working = await app.work({
  name: 'w',
  pollMs: 20,
  processSpans,
  onEnded: (ended) => void log.push(ended),
})
await working.idle()
await app.stop()
const spans = exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  kind: span.kind,
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentId: span.parentSpanContext?.spanId,
  links: span.links.map((link) => link.context.spanId),
  attributes: span.attributes,
  status: span.status.code,
  events: span.events.map(({ name }) => name),
}))
console.log(JSON.stringify({ spans, traceIds: log.map(({ jobId, traceId }) => [jobId, traceId]) }))

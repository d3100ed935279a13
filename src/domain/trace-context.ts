/** The W3C trace context that is stored with a job, as the header `traceparent` has it: version-trace-span-flags. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly flags: number
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
const NOTHING = /^0+$/

/** Undefined: not a trace context. A job's trace may be any text. */
export function parseTraceContext(text: string): TraceContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? []
  if (traceId === '' || NOTHING.test(traceId) || NOTHING.test(spanId) || text.startsWith('ff'))
    return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}

export function writeTraceContext({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, '0')}`
}

export function traceIdOf(text: string): string | null {
  return parseTraceContext(text)?.traceId ?? null
}

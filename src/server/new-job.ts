/** A job as it was sent, for the store. It says who made it; whoever has a key is known by its name. */
import { fromWire } from '../contract/case.js'
import { parseTraceContext, writeTraceContext } from '../domain/trace-context.js'
import type { NewJob } from '../store/new-job.js'
import type { Principal } from './principal.js'

export function newJobOf(said: object, who: Principal, traceparent?: string): NewJob {
  const job = fromWire<NewJob>(said)
  // Headers that proxies add are no reason to refuse a job.
  const trace = job.trace === undefined && traceparent !== undefined && parseTraceContext(traceparent)
  return {
    ...job,
    ...(job.createdBy !== undefined || who.open ? {} : { createdBy: who.name }),
    ...(trace ? { trace: writeTraceContext(trace) } : {}),
  }
}

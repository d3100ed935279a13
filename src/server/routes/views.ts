/** Conversions between the API and the store that need more than snake_case. */
import type { z } from 'zod'
import { fromWire, toWire } from '../../contract/case.js'
import type { item } from '../../contract/jobs/items.js'
import { job } from '../../contract/jobs/job.js'
import { attempt } from '../../contract/jobs/story.js'
import { invalidInput } from '../../domain/errors/errors.js'
import { parseTraceContext, writeTraceContext } from '../../domain/trace-context.js'
import type { NewJob } from '../../store/enqueue/new-job.js'
import type { Job } from '../../store/job-reads.js'
import type { Attempt, Item } from '../../store/rows.js'
import type { Principal } from '../access/principal.js'
import type { Redact } from '../access/redact.js'

/** Only the fields of the contract: rows also have internal ones, and aliases that presets use. */
export function only<S extends z.ZodObject>(schema: S): (row: object) => z.input<S> {
  const fields = Object.keys(schema.shape)
  return (row) => {
    const wire = toWire<Record<string, unknown>>(row)
    return Object.fromEntries(fields.map((name) => [name, wire[name] ?? null])) as z.input<S>
  }
}

const jobFields = only(job)
const attemptFields = only(attempt)

export function jobView(row: Job, redact: Redact): z.input<typeof job> {
  const view = jobFields(row)
  return {
    ...view,
    input: redact(view.input),
    result: redact(view.result),
    last_cursor: redact(view.last_cursor),
    progress: redact(view.progress),
  }
}

/** Without the lease: a caller that knows it could write as the worker. */
export function attemptView(row: Attempt, redact: Redact): z.input<typeof attempt> {
  const view = attemptFields(row)
  return { ...view, result: redact(view.result) }
}

export function itemView(row: Item, redact: Redact): z.input<typeof item> {
  return toWire({ ...row, data: redact(row.data) })
}

interface JobHistory extends Record<string, unknown> {
  readonly input: unknown
  readonly progress: { readonly cursor?: unknown; readonly progress?: unknown } | null
  readonly attempts: readonly { readonly lease?: unknown; readonly result?: unknown }[]
}

/** The history of a job, also without leases. */
export function historyView(history: Record<string, unknown>, redact: Redact): Record<string, unknown> {
  const { input, progress, attempts, ...rest } = history as unknown as JobHistory
  return {
    ...rest,
    input: redact(input),
    progress: progress && {
      ...progress,
      cursor: redact(progress.cursor),
      progress: redact(progress.progress),
    },
    attempts: attempts.map(({ lease: _lease, ...each }) =>
      'result' in each ? { ...each, result: redact(each.result) } : each,
    ),
  }
}

/** Fields of a new job that have a second name, for callers that know them from a preset. */
const OTHER_NAMES = {
  target_id: 'target',
  subreddit_id: 'subject',
  visible_at: 'run_at',
  target_count: 'item_goal',
} as const
/** Fields that are text, and for which callers may send a number. */
const TEXTS: ReadonlySet<string> = new Set(['target', 'subject'])

function withUsualNames(body: object, path: string): object {
  const fields: Record<string, unknown> = { ...body }
  for (const [other, usual] of Object.entries(OTHER_NAMES)) {
    const value = fields[other]
    delete fields[other]
    if (value === undefined) continue
    if (fields[usual] !== undefined)
      throw invalidInput(`${path}/${other}`, `is another name of \`${usual}\`; give only one of them`)
    fields[usual] = TEXTS.has(usual) ? String(value) : value
  }
  return fields
}

/** A job from a request. `created_by` is the name of the key unless the caller gives another. `path` is where the job stands in the body. */
export function newJobOf(body: object, who: Principal, traceparent?: string, path = ''): NewJob {
  const job = fromWire<NewJob>(withUsualNames(body, path))
  // A proxy may have added an invalid header, so it is ignored.
  const trace = job.trace === undefined && traceparent !== undefined && parseTraceContext(traceparent)
  return {
    ...job,
    ...(job.createdBy !== undefined || who.open ? {} : { createdBy: who.name }),
    ...(trace ? { trace: writeTraceContext(trace) } : {}),
  }
}

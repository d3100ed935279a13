/** How rows of the store look on the wire, where that is more than other names. */
import type { z } from 'zod'
import { toWire } from '../contract/case.js'
import type { item } from '../contract/items.js'
import { job } from '../contract/job.js'
import { attempt } from '../contract/story.js'
import type { Job } from '../store/read.js'
import type { Attempt, Item } from '../store/rows.js'
import type { Redact } from './redact.js'

/** The contract's fields and no others: the database has some twice, under the names of other documents, and some that are not to be told. */
export function only<S extends z.ZodObject>(schema: S): (row: object) => z.input<S> {
  const fields = Object.keys(schema.shape)
  return (row) => {
    const said = toWire<Record<string, unknown>>(row)
    return Object.fromEntries(fields.map((name) => [name, said[name] ?? null])) as z.input<S>
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

/** Without the lease: whoever knows it could write as the worker. */
export function attemptView(row: Attempt, redact: Redact): z.input<typeof attempt> {
  const view = attemptFields(row)
  return { ...view, result: redact(view.result) }
}

export function itemView(row: Item, redact: Redact): z.input<typeof item> {
  return toWire({ ...row, data: redact(row.data) })
}

interface Report extends Record<string, unknown> {
  readonly input: unknown
  readonly progress: { readonly cursor?: unknown; readonly progress?: unknown } | null
  readonly attempts: readonly { readonly lease?: unknown; readonly result?: unknown }[]
}

/** The document of the database, likewise without leases. */
export function reportView(document: Record<string, unknown>, redact: Redact): Record<string, unknown> {
  const { input, progress, attempts, ...rest } = document as unknown as Report
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

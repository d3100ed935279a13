/** How rows of the store look on the wire, where that is more than other names. */
import type { z } from 'zod'
import { toWire } from '../contract/case.js'
import { job } from '../contract/job.js'
import { attempt } from '../contract/story.js'
import type { Job } from '../store/read.js'
import type { Attempt } from '../store/rows.js'

/** The contract's fields and no others: the database has some twice, under the names of other documents, and some that are not to be told. */
function only<S extends z.ZodObject>(schema: S): (row: object) => z.input<S> {
  const fields = Object.keys(schema.shape)
  return (row) => {
    const said = toWire<Record<string, unknown>>(row)
    return Object.fromEntries(fields.map((name) => [name, said[name] ?? null])) as z.input<S>
  }
}

export const jobView: (row: Job) => z.input<typeof job> = only(job)

/** Without the lease: whoever knows it could write as the worker. */
export const attemptView: (row: Attempt) => z.input<typeof attempt> = only(attempt)

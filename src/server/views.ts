/** How rows of the store look on the wire, where that is more than other names. */
import type { z } from 'zod'
import { toWire } from '../contract/case.js'
import { job } from '../contract/job.js'
import type { Job } from '../store/read.js'

const JOB_FIELDS = Object.keys(job.shape)

/** The contract's fields and no others: the view of the database has some twice, under the names of other documents. */
export function jobView(row: Job): z.input<typeof job> {
  const said = toWire<Record<string, unknown>>(row)
  return Object.fromEntries(JOB_FIELDS.map((name) => [name, said[name] ?? null])) as z.input<typeof job>
}

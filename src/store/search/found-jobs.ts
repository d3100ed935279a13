/** The rows of jobs that a search has found, with what a list of results shows. */

import type { Session } from '../../database/database.js'
import { LISTED_JOB_FIELDS } from '../../domain/job-fields.js'
import { snake } from '../../json/case.js'
import type { ListedJob } from '../list/listing.js'
import { selectRows } from '../rows.js'

export interface FoundJob extends ListedJob {
  /** Null where it is too large. */
  readonly input: unknown
  /** The worker that runs it, or that ran the last attempt. */
  readonly worker: string | null
  readonly errorClass: string | null
  readonly errorFingerprint: string | null
  readonly startedAt: Date | null
}

/** Larger inputs, as they are stored, are left out of lists, and those that are four times as large as text. */
const LISTED_BYTES_MAX = 16_384

const FOUND = `select ${LISTED_JOB_FIELDS.map(snake).join(', ')}, started_at, input, worker, error_class, error_fingerprint
  from holdfast.found_jobs($1, $2)`

/** In the order of the ids. */
export function foundJobs(
  session: Session,
  ids: readonly number[],
  inputBytesMax = LISTED_BYTES_MAX,
): Promise<FoundJob[]> {
  return ids.length === 0 ? Promise.resolve([]) : selectRows<FoundJob>(session, FOUND, [ids, inputBytesMax])
}

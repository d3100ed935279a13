/** How claimed jobs come over the wire. */
import { checkLeaseMs, checkName } from '../domain/validate.js'
import { type Database, DEADLINES } from './database.js'
import type { HintColumns } from './hints.js'
import { type ClaimedJob, claimedFromBatch } from './rows.js'
import type { Standing } from './standing.js'

/** Named as the library names them, because renaming twenty fields of a thousand rows costs more than claiming some of them. */
export const CLAIMED = `job_id as "jobId", attempt, lease, expires_at as "expiresAt", queue_id as "queueId", kind, input, key, target, subject,
  created_at as "createdAt", timeout_ms as "timeoutMs", token_limit as "tokenLimit", target_count as "targetCount", trace, priority,
  failures, losses, interruptions, progress`

const BATCH = `select job_id as "jobId", queue_id as "queueId", kind, input, created_at as "createdAt", rest
  from holdfast.claim_batch($1, $2, $3::int[], $4, $5, $6::smallint[], $7::bigint[], $8::xid8)`

/** One call of the verb `claim_batch`. */
export async function askForJobs(
  database: Database,
  queueIds: readonly number[],
  { levels, jobs }: HintColumns,
  limit: number,
  { worker, lease, leaseMs }: { worker: string; lease?: number; leaseMs?: number },
  { since, breaks }: Standing,
): Promise<ClaimedJob[]> {
  const rows = await database.query<Record<string, unknown>>(
    BATCH,
    [
      checkName(worker, '/worker'),
      lease ?? null,
      queueIds,
      limit,
      leaseMs === undefined ? null : checkLeaseMs(leaseMs),
      levels,
      jobs,
      since,
    ],
    { deadlineMs: DEADLINES.claim, often: true, breaks },
  )
  return rows.map((row) => claimedFromBatch(row, lease ?? 0))
}

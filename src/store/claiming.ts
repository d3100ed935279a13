/** How claimed jobs come over the wire. */
import { checkLeaseMs, checkName } from '../domain/validate.js'
import { type Database, DEADLINES } from './database.js'
import type { HintColumns } from './hints.js'
import { type ClaimedJob, claimedFromBatch } from './rows.js'

/** Named as the library names them, because renaming twenty fields of a thousand rows costs more than claiming some of them. */
export const CLAIMED = `job_id as "jobId", attempt, lease, expires_at as "expiresAt", queue_id as "queueId", kind, input, key, target, subject,
  created_at as "createdAt", timeout_ms as "timeoutMs", token_limit as "tokenLimit", target_count as "targetCount", trace, priority,
  failures, losses, interruptions, progress`

/**
 * The same for a batch: five columns, and only where a job is not as nearly all of them are, the rest as an object. The driver takes
 * 4 us for a row of twenty columns and 3 for one of six.
 */
const BATCH = `select job_id as "jobId", queue_id as "queueId", kind, input, created_at as "createdAt",
  case when attempt > 1 or lease is distinct from $2 or priority <> 0 or level <> 100 or not fresh or timeout_ms is not null or key is not null
    or target is not null or subject is not null or trace is not null or token_limit is not null or target_count is not null
  then json_build_object('attempt', attempt, 'lease', lease, 'expiresAt', expires_at, 'key', key, 'target', target, 'subject', subject,
    'timeoutMs', timeout_ms, 'tokenLimit', token_limit, 'targetCount', target_count, 'trace', trace, 'priority', priority,
    'failures', failures, 'losses', losses, 'interruptions', interruptions, 'progress', progress, 'level', level, 'fresh', fresh) end as rest
  from holdfast.claim($1, $2, $3::int[], $4, $5, $6::smallint[], $7::bigint[], true)`

/** One call of the verb `claim`, in a transaction of its own. */
export async function askForJobs(
  database: Database,
  queueIds: readonly number[],
  { levels, jobs }: HintColumns,
  limit: number,
  { worker, lease, leaseMs }: { worker: string; lease?: number; leaseMs?: number },
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
    ],
    { deadlineMs: DEADLINES.claim },
  )
  return rows.map((row) => claimedFromBatch(row, lease ?? 0))
}

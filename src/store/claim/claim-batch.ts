/** One call of the SQL function `claim_batch`: its parameters, and how its rows become claimed jobs. */

import { type Database, DEADLINES } from '../../database/database.js'
import { checkLeaseMs, checkName, checkWholeOf } from '../../domain/validate.js'
import { type ClaimedJob, claimedFromRow } from '../rows.js'
import type { FrontierColumns } from './claim-frontier.js'
import type { ConnectionEpoch } from './connection-epoch.js'

/** Queues of one tenant. */
export interface WorkerScope {
  readonly queues: readonly string[]
  readonly tenant?: string
}

export interface ClaimOptions extends WorkerScope {
  /** The worker's name, as the attempts log shows it. */
  readonly worker: string
  /** The worker's open lease. If omitted, each job gets its own lease. */
  readonly lease?: number
  readonly limit?: number
  /** Length of the jobs' own leases, instead of the queue's. */
  readonly leaseMs?: number
  /**
   * How many of the claimed jobs start at once. The others are returned as `unstarted`, and the worker calls `start` before it runs them. If
   * omitted, all claimed jobs count as started.
   */
  readonly startNow?: number
  /** Recent jobs were short: mark a job as unstarted only where an interruption would have consequences. */
  readonly eager?: boolean
  /** Called when a full pass beside this claim found jobs that the next claim returns, so that the worker claims again at once. */
  readonly found?: () => void
}

const CLAIM_BATCH = `select job_id as "jobId", queue_id as "queueId", kind, input, created_at as "createdAt", rest
  from holdfast.claim_batch($1, $2, $3::int[], $4, $5, $6::smallint[], $7::bigint[], $8::xid8, $9, $10)`

export async function claimBatch(
  database: Database,
  queueIds: readonly number[],
  { levels, jobs }: FrontierColumns,
  limit: number,
  { worker, lease, leaseMs, startNow, eager }: ClaimOptions,
  { since, breaks }: ConnectionEpoch,
): Promise<ClaimedJob[]> {
  const rows = await database.query<Record<string, unknown>>(
    CLAIM_BATCH,
    [
      checkName(worker, '/worker'),
      lease ?? null,
      queueIds,
      limit,
      leaseMs === undefined ? null : checkLeaseMs(leaseMs),
      levels,
      jobs,
      since,
      startNow ?? null,
      eager ?? false,
    ],
    { deadlineMs: DEADLINES.claim, often: true, breaks },
  )
  return rows.map((row) => claimedFromBatch(row, lease ?? 0))
}

export function checkLimit(limit: number): number {
  return checkWholeOf(limit, '/limit', 'batchMax')
}

/** Most jobs have these values, so a row of the batch holds only the differences, as JSON in `rest`. */
function claimedFromBatch(
  { jobId, queueId, kind, input, createdAt, rest }: Record<string, unknown>,
  lease: number,
): ClaimedJob {
  const usual = {
    jobId,
    attempt: 1,
    lease,
    expiresAt: null,
    queueId,
    kind,
    input,
    key: null,
    target: null,
    subject: null,
    createdAt,
    timeoutMs: null,
    tokenLimit: null,
    itemGoal: null,
    trace: null,
    priority: 0,
    failures: 0,
    losses: 0,
    interruptions: 0,
    level: 100,
    fresh: true,
    progress: null,
  }
  if (rest === null) return usual as unknown as ClaimedJob
  const different = rest as Record<string, unknown>
  const expiresAt = typeof different.expiresAt === 'string' ? new Date(different.expiresAt) : null
  return claimedFromRow({ ...usual, ...different, expiresAt })
}

/** How claimed jobs come over the wire. */
import { checkLeaseMs, checkName } from '../domain/validate.js'
import { type Database, DEADLINES } from './database.js'
import type { HintedClaims } from './full-pass.js'
import type { HintColumns } from './hints.js'
import { type ClaimedJob, claimedFromBatch, type Ending, type Fence } from './rows.js'
import type { Standing } from './standing.js'
import type { Turns } from './turns.js'

/** Queues of one tenant. */
export interface WorkOf {
  readonly queues: readonly string[]
  readonly tenant?: string
}

export interface ClaimOptions extends WorkOf {
  /** The worker's name, as people will read it in the attempts log. */
  readonly worker: string
  /** The worker's open lease; without one each job gets a lease of its own. */
  readonly lease?: number
  readonly limit?: number
  /** Length of the leases of their own, instead of the queue's. */
  readonly leaseMs?: number
  /** So many begin at once, and `start` is said before any other that comes `unbegun`; not given: what is claimed has begun. */
  readonly begins?: number
  /** Jobs are short lately: only where an interruption has consequences at once is one marked as unbegun. */
  readonly eager?: boolean
  /** What this claimer remembers of its earlier claims; keep one for as long as the claimer lives. */
  readonly hints?: HintedClaims
  /** Jobs were found beside this call, which the next one hands out: do not wait with it. */
  readonly found?: () => void
  /** Whose turn it is among the queues; keep one for as long as the claimer lives. */
  readonly turns?: Turns
}

/** Named as the library names them, because renaming twenty fields of a thousand rows costs more than claiming some of them. */
export const CLAIMED = `job_id as "jobId", attempt, lease, expires_at as "expiresAt", queue_id as "queueId", kind, input, key, target, subject,
  created_at as "createdAt", timeout_ms as "timeoutMs", token_limit as "tokenLimit", target_count as "targetCount", trace, priority,
  failures, losses, interruptions, progress`

const BATCH = `select job_id as "jobId", queue_id as "queueId", kind, input, created_at as "createdAt", rest
  from holdfast.claim_batch($1, $2, $3::int[], $4, $5, $6::smallint[], $7::bigint[], $8::xid8, $9, $10)`

interface Beginning {
  readonly begins?: number
  readonly eager?: boolean
}

interface Asking extends Beginning {
  readonly worker: string
  readonly lease?: number
  readonly leaseMs?: number
}

/** One call of the verb `claim_batch`. */
export async function askForJobs(
  database: Database,
  queueIds: readonly number[],
  { levels, jobs }: HintColumns,
  limit: number,
  { worker, lease, leaseMs, begins, eager }: Asking,
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
      begins ?? null,
      eager ?? false,
    ],
    { deadlineMs: DEADLINES.claim, often: true, breaks },
  )
  return rows.map((row) => claimedFromBatch(row, lease ?? 0))
}

/** The end of what nobody came for. */
export function unfetched({ jobId, attempt, lease }: Fence): Ending {
  return { jobId, attempt, lease, outcome: 'released', reason: 'nobody fetched it', began: false }
}

/** What is asked for where `before` others begin before it. */
export function beginning<Options extends Beginning>(options: Options, before: number): Options {
  const { begins, eager = false } = options
  if (begins === undefined) return options
  return { ...options, begins: Math.max(0, begins - before), eager: eager && Number.isFinite(before) }
}

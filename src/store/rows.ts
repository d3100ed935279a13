/** Rows of the database ↔ objects of the library. snake_case ends here, in both directions, and nowhere else. */
import { camel } from '../domain/case.js'
import { LeaseLost } from '../domain/errors.js'
import type { ClaimedJob, Ended, Fence, JobAttempt, Progress, Renewed } from '../domain/port.js'
import type { AttemptOutcome, State } from '../domain/states.js'
import type { CallOptions, Session } from './database.js'

export type {
  ClaimedJob,
  Ended,
  Ending,
  Fence,
  JobAttempt,
  Progress,
  Renewed,
  RenewOptions,
  Report,
  Reported,
} from '../domain/port.js'

export interface Attempt extends Omit<Fence, 'lease'> {
  readonly lease: number | null
  readonly worker: string | null
  readonly claimedAt: Date | null
  readonly startedAt: Date | null
  readonly finishedAt: Date
  readonly outcome: AttemptOutcome
  readonly movedTo: State
  readonly final: boolean
  readonly failures: number
  readonly result: unknown
  readonly reason: string | null
  readonly errorClass: string | null
  readonly errorMessage: string | null
  readonly errorFingerprint: string | null
  readonly errorStack: string | null
  readonly logExcerpt: string | null
  readonly cleaned: string[] | null
}

export interface Reason {
  readonly code: string
  readonly blocking: boolean
  readonly sentence: string
  readonly data: Record<string, unknown>
}

export interface FeedEvent {
  readonly id: number
  readonly at: Date
  readonly type: string
  readonly jobIds: number[]
  readonly queueId: number | null
  readonly actor: string | null
  readonly reason: string | null
  readonly data: unknown
}

export interface Item {
  readonly id: number
  readonly jobId: number
  readonly attempt: number
  readonly collection: string
  readonly key: string
  readonly data: unknown
  readonly createdAt: Date
}

type Row = Record<string, unknown>

/** snake_case keys to camelCase, one level deep: what is below is the user's own data. */
export function fromRow<T>(row: Row): T {
  const object: Row = {}
  for (const name of Object.keys(row)) object[camel(name)] = row[name]
  return object as T
}

/** Asks, and answers under the library's names. For questions only: one whose answer got lost is asked again. */
export async function selectRows<T>(
  session: Session,
  text: string,
  values: readonly unknown[] = [],
  options: Pick<CallOptions, 'rank'> = {},
): Promise<T[]> {
  const rows = await session.query<Row>(text, values, { repeatable: true, ...options })
  return rows.map((row) => fromRow<T>(row))
}

/** The hot ones come from the database under the library's names, so that only what differs is touched. */
export function claimedFromRow(row: Row): ClaimedJob {
  if (row.progress !== null) row.progress = progressFromRow(row.progress as Row)
  return row as unknown as ClaimedJob
}

/** A row of a claim of many: what is not as usual comes in `rest`. */
export function claimedFromBatch(
  { jobId, queueId, kind, input, createdAt, rest }: Row,
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
    targetCount: null,
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
  const unusual = rest as Row
  const expiresAt = typeof unusual.expiresAt === 'string' ? new Date(unusual.expiresAt) : null
  return claimedFromRow({ ...usual, ...unusual, expiresAt })
}

function progressFromRow(row: Row): Progress {
  return { ...fromRow<Progress>(row), lastProgressAt: new Date(row.last_progress_at as string) }
}

export function endedFromRow(row: Row): Ended {
  row.error = row.accepted === true ? null : new LeaseLost({ job: row.jobId, attempt: row.attempt })
  return row as unknown as Ended
}

export function renewedFromRow({ cancel, revoked, ...row }: Row): Renewed {
  const attempts = (rows: unknown) => (rows as Row[]).map((one) => fromRow<JobAttempt>(one))
  return { ...fromRow<Renewed>(row), cancel: attempts(cancel), revoked: attempts(revoked) }
}

export function feedEventFromRow(row: Row): FeedEvent {
  const { job_id: jobId, job_ids: jobIds, xid: _xid, ...rest } = row
  const ids = (jobIds ?? (jobId === null ? [] : [jobId])) as number[]
  return { ...fromRow<FeedEvent>(rest), at: new Date(row.at as string), jobIds: ids }
}

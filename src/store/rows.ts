/** Turns database rows into objects of the library. This is the only place that translates snake_case names. */

import type { CallOptions, Session } from '../database/database.js'
import { LeaseLost } from '../domain/errors/errors.js'
import type { ClaimedJob, Ended, Fence, JobAttempt, Progress, Renewed } from '../domain/port.js'
import type { AttemptOutcome, State } from '../domain/states/states.js'
import { camel } from '../json/case.js'

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

export interface ExplainReason {
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

/** snake_case keys to camelCase, one level deep: deeper keys are the user's own data. */
export function fromRow<T>(row: Row): T {
  const object: Row = {}
  for (const name of Object.keys(row)) object[camel(name)] = row[name]
  return object as T
}

/** Runs a read and returns its rows under the library's names. For reads only: after a broken connection it is sent again. */
export async function selectRows<T>(
  session: Session,
  text: string,
  values: readonly unknown[] = [],
  options: Pick<CallOptions, 'rank'> = {},
): Promise<T[]> {
  const rows = await session.query<Row>(text, values, { repeatable: true, ...options })
  return rows.map((row) => fromRow<T>(row))
}

/** Statements of the hot path alias their columns to the library's names, so that only fields that differ are touched here. */
export function claimedFromRow(row: Row): ClaimedJob {
  if (row.progress !== null) row.progress = progressFromRow(row.progress as Row)
  return row as unknown as ClaimedJob
}

function progressFromRow(row: Row): Progress {
  return { ...fromRow<Progress>(row), lastProgressAt: new Date(row.last_progress_at as string) }
}

export function endedFromRow(row: Row): Ended {
  row.error = row.accepted === true ? null : new LeaseLost({ job: row.jobId, attempt: row.attempt })
  return row as unknown as Ended
}

export function renewedFromRow({ cancel, revoked, ...row }: Row): Renewed {
  const attempts = (rows: unknown) => (rows as Row[]).map((attempt) => fromRow<JobAttempt>(attempt))
  return { ...fromRow<Renewed>(row), cancel: attempts(cancel), revoked: attempts(revoked) }
}

export function feedEventFromRow(row: Row): FeedEvent {
  const { job_id: jobId, job_ids: jobIds, xid: _xid, ...rest } = row
  const ids = (jobIds ?? (jobId === null ? [] : [jobId])) as number[]
  return { ...fromRow<FeedEvent>(rest), at: new Date(row.at as string), jobIds: ids }
}

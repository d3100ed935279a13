/** Rows of the database ↔ objects of the library. snake_case ends here, in both directions, and nowhere else. */
import { LeaseLost } from '../domain/errors.js'
import type { AttemptOutcome, Outcome, State } from '../domain/states.js'

/** The fence of a claim: only this very claim may write to the job. */
export interface Fence {
  readonly jobId: number
  readonly attempt: number
  readonly lease: number
}

export interface ClaimedJob extends Fence {
  /** When the job's own lease ends; null when it is under the worker's lease. */
  readonly expiresAt: Date | null
  readonly queueId: number
  readonly kind: string
  readonly input: unknown
  readonly key: string | null
  readonly target: string | null
  readonly subject: string | null
  readonly createdAt: Date
  readonly timeoutMs: number | null
  readonly tokenLimit: number | null
  readonly targetCount: number | null
  readonly trace: string | null
  readonly priority: number
  readonly failures: number
  readonly losses: number
  readonly interruptions: number
  /** Where it stood in the order: its level, and whether it had never been anywhere else. A claim by id does not say. */
  readonly level?: number
  readonly fresh?: boolean
  /** What earlier attempts reported; null when there were none or they said nothing. */
  readonly progress: Progress | null
}

export interface Progress {
  readonly cursor: unknown
  readonly progress: unknown
  readonly progressCount: number
  readonly resultCount: number
  readonly tokensUsed: number
  readonly lastProgressAt: Date
}

export interface Ended extends Omit<Fence, 'lease'> {
  /** False: the lease was lost and nothing was written; `error` says so as a typed error. */
  readonly accepted: boolean
  readonly state: State | null
  readonly dueAt: Date | null
  readonly error: LeaseLost | null
}

export interface Renewed {
  readonly lease: number
  readonly alive: boolean
  readonly expiresAt: Date | null
  /** Jobs somebody wants stopped. */
  readonly cancel: number[]
  /** Jobs ended over the worker's head. */
  readonly revoked: number[]
}

export interface Reported {
  readonly done: boolean
  readonly doneReason: string | null
  readonly newItems: number
  readonly duplicateItems: number
  readonly progressCount: number
  readonly resultCount: number
  readonly tokensUsed: number
  readonly tokenLimit: number | null
  readonly cancelRequested: boolean
  readonly expiresAt: Date | null
}

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

/** What a worker says when it is through with a job. */
export interface Ending extends Fence {
  readonly outcome: Outcome
  /** How long ago the handler began; the database turns it into its own time. */
  readonly startedAgoMs?: number
  readonly result?: unknown
  readonly reason?: string
  readonly error?: unknown
  readonly log?: string
  /** False: do not try again, whatever the policy allows. */
  readonly retryable?: boolean
  /** With `snoozed`: how long to wait. */
  readonly delayMs?: number
}

/** What a worker says of a job it is still at. */
export interface Report extends Fence {
  readonly items?: readonly unknown[]
  readonly cursor?: unknown
  readonly progress?: unknown
  readonly tokens?: number
  readonly extendMs?: number
  readonly done?: boolean
  readonly doneReason?: string
  readonly result?: unknown
}

type Row = Record<string, unknown>

/** snake_case keys to camelCase, one level deep: what is below is the user's own data. */
export function fromRow<T>(row: Row): T {
  const object: Row = {}
  for (const name of Object.keys(row)) object[camel(name)] = row[name]
  return object as T
}

const known = new Map<string, string>()
function camel(name: string): string {
  let word = known.get(name)
  if (word === undefined) {
    word = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
    known.set(name, word)
  }
  return word
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
  const expiresAt = unusual.expiresAt === null ? null : new Date(unusual.expiresAt as string)
  return claimedFromRow({ ...usual, ...unusual, expiresAt })
}

function progressFromRow(row: Row): Progress {
  return { ...fromRow<Progress>(row), lastProgressAt: new Date(row.last_progress_at as string) }
}

export function endedFromRow(row: Row): Ended {
  row.error = row.accepted === true ? null : new LeaseLost({ job: row.jobId, attempt: row.attempt })
  return row as unknown as Ended
}

export function feedEventFromRow(row: Row): FeedEvent {
  const { job_id: jobId, job_ids: jobIds, xid: _xid, ...rest } = row
  const ids = (jobIds ?? (jobId === null ? [] : [jobId])) as number[]
  return { ...fromRow<FeedEvent>(rest), at: new Date(row.at as string), jobIds: ids }
}

/**
 * The body of a message: the id of a job. Nothing else in it is trusted: the database decides where the job is and whether it may run.
 * `queue` and `failed` are for people who inspect a queue or a dead-letter queue.
 */
import type { OutboxRow } from '../../store/triggers/triggers.js'

export interface MessageBody {
  readonly jobId: number
}

const LONGEST = 4_096

export function bodyOf({ jobId, queue }: Pick<OutboxRow, 'jobId' | 'queue'>, failed = false): string {
  return JSON.stringify({ job_id: jobId, queue, ...(failed ? { failed } : {}) })
}

/** Undefined: the message is not one of ours. */
export function readBody(body: string): MessageBody | undefined {
  if (body.length > LONGEST) return undefined
  try {
    const parsed: unknown = JSON.parse(body)
    const jobId =
      typeof parsed === 'object' && parsed !== null ? (parsed as { job_id?: unknown }).job_id : undefined
    return Number.isSafeInteger(jobId) && (jobId as number) > 0 ? { jobId: jobId as number } : undefined
  } catch {
    return undefined
  }
}

/**
 * What a message says: which job. Nothing in it is believed but that: where the job is, and whether it may run, is asked of the database.
 * `queue` and `failed` are for people who look into a queue or a dead-letter queue.
 */
import type { OutboxRow } from '../../store/triggers.js'

export interface Word {
  readonly jobId: number
}

const LONGEST = 4_096

export function bodyOf({ jobId, queue }: Pick<OutboxRow, 'jobId' | 'queue'>, failed = false): string {
  return JSON.stringify({ job_id: jobId, queue, ...(failed ? { failed } : {}) })
}

/** Undefined: not one of ours. */
export function readBody(body: string): Word | undefined {
  if (body.length > LONGEST) return undefined
  try {
    const said: unknown = JSON.parse(body)
    const jobId =
      typeof said === 'object' && said !== null ? (said as { job_id?: unknown }).job_id : undefined
    return Number.isSafeInteger(jobId) && (jobId as number) > 0 ? { jobId: jobId as number } : undefined
  } catch {
    return undefined
  }
}

/**
 * Carries out bulk operations: takes one, finds a page of its jobs, applies the command, until the operation has ended or the time is up.
 * Any number of processes may do so at once; the database gives each operation to one of them.
 */
import { HoldfastError } from '../../domain/errors/errors.js'
import type { BulkOperations, TakenBulk } from './bulk-operations.js'

export interface CarryOutOptions {
  /** Names this process; unique among all that run. */
  readonly runner: string
  /** Only this operation; default: the one that has waited longest. */
  readonly id?: number
  /** After this time it lets the operation go, so that others get a turn. */
  readonly forMs?: number
  readonly stopping?: AbortSignal
}

export interface CarriedOut {
  /** The operation that was taken; undefined: none was free. */
  readonly id?: number
  /** Jobs that the pages contained. */
  readonly jobs: number
  /** The operation has not ended, and nothing prevents it from going on. */
  readonly more: boolean
}

const FOR_MS = 5_000
/** Empty pages are skipped without a transaction until this time has passed; then the place is saved. */
const SAVE_EVERY_MS = 2_000
/** A page that failed is tried again after this time. */
const AGAIN_MS = 2_000

export async function carryOut(
  bulk: BulkOperations,
  { runner, id, forMs = FOR_MS, stopping }: CarryOutOptions,
): Promise<CarriedOut> {
  const taken = await bulk.take(runner, id)
  if (taken === undefined) return { jobs: 0, more: false }
  const stopAt = performance.now() + forMs
  let jobs = 0
  try {
    for (let at: TakenBulk = taken; ; ) {
      const page = await nextPage(bulk, at)
      const applied = await bulk.apply(at, runner, page.ids, page.next)
      // It was aborted, or another process has taken over.
      if (applied === undefined) return { id: taken.id, jobs, more: false }
      jobs += applied.jobs
      if (applied.state !== 'running') return { id: taken.id, jobs, more: true }
      if (stopping?.aborted || performance.now() > stopAt) break
      at = { ...at, page: at.page + 1, cursor: page.next, matched: at.matched + applied.jobs }
    }
  } catch (error) {
    await bulk.release(taken.id, runner, failureOf(error))
    throw error
  }
  await bulk.release(taken.id, runner)
  return { id: taken.id, jobs, more: true }
}

async function nextPage(
  bulk: BulkOperations,
  at: TakenBulk,
): Promise<{ ids: readonly number[]; next: string | null }> {
  const saveAt = performance.now() + SAVE_EVERY_MS
  let cursor = at.cursor
  for (;;) {
    const { ids, next } = await bulk.find(at, cursor)
    if (ids.length > 0 || next === null || performance.now() > saveAt) return { ids, next }
    cursor = next
  }
}

/** A search that the parser or the database refuses will be refused again; anything else may pass. */
function failureOf(error: unknown): { error: string; retryInMs?: number } {
  const { message } = error as Error
  const isFinal = error instanceof HoldfastError && error.status < 500 && error.status !== 409
  return isFinal ? { error: message } : { error: message, retryInMs: AGAIN_MS }
}

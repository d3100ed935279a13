/**
 * The system job that cancels another job of its strict queue. There only a worker can end a job, so a
 * cancellation is a job, too: its worker claims the named job and fails it for good, or discards it if it
 * waits for a retry. While another worker runs the named job, the cancel job is snoozed and tries again.
 */
import { HoldfastError } from '../domain/errors/errors.js'
import { CANCEL_KIND } from '../domain/system-kinds.js'
import type { Store } from '../store/store.js'
import type { HandlerContext, HandlerEntry } from '../worker/handlers.js'
import { GiveUp, Snooze } from '../worker/outcomes.js'

const AGAIN_MS = 5_000

export function cancelEntry(store: Store): HandlerEntry {
  return { handler: (ctx, input) => cancelNamed(store, ctx, input) }
}

async function cancelNamed(store: Store, ctx: HandlerContext, input: unknown): Promise<{ state: string }> {
  const { jobId, reason } = (input ?? {}) as { jobId?: unknown; reason?: unknown }
  if (!Number.isSafeInteger(jobId)) throw new GiveUp('the input does not name a job: { jobId }')
  // Of its own queue, and thereby of its own tenant.
  if ((await store.read.queueOf(jobId as number)) !== ctx.job.queueId)
    throw new GiveUp(`there is no job ${jobId} in this queue`)
  const why = typeof reason === 'string' ? `canceled: ${reason}` : 'canceled'
  if (await fail(store, jobId as number, why)) return { state: 'failed' }
  const state = await giveUp(store, jobId as number, why)
  if (state === 'failed') return { state }
  if (ENDED.has(state)) throw new GiveUp(`job ${jobId} has ended already: ${state}`)
  throw new Snooze(AGAIN_MS, `job ${jobId} is ${state}`)
}

const ENDED = new Set(['succeeded', 'canceled'])

/** Ends a job that waits for another try; answers the state it is in. */
async function giveUp(store: Store, jobId: number, reason: string): Promise<string> {
  try {
    return await store.commands.discard(jobId, { actor: CANCEL_KIND, reason })
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'wrong_state') return String(error.details.state)
    throw error
  }
}

/** Claims a job that no worker holds and fails it; false where it cannot be claimed. */
async function fail(store: Store, jobId: number, reason: string): Promise<boolean> {
  const claimed = await store.work.claimById(jobId, { worker: CANCEL_KIND })
  if (claimed === undefined) return false
  const [ended] = await store.work.finish([{ ...claimed, outcome: 'failed', retryable: false, reason }])
  return ended?.accepted === true
}

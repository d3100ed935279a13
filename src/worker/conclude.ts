/**
 * Decides the outcome of an attempt from what its handler returned or threw, and from an earlier abort.
 *
 * An aborted handler may not have noticed, or may have finished anyway. So a returned result counts as success, and an end without a
 * result counts as interrupted only if the handler had read its signal. A thrown Snooze, GiveUp or Cancel always decides. Null: nothing
 * to write, because the lease is lost or the handler has ended the job itself.
 */
import { LIMITS } from '../domain/limits.js'
import type { Ending } from '../domain/port.js'
import type { Outcome } from '../domain/states/states.js'
import { JobAborted, outcomeOf } from './outcomes.js'
import type { Run } from './run.js'

export type Details = Pick<
  Ending,
  'result' | 'reason' | 'error' | 'log' | 'retryable' | 'delayMs' | 'started'
>

export interface Conclusion {
  readonly outcome: Outcome
  readonly details: Details | null
}

/** The length of a reason in the log; the attempt row keeps more. */
const REASON_CHARS = 1_000

const SUCCEEDED: Conclusion = { outcome: 'succeeded', details: null }

export function concludeReturn(run: Run, value: unknown): Conclusion | null {
  if (run.lost || run.written) return null
  // A handler that completed in its own transaction did not stop because of the abort; finishing again changes nothing.
  if (
    run.aborted !== null &&
    !run.completed &&
    (run.aborted.code === 'token_limit' || (run.abortSeen && value === undefined))
  ) {
    return concludeAbort(run)
  }
  if (value === undefined && run.excerpt === undefined) return SUCCEEDED
  return concluded(run, 'succeeded', value === undefined ? {} : { result: value })
}

export function concludeThrow(run: Run, thrown: unknown): Conclusion | null {
  if (run.lost || run.written) return null
  if (run.aborted?.code === 'token_limit') return concludeAbort(run)
  const message = (thrown as Error | undefined)?.message ?? ''
  switch (outcomeOf(thrown)) {
    case 'snooze':
      return concluded(run, 'snoozed', {
        delayMs: wholeDelay((thrown as { ms?: unknown }).ms),
        reason: message,
      })
    case 'give_up':
      return concluded(run, 'failed', { error: thrown, retryable: false })
    case 'cancel':
      return concluded(run, 'canceled', { reason: message })
    default:
  }
  if (run.aborted !== null && (run.abortSeen || thrown === run.aborted)) return concludeAbort(run)
  return concluded(run, 'failed', { error: thrown })
}

/** The outcome of a handler that stopped because of an abort, or did not settle in time. */
export function concludeAbort(run: Run): Conclusion | null {
  const { aborted } = run
  if (run.lost || run.written || aborted === null) return null
  switch (aborted.code) {
    case 'cancel':
      return concluded(run, 'canceled', {})
    case 'timeout':
      return concluded(run, 'failed', { error: aborted })
    case 'token_limit':
      return concluded(run, 'failed', { error: aborted, reason: 'token limit', retryable: false })
    case 'shutdown':
      return concluded(run, 'released', { reason: 'shutdown', ...(run.called ? {} : { started: false }) })
    case 'lease_lost':
      return null
  }
}

export function unknownKind(kind: string, known: readonly string[]): Conclusion {
  const list = known.length === 0 ? 'none' : known.slice(0, 50).join(', ')
  return {
    outcome: 'parked',
    details: { reason: `this worker has no handler for the kind "${kind}"; it knows: ${list}` },
  }
}

export function invalidInput(run: Run, path: string, message: string): Conclusion {
  const error = Object.assign(new Error(`The input is not valid at ${path}: ${message}`), {
    name: 'InvalidInput',
  })
  return concluded(run, 'failed', { error, retryable: false })
}

export function timedOut(timeoutMs: number): JobAborted {
  return new JobAborted('timeout', `The attempt took longer than ${timeoutMs} ms.`)
}

function concluded(run: Run, outcome: Outcome, details: Details): Conclusion {
  const { excerpt } = run
  return { outcome, details: excerpt === undefined ? details : { ...details, log: excerpt } }
}

/** A thrown delay may be anything; an invalid one must not keep the attempt from ending. */
function wholeDelay(ms: unknown): number {
  return typeof ms === 'number' && ms > 0 ? Math.min(Math.round(ms), LIMITS.delayMs.hardMax) : 0
}

/** The reason in the log line of an attempt. */
export function reasonOf({ error, reason }: Details): string | null {
  if (reason !== undefined && reason !== '') return reason
  if (error === undefined || error === null) return null
  const { message } = error as { message?: unknown }
  return String(message ?? error).slice(0, REASON_CHARS)
}

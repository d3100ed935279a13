/** Classifies database errors: repeatable, unavailable, or a refusal with an error code. */
import { HoldfastError, holdfastError, isErrorCode, LeaseLost } from '../domain/errors/errors.js'
import { nearest } from '../domain/nearest.js'

interface DatabaseError extends Error {
  code?: string
  detail?: string
  constraint?: string
  routine?: string
}

/** Deadlock, serialization failure: the transaction was rolled back, so sending it again is always safe. */
const ROLLED_BACK = new Set(['40001', '40P01'])
/** Also rolled back: a new lease got a random number that another lease has. The next number differs. */
const LEASE_NUMBER_TAKEN = { code: '23505', constraint: 'lease_pkey' }
/**
 * Also rolled back: the row has a range of history that another session has just committed. A commit is visible a moment before other
 * sessions are notified of its tables, so for that moment the range can be read about but not written to.
 */
const NO_PARTITION = { code: '23514', routine: 'ExecFindPartition' }

/** The server is starting, stopping, failing over or out of resources: the caller's request is not the cause. */
const AWAY = new Set([
  '25006', // read-only: a failover in progress, or the connection leads to a replica
  '53000',
  '53100', // disk full
  '53200',
  '53300', // too many connections
  '57P01',
  '57P02',
  '57P03',
  '57P05',
])

/** lock_not_available */
const HELD = '55P03'

const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // a missing unix socket
])

export function isRolledBack(error: unknown): boolean {
  const { code = '', constraint, routine } = error as DatabaseError
  return (
    ROLLED_BACK.has(code) ||
    (code === LEASE_NUMBER_TAKEN.code && constraint === LEASE_NUMBER_TAKEN.constraint) ||
    (code === NO_PARTITION.code && routine === NO_PARTITION.routine)
  )
}

/** Another transaction held a lock for longer than the lock timeout. Rolled back, like a deadlock. */
export function isHeld(error: unknown): boolean {
  const { code, cause } = error as DatabaseError
  return code === HELD || (cause as DatabaseError | undefined)?.code === HELD
}

export function isAway(error: unknown): boolean {
  const { code = '', message = '' } = error as DatabaseError
  return (
    AWAY.has(code) ||
    code.startsWith('08') ||
    SOCKET.has(code) ||
    /connection (terminated|ended|closed)|client was closed|timeout exceeded when trying to connect|not queryable/i.test(
      message,
    )
  )
}

/**
 * Whether the next connection may lead to another server, or to one that crashed meanwhile. A server that is full is the same server, and a
 * pool without a free connection proves nothing.
 */
export function isBreak(error: unknown): boolean {
  const { code = '', message = '' } = error as DatabaseError
  return isAway(error) && !code.startsWith('53') && !/timeout exceeded when trying to connect/i.test(message)
}

/** The deadline of the call was over, and the server has confirmed that it had no effect. */
export function isLateWithoutEffect(error: unknown): boolean {
  return (
    error instanceof HoldfastError && error.code === 'deadline_exceeded' && error.details.effect === 'none'
  )
}

/** An error of the input itself: it would fail alone just as it fails in a batch. */
export function isBadInput(error: unknown): boolean {
  const code = error instanceof HoldfastError ? error.code : ((error as DatabaseError).code ?? '')
  return /^(22|23)/.test(code) || ['invalid_input', 'unknown_kind', 'conflict'].includes(code)
}

/** The typed error for the caller. Refusals of SQL functions have SQLSTATE HF000 and their code as JSON in the detail. */
export function asHoldfastError(error: unknown): Error {
  if (error instanceof HoldfastError) return error
  const { code = '', detail, message } = error as DatabaseError
  if (code === 'HF000') return asRefusal(detail, message, error)
  if (isAway(error))
    return holdfastError('unavailable', { problem: message, sqlstate: code }, { cause: error })
  if (code === '3F000' || code === '42P01' || code === '42883') {
    return holdfastError('schema_missing', { problem: message }, { cause: error })
  }
  if (code === '42501')
    return holdfastError('forbidden', { problem: message, sqlstate: code }, { cause: error })
  if (code === HELD) return holdfastError('conflict', { problem: message }, { cause: error })
  if (/^(22|23)/.test(code))
    return holdfastError('invalid_input', { problem: message, sqlstate: code }, { cause: error })
  return error as Error
}

function asRefusal(detail: string | undefined, message: string, cause: unknown): HoldfastError {
  let facts: Record<string, unknown> = {}
  try {
    facts = JSON.parse(detail ?? '{}') as Record<string, unknown>
  } catch {
    // A proxy may drop the detail; then only the message is left.
  }
  const { code, ...details } = facts
  if (code === 'lease_lost') return new LeaseLost(details, { cause })
  if (code === 'unknown_kind') {
    const { known, ...rest } = details as { known?: string[]; kind?: string }
    return holdfastError(code, { ...rest, nearest: nearest(String(rest.kind), known ?? []) }, { cause })
  }
  return holdfastError(isErrorCode(code) ? code : 'internal', details, { cause, message })
}

/** What a database error means for the caller: worth another try, gone away, or a refusal with a name. */
import { HoldfastError, holdfastError, isErrorCode, LeaseLost } from '../domain/errors.js'

interface DatabaseError extends Error {
  code?: string
  detail?: string
  constraint?: string
}

/** Deadlock, serialization failure: the transaction was rolled back whole, so sending it again is always safe. */
const ROLLED_BACK = new Set(['40001', '40P01'])
/** The same: a lease was given a number that another has. The next number is another. */
const LEASE_NUMBER_TAKEN = { code: '23505', constraint: 'lease_pkey' }

/** The server is starting, stopping, failing over or out of room: nothing the caller sent is at fault. */
const AWAY = new Set([
  '25006', // read-only: a failover in progress, or we reached a replica
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
  'ENOENT', // a unix socket that is not there
])

export function isRolledBack(error: unknown): boolean {
  const { code = '', constraint } = error as DatabaseError
  return (
    ROLLED_BACK.has(code) ||
    (code === LEASE_NUMBER_TAKEN.code && constraint === LEASE_NUMBER_TAKEN.constraint)
  )
}

/** Another transaction held a lock for longer than we were to wait for it. Rolled back whole, like a deadlock. */
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
 * Whether it may mean that the next connection leads to another server, or to one that has crashed meanwhile. A server that is full is the
 * same as before, and so is a pool that has no connection to spare.
 */
export function isBreak(error: unknown): boolean {
  const { code = '', message = '' } = error as DatabaseError
  return isAway(error) && !code.startsWith('53') && !/timeout exceeded when trying to connect/i.test(message)
}

/** An error of the input itself: it would fail alone just as it fails in company. */
export function isBadInput(error: unknown): boolean {
  const code = error instanceof HoldfastError ? error.code : ((error as DatabaseError).code ?? '')
  return /^(22|23)/.test(code) || code === 'invalid_input' || code === 'conflict'
}

/** The typed error a caller gets. Refusals of the verbs carry SQLSTATE HF000 and their code as JSON in the detail. */
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
    // A proxy that drops the detail leaves us the message, which is all we then know.
  }
  const { code, ...details } = facts
  if (code === 'lease_lost') return new LeaseLost(details, { cause })
  return holdfastError(isErrorCode(code) ? code : 'internal', details, { cause, message })
}

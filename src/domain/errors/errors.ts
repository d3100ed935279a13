/** HoldfastError and the functions that create errors from the table. */
import { ERRORS } from './error-table.js'

export { ERRORS }

export type ErrorCode = keyof typeof ERRORS
export type ErrorDetails = Readonly<Record<string, unknown>>

export interface ErrorOptions {
  readonly cause?: unknown
  /** A more specific sentence than the table's, where the database gives one. */
  readonly message?: string
}

export class HoldfastError extends Error {
  override readonly name: string = 'HoldfastError'
  readonly code: ErrorCode
  readonly status: number
  readonly remedy: string
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}, options: ErrorOptions = {}) {
    // Without a cause there must be no `cause` property either, or printing the error shows an empty one.
    super(
      options.message ?? messageFor(code, details),
      'cause' in options ? { cause: options.cause } : undefined,
    )
    this.code = code
    this.status = ERRORS[code].status
    this.remedy = ERRORS[code].remedy
    this.details = details
  }
}

/** A write came from an attempt that no longer owns its job. A type of its own, so that it cannot be overlooked. */
export class LeaseLost extends HoldfastError {
  override readonly name = 'LeaseLost'

  constructor(details: ErrorDetails = {}, options: ErrorOptions = {}) {
    super('lease_lost', details, options)
  }
}

export function holdfastError(
  code: ErrorCode,
  details: ErrorDetails = {},
  options: ErrorOptions = {},
): HoldfastError {
  return code === 'lease_lost' ? new LeaseLost(details, options) : new HoldfastError(code, details, options)
}

/** `invalid_input` at a JSON pointer. `problem` completes the sentence "it …". */
export function invalidInput(path: string, problem: string, limit?: string): HoldfastError {
  return new HoldfastError(
    'invalid_input',
    limit === undefined ? { path, problem } : { path, problem, limit },
  )
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}

function messageFor(code: ErrorCode, details: ErrorDetails): string {
  const message = ERRORS[code].message.replace(
    /\[([^[\]{}]*)\{(\w+)\}([^[\]{}]*)\]/g,
    (_part, before: string, name: string, after: string) => {
      const value = details[name]
      return value === undefined || value === null || value === '' ? '' : `${before}${String(value)}${after}`
    },
  )
  // A detail may be a sentence of its own.
  return message.replace(/([.?!])\.$/, '$1').trimEnd()
}

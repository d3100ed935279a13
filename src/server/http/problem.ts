/**
 * Error responses as problem+json (RFC 9457). Errors of the caller are explained in full. Of errors of the server the response has the
 * code and the remedy, and the log has the rest: no stack, no SQL and no address of the database leaves the server.
 */
import type { FastifyError, FastifyRequest } from 'fastify'
import type { Problem } from '../../contract/problem.js'
import { ERRORS, type ErrorCode, HoldfastError, holdfastError } from '../../domain/errors/errors.js'

export interface FieldProblem {
  readonly in: 'path' | 'query' | 'header' | 'body'
  readonly pointer: string
  readonly problem: string
}

/** A request that does not match the contract, with a problem per field. */
export class InvalidRequest extends HoldfastError {
  constructor(readonly errors: readonly FieldProblem[]) {
    const [first] = errors
    super('invalid_input', { path: first?.pointer, problem: first?.problem })
  }
}

/** A JSON pointer (RFC 6901). Long keys are cut, so that a message does not repeat a megabyte of the payload. */
export function pointerOf(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => `/${String(key).slice(0, 100).replace(/~/g, '~0').replace(/\//g, '~1')}`)
  return steps.join('') || '/'
}

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8'

/** The parts of a request that locate a field. */
export type RequestParts = Pick<FastifyRequest, 'id'> & Partial<FastifyRequest>

export function problemOf(thrown: unknown, request: RequestParts): Problem {
  const error = asKnown(thrown, request)
  const { code, status, remedy } = error
  // The list of locked jobs is about the caller's own request, and lets it retry the others.
  const hidden = (status >= 500 && code !== 'job_locked') || 'sqlstate' in error.details
  const message = hidden ? holdfastError(code).message : withWireNames(error)
  return {
    type: `urn:holdfast:problem:${code}`,
    title: titleOf(code),
    status,
    code,
    detail: `${message} ${remedy}`,
    remedy,
    instance: request.id,
    ...(error instanceof InvalidRequest
      ? { errors: [...error.errors] }
      : fieldErrors(error, hidden, request)),
    ...(hidden ? {} : dataOf(error)),
  }
}

function titleOf(code: ErrorCode): string {
  const title = code.replace(/_/g, ' ')
  return `${title[0]?.toUpperCase()}${title.slice(1)}`
}

/** Seconds to wait before a retry; undefined if a retry makes no sense. */
export function retryAfter(thrown: unknown): number | undefined {
  const { code, details } = asKnown(thrown)
  if (typeof details.retryAfterMs === 'number') return Math.max(1, Math.ceil(details.retryAfterMs / 1000))
  return RETRYABLE.has(code) ? 1 : undefined
}

const RETRYABLE = new Set<ErrorCode>([
  'unavailable',
  'draining',
  'limit_exceeded',
  'idempotency_in_flight',
  'deadline_exceeded',
  'job_locked',
])

/** The field of an error thrown by a verb, from its path. */
function fieldErrors(error: HoldfastError, hidden: boolean, request: RequestParts): Pick<Problem, 'errors'> {
  const { path, problem } = error.details
  if (hidden || typeof path !== 'string') return {}
  return {
    errors: [
      {
        in: partWith(wirePointer(path), request),
        pointer: wirePointer(path),
        problem: typeof problem === 'string' ? problem : error.message,
      },
    ],
  }
}

/** The part of the request that has the field; a verb does not know it. */
function partWith(pointer: string, { body, query, params, headers }: RequestParts): FieldProblem['in'] {
  const [, first = ''] = pointer.split('/')
  const has = (part: unknown) => typeof part === 'object' && part !== null && Object.hasOwn(part, first)
  if (has(body) || first === '') return 'body'
  if (has(query)) return 'query'
  if (has(params)) return 'path'
  if (has(headers)) return 'header'
  return body === undefined || body === null ? 'query' : 'body'
}

/** Converts names of the library to those of the API: maxRetries → max_retries. Below these fields the names are the user's. */
function wirePointer(path: string): string {
  const [, known = path, payload = ''] =
    /^(.*?\/(?:input|items|cursor|result|labels)(?=\/|$))(.*)$/.exec(path) ?? []
  return known.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) + payload
}

function withWireNames(error: HoldfastError): string {
  const { message, details } = error
  const { path } = details
  // Validation errors of the contract have the names of the API already.
  return typeof path === 'string' && !(error instanceof InvalidRequest)
    ? message.replace(path, () => wirePointer(path))
    : message
}

function dataOf({ details }: HoldfastError): Pick<Problem, 'data'> {
  const { path: _path, problem: _problem, ...data } = details
  return Object.values(data).some((value) => value !== undefined) ? { data } : {}
}

function asKnown(thrown: unknown, request?: RequestParts): HoldfastError {
  if (thrown instanceof HoldfastError) return thrown
  const { code = '', statusCode } = (thrown ?? {}) as Partial<FastifyError>
  const known = FASTIFY_ERRORS[code]
  if (known !== undefined) return holdfastError(known.code, known.details?.(request))
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return holdfastError('malformed_request')
  return holdfastError('internal', {}, { cause: thrown })
}

const FASTIFY_ERRORS: Record<
  string,
  { code: ErrorCode; details?: (request?: RequestParts) => Record<string, unknown> }
> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'payload_too_large',
    details: (request) => ({ path: '/', limit: 'bodyBytesMax', max: request?.routeOptions?.bodyLimit }),
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    details: (request) => ({ type: request?.headers?.['content-type']?.slice(0, 100) }),
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'malformed_request',
    details: () => ({ problem: 'the body does not have the length that Content-Length gives' }),
  },
  FST_ERR_BAD_URL: {
    code: 'malformed_request',
    details: () => ({ problem: 'the URL is malformed' }),
  },
}

/** For the log only: may have details that callers must not see. */
export function messageOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : String(message)
}

/** All error codes, for the page that explains them. */
export function allProblems(): { code: ErrorCode; status: number; message: string; remedy: string }[] {
  return (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, message, remedy } = holdfastError(code)
    return { code, status, message, remedy }
  })
}

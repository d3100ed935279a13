/**
 * Every refusal as problem+json (RFC 9457). What the caller did wrong is told in full; of what went wrong on our side the caller
 * learns the code and the remedy, and the log has the rest: no stack, no SQL, no address of the database leaves the server.
 */
import type { FastifyError, FastifyRequest } from 'fastify'
import type { Problem } from '../contract/problem.js'
import { ERRORS, type ErrorCode, HoldfastError, holdfastError } from '../domain/errors.js'

export interface FieldProblem {
  readonly in: 'path' | 'query' | 'header' | 'body'
  readonly pointer: string
  readonly problem: string
}

/** A request that does not fit the contract, with every place where it does not. */
export class InvalidRequest extends HoldfastError {
  constructor(readonly errors: readonly FieldProblem[]) {
    const [first] = errors
    super('invalid_input', { path: first?.pointer, problem: first?.problem })
  }
}

/** RFC 6901; keys are cut, so that a message does not repeat a megabyte of somebody's payload. */
export function pointerOf(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => `/${String(key).slice(0, 100).replace(/~/g, '~0').replace(/\//g, '~1')}`)
  return steps.join('') || '/'
}

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8'

/** What of a request is needed to say in which part of it a place is. */
export type Asked = Pick<FastifyRequest, 'id'> & Partial<FastifyRequest>

export function problemOf(thrown: unknown, asked: Asked): Problem {
  const error = asKnown(thrown, asked)
  const { code, status, remedy } = error
  // Which jobs are locked is about what the caller sent, and lets it go on with the others.
  const hidden = (status >= 500 && code !== 'job_locked') || 'sqlstate' in error.details
  const message = hidden ? holdfastError(code).message : inWireNames(error)
  return {
    type: `urn:holdfast:problem:${code}`,
    title: titleOf(code),
    status,
    code,
    detail: `${message} ${remedy}`,
    remedy,
    instance: asked.id,
    ...(error instanceof InvalidRequest ? { errors: [...error.errors] } : pointed(error, hidden, asked)),
    ...(hidden ? {} : factsOf(error)),
  }
}

function titleOf(code: ErrorCode): string {
  const words = code.replace(/_/g, ' ')
  return `${words[0]?.toUpperCase()}${words.slice(1)}`
}

/** Seconds after which another try makes sense, where it does. */
export function retryAfter(thrown: unknown): number | undefined {
  const { code, details } = asKnown(thrown)
  if (typeof details.retryAfterMs === 'number') return Math.max(1, Math.ceil(details.retryAfterMs / 1000))
  return WORTH_ANOTHER_TRY.has(code) ? 1 : undefined
}

const WORTH_ANOTHER_TRY = new Set<ErrorCode>([
  'unavailable',
  'draining',
  'limit_exceeded',
  'idempotency_in_flight',
  'deadline_exceeded',
  'job_locked',
])

/** What the verbs refuse names its place with a path. */
function pointed(error: HoldfastError, hidden: boolean, asked: Asked): Pick<Problem, 'errors'> {
  const { path, problem } = error.details
  if (hidden || typeof path !== 'string') return {}
  return {
    errors: [
      {
        in: partWith(wirePointer(path), asked),
        pointer: wirePointer(path),
        problem: typeof problem === 'string' ? problem : error.message,
      },
    ],
  }
}

/** A verb knows what is wrong, and not how it came to it. */
function partWith(pointer: string, { body, query, params, headers }: Asked): FieldProblem['in'] {
  const [, first = ''] = pointer.split('/')
  const has = (part: unknown) => typeof part === 'object' && part !== null && Object.hasOwn(part, first)
  if (has(body) || first === '') return 'body'
  if (has(query)) return 'query'
  if (has(params)) return 'path'
  if (has(headers)) return 'header'
  return body === undefined || body === null ? 'query' : 'body'
}

/** The library says maxRetries where the wire says max_retries. Below these words the names are the user's own. */
function wirePointer(path: string): string {
  const [, ours = path, theirs = ''] =
    /^(.*?\/(?:input|items|cursor|result|labels)(?=\/|$))(.*)$/.exec(path) ?? []
  return ours.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) + theirs
}

function inWireNames(error: HoldfastError): string {
  const { message, details } = error
  const { path } = details
  // What the contract refused has the names of the wire already, right or wrong.
  return typeof path === 'string' && !(error instanceof InvalidRequest)
    ? message.replace(path, () => wirePointer(path))
    : message
}

function factsOf({ details }: HoldfastError): Pick<Problem, 'facts'> {
  const { path: _path, problem: _problem, ...facts } = details
  return Object.values(facts).some((fact) => fact !== undefined) ? { facts } : {}
}

function asKnown(thrown: unknown, asked?: Asked): HoldfastError {
  if (thrown instanceof HoldfastError) return thrown
  const { code = '', statusCode } = (thrown ?? {}) as Partial<FastifyError>
  const known = OF_FASTIFY[code]
  if (known !== undefined) return holdfastError(known.code, known.details?.(asked))
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return holdfastError('malformed_request')
  return holdfastError('internal', {}, { cause: thrown })
}

const OF_FASTIFY: Record<string, { code: ErrorCode; details?: (asked?: Asked) => Record<string, unknown> }> =
  {
    FST_ERR_CTP_BODY_TOO_LARGE: {
      code: 'payload_too_large',
      details: (asked) => ({ path: '/', limit: 'bodyBytesMax', most: asked?.routeOptions?.bodyLimit }),
    },
    FST_ERR_CTP_INVALID_MEDIA_TYPE: {
      code: 'unsupported_media_type',
      details: (asked) => ({ type: asked?.headers?.['content-type']?.slice(0, 100) }),
    },
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
      code: 'malformed_request',
      details: () => ({ problem: 'the body is not as long as Content-Length says' }),
    },
    FST_ERR_BAD_URL: {
      code: 'malformed_request',
      details: () => ({ problem: 'the address is not well-formed' }),
    },
  }

/** For the log, which may know everything. */
export function messageOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : String(message)
}

/** Every code with what it says, for the page that explains them. */
export function allProblems(): { code: ErrorCode; status: number; message: string; remedy: string }[] {
  return (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, message, remedy } = holdfastError(code)
    return { code, status, message, remedy }
  })
}

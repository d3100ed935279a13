/**
 * One HTTP call by `fetch`, with retries. Repeatable calls are retried if the server cannot be reached or is busy; other calls only if the
 * server reports that it has not begun.
 */
import type { Problem } from '../contract/problem.js'
import { HoldfastError, holdfastError, invalidInput, isErrorCode } from '../domain/errors/errors.js'
import { Backoff } from '../domain/retry.js'

export interface TransportOptions {
  /** URL of the server, with its path if it has one: `https://jobs.example.com`. */
  readonly url: string | URL
  /** An API key; not needed by a local server without keys. */
  readonly key?: string
  /** For a key for all tenants: the tenant of the calls. */
  readonly tenant?: string
  /** Retries after the first try. Default: 4. */
  readonly retries?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

export interface SentCall {
  readonly query?: object | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** A second call has no further effect. */
  readonly repeatable?: boolean
  /** Timeout of one try. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 30_000
const RETRIES = 4
const PAUSES = { firstMs: 100, maxMs: 5_000, jitter: 0.5 }
/** If the server asks for a longer pause than this, the error is thrown instead of a retry. */
const RETRY_AFTER_MAX_MS = 30_000

/** Errors of calls that had no effect. */
const NOT_BEGUN = new Set(['limit_exceeded', 'idempotency_in_flight', 'draining'])
const PASSES = new Set(['unavailable', 'deadline_exceeded', 'server_unreachable', 'conflict'])

export class Transport {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #retries: number
  readonly #fetch: typeof globalThis.fetch

  constructor({ url, key, tenant, retries = RETRIES, fetch }: TransportOptions) {
    this.#base = baseOf(url)
    this.#retries = retries
    // Read at each call, and called without `this`, as browsers require.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#headers = {
      accept: 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(tenant === undefined ? {} : { 'holdfast-tenant': tenant }),
    }
  }

  async call(method: string, path: string, sent: SentCall = {}): Promise<unknown> {
    const backoff = new Backoff(PAUSES)
    for (let tried = 0; ; tried++) {
      try {
        return await this.#once(method, path, sent)
      } catch (error) {
        if (tried >= this.#retries || !mayRepeat(error, sent.repeatable ?? method === 'GET')) throw error
        await pause(retryAfterMs(error) + backoff.nextMs(), sent.signal)
      }
    }
  }

  async #once(method: string, path: string, sent: SentCall): Promise<unknown> {
    const { query, body, headers, signal, timeoutMs = TIMEOUT_MS } = sent
    // AbortSignal.timeout accepts only whole milliseconds.
    const late = AbortSignal.timeout(Math.ceil(timeoutMs))
    const address = `${this.#base}${path}${searchOf(query)}`
    const written = body === undefined ? {} : { body: jsonOf(body) }
    let status: number
    let text: string
    let after: string | null
    try {
      const answer = await this.#fetch(address, {
        method,
        headers: {
          ...this.#headers,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...written,
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
        redirect: 'error',
      })
      status = answer.status
      after = answer.headers.get('retry-after')
      text = await answer.text()
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (late.aborted)
        throw holdfastError('deadline_exceeded', { call: path, ms: timeoutMs }, { cause: error })
      throw holdfastError('server_unreachable', { problem: problemOf(error) }, { cause: error })
    }
    const answered = parsed(text)
    if (status >= 200 && status < 300 && answered !== NOT_JSON) return answered
    throw withRetryAfter(errorOf(status, answered === NOT_JSON ? undefined : answered), after)
  }
}

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    throw holdfastError('invalid_input', { problem: (error as Error).message }, { cause: error })
  }
}

const NOT_JSON = Symbol()

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return NOT_JSON
  }
}

function baseOf(url: string | URL): string {
  try {
    const { protocol, origin, pathname } = new URL(url)
    if (protocol === 'http:' || protocol === 'https:') return `${origin}${pathname.replace(/\/+$/, '')}`
  } catch {
    // Reported below.
  }
  throw invalidInput('/url', 'must be the address of a server, like http://localhost:4000')
}

function searchOf(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, textOf(value)]))}`
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Node has the reason in `cause`, for several addresses in a list of errors. */
function problemOf(error: unknown): string {
  const { cause, message } = error as Error
  const { code, message: why } = (cause ?? {}) as { code?: string; message?: string }
  return why || code || message
}

function withRetryAfter(error: HoldfastError, after: string | null): HoldfastError {
  if (after !== null && /^\d{1,6}$/.test(after)) waits.set(error, Number(after) * 1000)
  return error
}

/** The server's Retry-After, kept beside the error because it is not a detail of what happened. */
const waits = new WeakMap<object, number>()

function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (!(error instanceof HoldfastError)) return false
  if (retryAfterMs(error) > RETRY_AFTER_MAX_MS) return false
  return NOT_BEGUN.has(error.code) || (repeatable && PASSES.has(error.code))
}

function retryAfterMs(error: unknown): number {
  return waits.get(error as object) ?? 0
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** A refusal of the server as the error that the library would throw. */
function errorOf(status: number, body: unknown): HoldfastError {
  const { code, detail, remedy, data, errors, instance } = (body ?? {}) as Partial<Problem>
  if (typeof code !== 'string')
    return holdfastError('server_unreachable', {
      problem: `the response with status ${status} has no Holdfast error body; is a Holdfast server at this address?`,
    })
  const [first] = errors ?? []
  const details = {
    ...data,
    ...(first === undefined ? {} : { path: first.pointer, problem: first.problem }),
    ...(errors === undefined || errors.length < 2 ? {} : { errors }),
    requestId: instance,
  }
  const message = String(detail).replace(` ${remedy}`, '')
  // A server may be newer than this client, and know refusals that it does not.
  if (!isErrorCode(code)) return holdfastError('internal', { ...details, code, remedy, status }, { message })
  return holdfastError(code, details, { message })
}

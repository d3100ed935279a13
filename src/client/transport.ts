/**
 * One call of the server, with `fetch` and nothing else. What is safe to repeat is repeated when the server could not be reached or says
 * that it is busy; the rest only when it says that it has not even begun.
 */
import { HoldfastError, holdfastError, invalidInput } from '../domain/errors.js'
import { errorOf } from './problem.js'

export interface TransportOptions {
  /** Of the server, with the path it is served under if there is one: `https://jobs.example.com`. */
  readonly url: string | URL
  /** A key of the server; none where it is open. */
  readonly key?: string
  /** For a key that acts for every tenant: which one is meant. */
  readonly tenant?: string
  /** Tries after the first; 4 if not given. */
  readonly retries?: number
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch
}

export interface Sent {
  readonly query?: object | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Twice is the same as once. */
  readonly repeatable?: boolean
  /** How long one try may take. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 30_000
const RETRIES = 4
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** Longer than this nobody waits in a call; whoever asked is told instead. */
const RETRY_AFTER_MAX_MS = 30_000

/** Refused before anything was done. */
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
    // Taken at each call, and called as a browser wants it.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#headers = {
      accept: 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(tenant === undefined ? {} : { 'holdfast-tenant': tenant }),
    }
  }

  async call(method: string, path: string, sent: Sent = {}): Promise<unknown> {
    for (let tried = 0; ; tried++) {
      try {
        return await this.#once(method, path, sent)
      } catch (error) {
        if (tried >= this.#retries || !mayRepeat(error, sent.repeatable ?? method === 'GET')) throw error
        await pause(pauseMs(error, tried), sent.signal)
      }
    }
  }

  async #once(method: string, path: string, sent: Sent): Promise<unknown> {
    const { query, body, headers, signal, timeoutMs = TIMEOUT_MS } = sent
    // It takes whole milliseconds, and throws where it is given others.
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
    // Told below.
  }
  throw invalidInput('/url', 'must be the address of a server, like http://localhost:4000')
}

function searchOf(query: object | undefined): string {
  const said = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null)
  if (said.length === 0) return ''
  return `?${new URLSearchParams(said.map(([name, value]): [string, string] => [name, textOf(value)]))}`
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Node says why in the cause, and of several addresses in a list of them. */
function problemOf(error: unknown): string {
  const { cause, message } = error as Error
  const { code, message: why } = (cause ?? {}) as { code?: string; message?: string }
  return why || code || message
}

function withRetryAfter(error: HoldfastError, after: string | null): HoldfastError {
  if (after !== null && /^\d{1,6}$/.test(after)) waits.set(error, Number(after) * 1000)
  return error
}

/** What the server said about the next try; beside the error, because it is no fact about what happened. */
const waits = new WeakMap<object, number>()

function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (!(error instanceof HoldfastError)) return false
  if ((waits.get(error) ?? 0) > RETRY_AFTER_MAX_MS) return false
  return NOT_BEGUN.has(error.code) || (repeatable && PASSES.has(error.code))
}

function pauseMs(error: unknown, tried: number): number {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tried)
  return (waits.get(error as object) ?? 0) + most * (0.5 + Math.random() / 2)
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

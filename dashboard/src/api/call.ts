/**
 * Calls of the HTTP API, typed by the contract: `await call('GET /api/v1/jobs/{id}', { params: { id: 5 } })`. Addresses are relative to
 * the base of the document, so that they work below any prefix. The session cookie authenticates; a call that changes something carries
 * the CSRF token of the session.
 */
import { signal } from '@preact/signals'
import type { AnswerOf, EndpointName, RequestOf } from './contract.js'
import { parseJson, writeJson } from './json.js'
import { CallFailed, unreachable } from './problem.js'

/** Set by state/session.ts. */
export const csrfToken = signal<string | null>(null)
/** The tenant that a key for all tenants acts for; set by state/session.ts from the URL. */
export const actingTenant = signal<string | null>(null)
/** Raised when a call is answered with 401, so that the login page appears. */
export const signedOut = signal(0)

export async function call<N extends EndpointName>(name: N, ...request: RequestOf<N>): Promise<AnswerOf<N>> {
  const [method = '', path = ''] = name.split(' ')
  return (await send(method, path, (request[0] ?? {}) as Sent)) as AnswerOf<N>
}

export interface Sent {
  readonly params?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** The address of an endpoint, relative to the base of the document; also for links to exports. */
export function addressOf(path: string, { params, query }: Sent = {}): string {
  const values = new Map(Object.entries(params ?? {}))
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(values.get(name) ?? '')),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  const asked = search.size === 0 ? '' : `?${search}`
  return `${filled.replace(/^\//, '')}${asked}`
}

export function headersOf(method: string): Record<string, string> {
  return {
    accept: 'application/json',
    ...(actingTenant.peek() === null ? {} : { 'holdfast-tenant': actingTenant.peek() ?? '' }),
    ...(method === 'GET' || csrfToken.peek() === null ? {} : { 'x-csrf-token': csrfToken.peek() ?? '' }),
  }
}

export async function send(method: string, path: string, sent: Sent): Promise<unknown> {
  const response = await fetch(addressOf(path, sent), {
    method,
    headers: {
      ...headersOf(method),
      ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(sent.body === undefined ? {} : { body: writeJson(sent.body) }),
    ...(sent.signal === undefined ? {} : { signal: sent.signal }),
  }).catch((error: unknown) => {
    throw sent.signal?.aborted ? error : unreachable()
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  if (response.ok) return text === '' ? undefined : isJson ? parseJson(text) : text
  if (response.status === 401) signedOut.value++
  throw new CallFailed(response.status, isJson ? (parseJson(text) as object) : {})
}

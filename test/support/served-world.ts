/** A server that listens on a port of this machine, on a store whose clock stands still, called with fetch. */
import type { Scope, ServerOptions } from 'holdfast/server'
import type { Store } from 'holdfast/store'
import { expect } from 'vitest'
import { bearer, serve } from './http.js'
import { pinnedStore, type World } from './world.js'

export interface Said {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** A secret; without it the call has none. */
  readonly key?: string
}

export interface Heard {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
  readonly body: any
  readonly text: string
  readonly headers: Record<string, unknown>
}

export interface ServedWorld<S extends Store = Store> {
  readonly url: string
  readonly store: S
  call(method: string, path: string, said?: Said): Promise<Heard>
  /** A new key with these scopes; answers its secret. */
  key(scopes: readonly Scope[], tenant?: string): Promise<string>
}

/** Open, as on loopback, unless a key was made. */
export async function pinnedServer(options: ServerOptions = {}): Promise<ServedWorld<World>> {
  const { store, url } = await serve(await pinnedStore(), options)
  let made = 0
  return {
    url,
    store,
    call: (method, path, said = {}) => call(`${url}${path}`, method, said),
    key: async (scopes, tenant = 'default') =>
      (await store.keys.create({ name: `key-${++made}`, scopes, tenant })).secret,
  }
}

async function call(url: string, method: string, { body, headers, key }: Said): Promise<Heard> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : bearer(key)),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
  return {
    status: answer.status,
    body: isJson ? JSON.parse(text) : undefined,
    text,
    headers: Object.fromEntries(answer.headers),
  }
}

/** A refusal as every refusal must look, with this code. */
export function expectProblem(heard: Heard, status: number, code: string): void {
  expect(heard.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(heard.body).toMatchObject({
    type: `urn:holdfast:problem:${code}`,
    title: expect.stringMatching(/^[A-Z]/),
    status,
    code,
    detail: expect.stringContaining(heard.body.remedy),
    remedy: expect.stringMatching(/^[A-Z].{10,}\.$/),
    instance: heard.headers['x-request-id'] ?? expect.any(String),
  })
  expect(heard.status).toBe(status)
}

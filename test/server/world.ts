/** A server on a fresh store of the run's Postgres, called in process; closed when the test ends. */
import type { Store } from 'holdfast'
import type { Scope, ServerOptions } from 'holdfast/server'
import { expect } from 'vitest'
import { builtServer, type Served } from '../support/http.js'
import { freshStore, pinnedStore, type World } from '../support/world.js'

type App = Served['app']

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

export interface ServerWorld<S extends Store = Store> {
  readonly app: App
  readonly store: S
  call(method: string, path: string, said?: Said): Promise<Heard>
  /** A new key with these scopes; answers its secret. */
  key(scopes: readonly Scope[], tenant?: string): Promise<string>
}

export async function freshServer(options: ServerOptions = {}): Promise<ServerWorld> {
  return serverOn(await freshStore(), options)
}

/** The same with a clock that stands still until the test moves it. */
export async function pinnedServer(options: ServerOptions = {}): Promise<ServerWorld<World>> {
  return serverOn(await pinnedStore(), options)
}

/** Open, as on loopback, unless a key was made. */
export function serverOn<S extends Store>(store: S, options: ServerOptions = {}): ServerWorld<S> {
  const app = builtServer(store, options)
  let made = 0
  return {
    app,
    store,
    call: (method, path, said = {}) => call(app, method, path, said),
    key: async (scopes, tenant = 'default') =>
      (await store.keys.create({ name: `key-${++made}`, scopes, tenant })).secret,
  }
}

async function call(app: App, method: string, path: string, { body, headers, key }: Said): Promise<Heard> {
  const answer = await app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const type = String(answer.headers['content-type'] ?? '')
  return {
    status: answer.statusCode,
    body: type.includes('json') && answer.payload !== '' ? JSON.parse(answer.payload) : undefined,
    text: answer.payload,
    headers: answer.headers,
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

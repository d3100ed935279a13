/** A server that listens on a port of this machine and is called with fetch, as anybody's program would. */

import { buildServer, type ServerOptions } from 'holdfast/server'
import type { Store } from 'holdfast/store'
import { onTestFinished } from 'vitest'
import { pinnedStore, type World } from './world.js'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
  readonly body: any
  readonly headers: Headers
}

export interface Served<S extends Store = Store> {
  readonly app: ReturnType<typeof buildServer>
  readonly store: S
  readonly url: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** Open, unless a key was made; the clock of its database stands still until the test moves it. */
export async function servePinned(options: ServerOptions = {}): Promise<Served<World>> {
  return serve(await pinnedStore(), options)
}

/** What it answers is checked against the contract, and keys are asked for each time; closed when the test ends. */
export function builtServer(store: Store, { limits, ...options }: ServerOptions): Served['app'] {
  const app = buildServer(store, {
    loopback: true,
    checkAnswers: true,
    limits: { keyCacheMs: 0, ...limits },
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

/** `prepare` may add to the app before it listens. */
export async function serve<S extends Store>(
  store: S,
  options: ServerOptions = {},
  prepare: (app: Served['app']) => unknown = () => {},
): Promise<Served<S>> {
  const app = builtServer(store, options)
  prepare(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, store, url, call: (method, path, body, headers) => call(url + path, method, body, headers) }
}

/** The header of a call with this key. */
export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}

async function call(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers }
}

/** A server on a fresh store of the run's Postgres, called in process; closed when the test ends. */

import type { Scope, ServerOptions } from 'holdfast/server'
import type { Store } from 'holdfast/store'
import { builtServer, type Served } from '../support/http.js'
import type { Heard, Said } from '../support/served-world.js'
import { freshStore, pinnedStore, type World } from '../support/world.js'

export { expectProblem, type Heard, type Said } from '../support/served-world.js'

type App = Served['app']

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
    body: /[/+]json/.test(type) && answer.payload !== '' ? JSON.parse(answer.payload) : undefined,
    text: answer.payload,
    headers: answer.headers,
  }
}

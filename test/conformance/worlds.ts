/** The two ways a worker reaches the engine, on the same kind of store: its own connections, or a server over real sockets. */
import { httpPort } from '../../src/client/port.js'
import type { WorkPort } from '../../src/domain/port.js'
import { storePort } from '../../src/store/port.js'
import { serve } from '../support/http.js'
import { pinnedStore, type World } from '../support/world.js'

export interface PortWorld {
  readonly store: World
  /** A port of its own, as another worker has it. */
  port(): WorkPort
}

/** A server that listens, and a key for what workers and producers do. */
export async function listening(
  store: World,
  limits: Record<string, number> = {},
): Promise<{ url: string; key: string; close(): Promise<void> }> {
  const { app, url } = await serve(store, { loopback: false, limits })
  const { secret } = await store.keys.create({
    name: 'tests',
    scopes: ['work', 'enqueue', 'read', 'operate'],
    tenant: 'default',
  })
  return { url, key: secret, close: () => app.close() }
}

export const WORLDS: Record<string, () => Promise<PortWorld>> = {
  'the store': async () => {
    const store = await pinnedStore()
    return { store, port: () => storePort(store) }
  },
  'a server over HTTP': async () => {
    const store = await pinnedStore()
    const { url, key } = await listening(store)
    return { store, port: () => httpPort({ url, key }) }
  },
}

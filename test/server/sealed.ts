/** A server that is connected as its role, on a database sealed with roles. */
import type { ServerOptions } from 'holdfast/server'
import { login, sealedStore } from '../support/roles/sealed.js'
import type { World } from '../support/world.js'
import { type ServerWorld, serverOn } from './world.js'

export interface SealedWorld extends ServerWorld<World> {
  /** A server world whose own store is the server's; `store` is the superuser's, who sees everything. */
  readonly store: World
}

export async function sealedServer(options: ServerOptions = {}): Promise<SealedWorld> {
  const store = await sealedStore()
  const served = serverOn(await login(store, 'server', []), options)
  return { ...served, store }
}

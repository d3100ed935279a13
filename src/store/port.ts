/** The store as a worker's port. */
import type { WorkPort } from '../domain/port.js'
import { openStore, type Store, type StoreOptions } from './store.js'

/** The worker's port on a store. Open one for each claimer: it holds what the claims of that claimer have learned. */
export function storePort({ work }: Store): WorkPort {
  const claimer = work.claimer()
  return { ...methodsOf<WorkPort>(work), claim: (ask) => claimer.claim(ask) }
}

/** The methods of an object as functions that can be spread, so that a caller can override some of them. */
function methodsOf<T extends object>(object: T): T {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter(
    (name) => name !== 'constructor',
  )
  const methods = names.map((name) => [name, (object[name as keyof T] as () => void).bind(object)])
  return Object.fromEntries(methods) as T
}

/**
 * A port with its own connections, for the heartbeat thread; its options can be sent between threads. The schema must exist. The
 * second connection opens only while the first does not answer, so that a half-open connection does not cost a heartbeat.
 */
export async function openPort(options: StoreOptions): Promise<WorkPort & { close(): Promise<void> }> {
  const store = await openStore({ connections: 2, ...options, notify: false })
  return { ...storePort(store), close: () => store.close() }
}

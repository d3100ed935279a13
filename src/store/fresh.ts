/** A store of its own for one test: a schema nobody else uses, or a PGlite in memory. */
import { randomBytes } from 'node:crypto'
import { given } from '../domain/given.js'
import { openStore, type Store, type StoreOptions } from './store.js'

export interface FreshStore extends Store {
  readonly url: string | undefined
  /** Removes the schema and closes the connections. A test that failed may leave it, for a look inside. */
  dispose(): Promise<void>
}

export async function freshStore(options: StoreOptions = {}): Promise<FreshStore> {
  const schema = options.schema ?? `t_${randomBytes(6).toString('hex')}`
  const store = await openStore({ connections: 4, ...given(options), schema, migrate: true })
  return {
    ...store,
    url: options.url,
    async dispose() {
      if (options.url !== undefined) {
        await store.database.script(
          `set local client_min_messages = error; drop schema if exists ${schema} cascade`,
        )
      }
      await store.close()
    },
  }
}

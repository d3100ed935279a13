/** A store of its own for one test: a schema nobody else uses, or a PGlite in memory, lent for the time of the test. */
import { randomBytes } from 'node:crypto'
import { given } from '../domain/given.js'
import { borrowPglite } from './lent-pglite.js'
import { openStore, type Store, type StoreOptions, storeOn } from './store.js'

export interface FreshStore extends Store {
  readonly url: string | undefined
  /** Removes the schema and closes the connections. A test that failed may leave it, for a look inside. */
  dispose(): Promise<void>
}

export async function freshStore(options: StoreOptions = {}): Promise<FreshStore> {
  const { url, pgliteDir } = options
  if (url === undefined && pgliteDir === undefined) return lentStore(options)
  const schema = options.schema ?? `t_${randomBytes(6).toString('hex')}`
  const store = await openStore({ connections: 4, ...given(options), schema, migrate: true })
  return {
    ...store,
    url,
    async dispose() {
      if (url !== undefined) {
        await store.database.script(
          `set local client_min_messages = error; drop schema if exists ${schema} cascade`,
        )
      }
      await store.close()
    },
  }
}

async function lentStore(options: StoreOptions): Promise<FreshStore> {
  const { database, schema } = await borrowPglite(options.schema)
  const store = storeOn(database, schema, options)
  return { ...store, url: undefined, dispose: () => store.close() }
}

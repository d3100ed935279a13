/** A store for one test: in a schema that no other test uses, or on an in-memory PGlite that is reused after the test. */
import { randomBytes } from 'node:crypto'
import { borrowPglite } from '../database/lent-pglite.js'
import { given } from '../json/given.js'
import { openStore, type Store, type StoreOptions, storeOn } from './store.js'

export interface FreshStore extends Store {
  readonly url: string | undefined
  /** Removes the schema and closes the connections. Skip it after a failed test to inspect the schema. */
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

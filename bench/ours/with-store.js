import { openStore } from '../../dist/store.js'

/** A store of its own for one step, closed when it is done. */
export async function withStore({ url, pgliteDir }, connections, work, options = {}) {
  const place = pgliteDir === undefined ? { url, connections } : { pgliteDir }
  const store = await openStore({ ...place, ...options })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

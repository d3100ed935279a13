// Slow sockets and long lists in small; `npm run prove:server` has them as large as they are promised.
import { openStore } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { makeDatabase } from '../support/databases.js'
import { exportAll, fillLists, listAll } from './proof/long-lists.js'
import { startServer } from './proof/server-process.js'
import { serveAmidst, slowCrowd } from './proof/slow-crowd.js'

/** A database of its own with our schema, and a server process on it. */
async function serverOnItsOwn(...nodeFlags: string[]) {
  const url = await makeDatabase()
  const store = await openStore({ url, migrate: true, connections: 2 })
  onTestFinished(() => store.close())
  const server = await startServer(url, nodeFlags)
  onTestFinished(async () => {
    expect(await server.stop()).toBe(0)
    expect(server.complaints).toEqual([])
  })
  return { store, server }
}

it('200 requests succeed while 500 sockets take their time', async () => {
  const { server } = await serverOnItsOwn()
  const crowd = await slowCrowd(server.url, server.key, 550)
  const served = await serveAmidst(crowd, server.url, server.key, 200)
  crowd.leave()
  expect(served).toMatchObject({ asked: 200, succeeded: 200, failures: [] })
  expect(served.openAtLeast).toBeGreaterThan(400)
})

it('an export of 150,000 items and a list of 150,000 jobs come whole from a server that has no room for them', async () => {
  const rows = 150_000
  const { store, server } = await serverOnItsOwn('--max-old-space-size=80')
  await fillLists(store, { jobs: rows, items: rows })
  const counts: number[] = []
  for (const format of ['json', 'csv'] as const) counts.push(await exportAll(server.url, server.key, format))
  counts.push(await listAll(server.url, server.key))
  expect(counts).toEqual([rows, rows, rows])
})

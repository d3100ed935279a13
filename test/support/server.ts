// One throw-away Postgres for the whole run; each test has a database of its own in it.
import { existsSync, statfsSync } from 'node:fs'
import { startEmbedded } from 'holdfast/embedded'
import { openPostgres } from 'holdfast/store'
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { type Pooler, startPgbouncer } from './pgbouncer.js'
import { makeTemplates } from './template.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** What `onEachDriver` runs on. The quick lane does not repeat a proof on the other database. */
    drivers: readonly ('postgres' | 'pglite')[]
    surroundings: 'usual' | 'pgbouncer' | 'notify off'
    postgresUrl: string
    /** The same server through pgbouncer, or why there is none. */
    pgbouncer: { url: string } | { problem: string }
  }
}

export default async function setup(project: TestProject) {
  // The version matrix runs the same suite on the binaries of another Postgres.
  const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
  const server = await inMemory(() =>
    startEmbedded({ ephemeral: true, ...(binDir ? { binDir } : { settings: SETTINGS }) }),
  )
  if (!binDir) await hashPasswordAgain(server.url)
  project.provide('postgresUrl', server.url)
  await makeTemplates(server.url)
  // Without one only the tests that go through it fail.
  const pooler = await startPgbouncer(server.url).catch((error: Error) => error)
  const isThere = (found: Pooler | Error): found is Pooler => !(found instanceof Error)
  project.provide('pgbouncer', isThere(pooler) ? { url: pooler.url } : { problem: pooler.message })
  return async () => {
    if (isThere(pooler)) await pooler.stop()
    await server.stop()
  }
}

/** Thousands of sessions are opened, each of which would hash its password 4,096 times on both sides. Postgres 16 and newer know it. */
const SETTINGS = { scram_iterations: '1' }

async function hashPasswordAgain(url: string): Promise<void> {
  const database = openPostgres({ url, connections: 1 })
  const password = decodeURIComponent(new URL(url).password)
  await database.script(`alter role current_user password '${password}'`)
  await database.close()
}

const MEMORY = '/dev/shm'
const ROOM = 4 * 2 ** 30

/** The data of the run's server is copied for tests and thrown away: it lies in memory where there is room for it. */
async function inMemory<T>(work: () => Promise<T>): Promise<T> {
  const before = process.env.TMPDIR
  const { bavail, bsize } = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 }
  if (bavail * bsize > ROOM) process.env.TMPDIR = MEMORY
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

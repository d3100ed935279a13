// One throw-away Postgres for the whole run; each test has a database of its own in it.
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from 'holdfast/embedded'
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
    /** A file with a new PGlite database, made by the first that needs it, so that not every worker makes one anew. */
    pgliteDump: string
  }
}

export default async function setup(project: TestProject) {
  // The version matrix runs the same suite on the binaries of another Postgres.
  const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
  const server = await inMemory(() => startEmbedded({ ephemeral: true, ...(binDir ? { binDir } : {}) }))
  project.provide('postgresUrl', server.url)
  await makeTemplates(server.url)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pglite-'))
  project.provide('pgliteDump', join(folder, 'new'))
  // Without one only the tests that go through it fail.
  const pooler = await startPgbouncer(server.url).catch((error: Error) => error)
  const isThere = (found: Pooler | Error): found is Pooler => !(found instanceof Error)
  project.provide('pgbouncer', isThere(pooler) ? { url: pooler.url } : { problem: pooler.message })
  return async () => {
    if (isThere(pooler)) await pooler.stop()
    rmSync(folder, { recursive: true, force: true })
    await server.stop()
  }
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

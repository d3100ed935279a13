// One throw-away Postgres for the whole run; each test has a database of its own in it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { startEmbedded } from 'holdfast/embedded'
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { type Pooler, startPgbouncer } from './pgbouncer.js'
import { makeTemplate } from './template.js'

declare module 'vitest' {
  interface ProvidedContext {
    surroundings: 'usual' | 'pgbouncer' | 'notify off'
    postgresUrl: string
    /** The same server through pgbouncer, or why there is none. */
    pgbouncer: { url: string } | { problem: string }
    /** A file with a new PGlite database, so that not every test file makes one anew. */
    pgliteDump: string
  }
}

export default async function setup(project: TestProject) {
  // The version matrix runs the same suite on the binaries of another Postgres.
  const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
  const server = await startEmbedded({ ephemeral: true, ...(binDir ? { binDir } : {}) })
  project.provide('postgresUrl', server.url)
  await makeTemplate(server.url)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pglite-'))
  project.provide('pgliteDump', await dumpPglite(join(folder, 'new')))
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

async function dumpPglite(file: string): Promise<string> {
  const lite = await PGlite.create()
  writeFileSync(file, Buffer.from(await (await lite.dumpDataDir('none')).arrayBuffer()))
  await lite.close()
  return file
}

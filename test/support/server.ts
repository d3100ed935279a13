// One throw-away Postgres for the whole run; each test makes its own schema or database in it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { startEmbedded } from 'holdfast/embedded'
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** A file with a new PGlite database, so that not every test file makes one anew. */
    pgliteDump: string
  }
}

export default async function setup(project: TestProject) {
  // The version matrix runs the same suite on the binaries of another Postgres.
  const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
  const server = await startEmbedded({ ephemeral: true, ...(binDir ? { binDir } : {}) })
  project.provide('postgresUrl', server.url)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pglite-'))
  project.provide('pgliteDump', await dumpPglite(join(folder, 'new')))
  return async () => {
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

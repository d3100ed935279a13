// One throw-away Postgres for the whole run; each test makes its own schema or database in it.
import { startEmbedded } from 'holdfast/embedded'
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

export default async function setup(project: TestProject) {
  // The version matrix runs the same suite on the binaries of another Postgres.
  const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
  const server = await startEmbedded({ ephemeral: true, ...(binDir ? { binDir } : {}) })
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}

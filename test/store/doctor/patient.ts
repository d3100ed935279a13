/** A durable server of a test file's own, and healthy installations in it to plant problems in. */
import { randomBytes } from 'node:crypto'
import { type EmbeddedPostgres, startEmbedded } from 'holdfast/embedded'
import {
  type Database,
  type ExamineOptions,
  examine,
  migrateUp,
  openPostgres,
  type Store,
  storeOn,
} from 'holdfast/store'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { ChoreRunner } from '../../../src/app/chores/chore-runner.js'
import { PACKAGE_VERSION } from '../../../src/database/package.js'
import { PRESENCE } from '../../support/presence.js'
import { withTestSql } from '../../support/world.js'

let server: EmbeddedPostgres
let database: Database

/** Vacuum comes only when it is called, so that what a test leaves lying stays. */
const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  autovacuum_naptime: '1d',
  max_connections: '40',
  max_prepared_transactions: '2',
}

export function hospital(): void {
  beforeAll(async () => {
    const binDir = process.env.HOLDFAST_TEST_PG_BIN_DIR
    server = await startEmbedded({ ephemeral: true, settings: SETTINGS, ...(binDir ? { binDir } : {}) })
    database = openPostgres({ url: server.url, connections: 3 })
  })
  afterAll(async () => {
    await database?.close()
    await server?.stop()
  })
}

export const hospitalUrl = () => server.url

export interface Patient extends Store {
  /** The codes of what is found. */
  codes(options?: ExamineOptions): Promise<string[]>
  examine(options?: ExamineOptions): ReturnType<typeof examine>
  /** Runs what a finding says as psql would, a statement at a time. */
  mend(fix: string): Promise<void>
}

/** Something has been done here, somebody works here, and upkeep is awake. */
export async function healthy(on: Database = database): Promise<Patient> {
  const schema = `t_${randomBytes(6).toString('hex')}`
  await migrateUp(on, schema)
  onTestFinished(() =>
    on.script(`set local client_min_messages = error; drop schema if exists ${schema} cascade`),
  )
  const store = withTestSql(storeOn(on, schema))
  await store.queues.create('q')
  await store.enqueue({ queue: 'q', kind: 'k', input: {} })
  for (const chore of ['promote', 'age']) await new ChoreRunner(store).run(chore)
  await works(store)
  return {
    ...store,
    examine: (options) => examine(on, schema, options),
    codes: async (options) => (await examine(on, schema, options)).findings.map(({ code }) => code),
    async mend(fix) {
      for (const statement of fix.split(/;\s*(?:--.*)?/).filter((each) => each.trim() !== ''))
        await on.script(statement)
    },
  }
}

/** A sign of life of a worker. */
export async function works(
  store: Store,
  { worker = 'w', pid = 1, version = PACKAGE_VERSION } = {},
): Promise<void> {
  await store.work.heartbeat({ ...PRESENCE, worker, pid, version })
}

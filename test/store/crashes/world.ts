/** A server of a test file's own, which can lose its processes with all they have not written, and a database in it for each test. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from 'holdfast/store'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { PrivateServer } from '../../chaos/server.js'
import { inDatabase } from '../../support/template.js'

export const QUEUE = 'work'
export const job = { queue: QUEUE, kind: 'job' }

export interface Crashing {
  readonly server: PrivateServer
  readonly store: Store
  readonly url: string
  /** Another process, as far as the database can tell. */
  another(connections?: number): Promise<Store>
}

let server: PrivateServer
const TEMPLATE = 'with_schema'
const QUIET = {
  // What a process has written outlives it in the memory of the machine, so that only what it had not written is lost; syncing all
  // files of the server at each start would be most of the time.
  fsync: 'off',
  // Nobody but the test commits, or writes a page, which flushes the WAL before it.
  autovacuum: 'off',
  bgwriter_lru_maxpages: '0',
}

/** Call it once, at the top of the file. */
export function ownServer(): void {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-crashes-'))
    server = await PrivateServer.start(folder, QUIET)
    await server.rows(`create database ${TEMPLATE}`)
    const store = await openStore({ url: inDatabase(server.url, TEMPLATE), migrate: true, connections: 1 })
    await store.queues.create(QUEUE)
    await store.close()
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  })
}

/** `asynchronous`: no commit of this database waits for the disk, so that a crash takes back what an asynchronous failover would. */
export async function crashing({ asynchronous = false } = {}): Promise<Crashing> {
  const name = `t_${randomBytes(6).toString('hex')}`
  await server.rows(`create database ${name} template ${TEMPLATE}`)
  if (asynchronous) await server.rows(`alter database ${name} set synchronous_commit = off`)
  const url = inDatabase(server.url, name)
  const another = async (connections = 4) => {
    const store = await openStore({ url, connections })
    onTestFinished(() => store.close())
    return store
  }
  return { server, store: await another(), url, another }
}

/** All that was committed so far is on the disk; nothing after it is, unless its own commit waited. */
export async function flushThenFreeze(): Promise<void> {
  await server.rows('checkpoint')
  await server.freezeWalWriter()
}

export const triple = ({ jobId, attempt, lease }: { jobId: number; attempt: number; lease: number }) =>
  `${jobId}/${attempt}/${lease}`

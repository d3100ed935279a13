/** A durable server of a test file's own, which can lose its power, and a database in it for each test. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from 'holdfast'
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

/** Call it once, at the top of the file. */
export function ownServer(): void {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-crashes-'))
    server = await PrivateServer.start(folder)
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  })
}

/** `asynchronous`: no commit of this database waits for the disk, so that a crash takes back what an asynchronous failover would. */
export async function crashing({ asynchronous = false } = {}): Promise<Crashing> {
  const name = `t_${randomBytes(6).toString('hex')}`
  await server.rows(`create database ${name}`)
  if (asynchronous) await server.rows(`alter database ${name} set synchronous_commit = off`)
  const url = inDatabase(server.url, name)
  const another = async (connections = 4) => {
    const store = await openStore({ url, migrate: true, connections })
    onTestFinished(() => store.close())
    return store
  }
  const store = await another()
  await store.queues.create(QUEUE)
  return { server, store, url, another }
}

/** All that was committed so far is on the disk; nothing after it is, unless its own commit waited. */
export async function flushThenFreeze(): Promise<void> {
  await server.rows('checkpoint')
  await server.freezeWalWriter()
}

export const triple = ({ jobId, attempt, lease }: { jobId: number; attempt: number; lease: number }) =>
  `${jobId}/${attempt}/${lease}`

/**
 * A fresh world for each test: a schema of its own in the run's Postgres, or in a PGlite shared by the test file (which has one
 * connection, so races are only proven on Postgres). The schema of a failed test stays, for a look inside.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Database, migrateUp, openPglite, openPostgres, type Store, storeOn } from 'holdfast'
import { type PinnedClock, pinClock } from 'holdfast/testing'
import { afterAll, describe, expect, inject, onTestFinished } from 'vitest'
import { Emptied } from './emptied.js'

export type Driver = 'postgres' | 'pglite'
const DRIVERS: readonly Driver[] = surroundings() === 'usual' ? ['postgres', 'pglite'] : ['postgres']

export interface World extends Store {
  readonly clock: PinnedClock
}

let pglite: Promise<Database> | undefined
let emptied: Emptied | undefined
afterAll(async () => (await pglite)?.close())

/** Opens a store in a new schema, closed and dropped when the test ends well. */
export async function freshStore(
  driver: Driver = 'postgres',
  options: { connections?: number } = {},
): Promise<Store> {
  const name = `t_${randomBytes(6).toString('hex')}`
  if (driver === 'pglite') return freshInPglite(name)
  const database = openPostgres({ url: postgresUrl(), connections: options.connections ?? 4 })
  await migrateUp(database, name)
  const store = storeOn(database, name, { notify: isNotifyOn() })
  onTestFinished(async ({ task }) => {
    if (!isKept(task, name))
      await database.script(`set local client_min_messages = error; drop schema if exists ${name} cascade`)
    await store.close()
  })
  return store
}

async function freshInPglite(name: string): Promise<Store> {
  pglite ??= openPglite({ from: new Blob([readFileSync(inject('pgliteDump'))]) })
  const database = await pglite
  emptied ??= new Emptied(database)
  const schemas = emptied
  const schema = await schemas.take(name)
  onTestFinished(async ({ task }) => {
    if (!isKept(task, schema)) await schemas.giveBack(schema)
  })
  return storeOn(database, schema, { notify: isNotifyOn() })
}

function isKept({ result }: { result?: { state?: string } }, schema: string): boolean {
  const failed = result?.state === 'fail'
  if (failed) console.error(`the schema of this failed test is kept: ${schema}`)
  return failed
}

/** A store whose clock stands still until the test moves it. */
export async function pinnedStore(
  driver: Driver = 'postgres',
  options: { connections?: number } = {},
): Promise<World> {
  const store = await freshStore(driver, options)
  return { ...store, clock: await pinClock(store.database, new Date('2030-01-01T00:00:00Z')) }
}

/** Another set of connections to the same schema: another process, as far as the database can tell. */
export async function secondStore(store: Store, connections = 4): Promise<Store> {
  const database = openPostgres({ url: postgresUrl(), connections })
  onTestFinished(() => database.close())
  return storeOn(database, store.schema, { notify: isNotifyOn() })
}

/** The run's Postgres itself, for whoever watches sessions from outside. */
export function serverUrl(): string {
  return inject('postgresUrl')
}

/** The way to it: through pgbouncer where the surroundings say so. */
export function postgresUrl(): string {
  if (surroundings() !== 'pgbouncer') return serverUrl()
  const pooler = inject('pgbouncer')
  if ('problem' in pooler) throw new Error(pooler.problem)
  return pooler.url
}

/** Vitest runs the same files in each of its projects, which say what is around the runtime. */
function surroundings(): 'usual' | 'pgbouncer' | 'notify off' {
  return inject('surroundings')
}

export function isNotifyOn(): boolean {
  return surroundings() !== 'notify off'
}

/** The same tests on each driver. */
export function onEachDriver(title: string, tests: (driver: Driver) => void): void {
  describe.each(DRIVERS)(`${title} (%s)`, tests)
}

/** Nothing that may never be, is. */
export async function expectHealthy(store: Store): Promise<void> {
  expect(await store.read.violations()).toEqual([])
}

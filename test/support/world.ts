/**
 * A fresh world for each test: a database of its own in the run's Postgres, or a schema in a PGlite shared by the test file (which has one
 * connection, so races are only proven on Postgres). What a failed test has left stays, for a look inside.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Database, migrateUp, openPglite, openPostgres, type Store, storeOn } from 'holdfast'
import { type PinnedClock, pinClock } from 'holdfast/testing'
import { afterAll, describe, expect, inject, onTestFinished } from 'vitest'
import { Emptied } from './emptied.js'
import { Copies, inDatabase, SCHEMA } from './template.js'

export type Driver = 'postgres' | 'pglite'
const DRIVERS: readonly Driver[] = surroundings() === 'usual' ? ['postgres', 'pglite'] : ['postgres']

export interface World extends Store {
  readonly clock: PinnedClock
}

interface FreshOptions {
  readonly connections?: number
  /** A schema of a name that no other test has, for what belongs to the whole server and is named after it: roles. */
  readonly ownName?: boolean
}

let pglite: Promise<Database> | undefined
let emptied: Emptied | undefined
let copies: Copies | undefined
/** The database of the test that runs now, once it has a store on Postgres. */
let own: string | undefined
afterAll(async () => {
  await (await pglite)?.close()
  await copies?.close()
})

/** Opens a store on an empty schema, closed and gone when the test ends well. */
export async function freshStore(
  driver: Driver = 'postgres',
  { connections = 4, ownName = false }: FreshOptions = {},
): Promise<Store> {
  const name = `t_${randomBytes(6).toString('hex')}`
  if (driver === 'pglite') return freshInPglite(name)
  const isFirst = own === undefined
  if (isFirst) await takeDatabase(name)
  const isThere = isFirst && !ownName
  const schema = isThere ? SCHEMA : name
  const database = openPostgres({ url: postgresUrl(), connections })
  onTestFinished(() => database.close())
  if (!isThere) await migrateUp(database, schema)
  return storeOn(database, schema, { notify: isNotifyOn() })
}

/** For as long as this test runs. A second store of it is another schema beside the first. */
async function takeDatabase(name: string): Promise<void> {
  copies ??= new Copies(inject('postgresUrl'))
  const made = copies
  await made.make(name)
  own = name
  onTestFinished(async ({ task }) => {
    own = undefined
    if (!isKept(task, name)) await made.drop(name)
  })
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

function isKept({ result }: { result?: { state?: string } }, name: string): boolean {
  const failed = result?.state === 'fail'
  if (failed) console.error(`what this failed test has left is kept in ${name}`)
  return failed
}

/** A store whose clock stands still until the test moves it. */
export async function pinnedStore(driver: Driver = 'postgres', options: FreshOptions = {}): Promise<World> {
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
  return here(inject('postgresUrl'))
}

function here(url: string): string {
  return own === undefined ? url : inDatabase(url, own)
}

/** The way to it: through pgbouncer where the surroundings say so. */
export function postgresUrl(): string {
  if (surroundings() !== 'pgbouncer') return serverUrl()
  const pooler = inject('pgbouncer')
  if ('problem' in pooler) throw new Error(pooler.problem)
  return here(pooler.url)
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

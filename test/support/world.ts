/**
 * A fresh world for each test: a database of its own in the run's Postgres, or a schema in a PGlite shared by the test file (which has one
 * connection, so races are only proven on Postgres). What a failed test has left stays, for a look inside.
 */
import { randomBytes } from 'node:crypto'
import { type Database, migrateUp, openPglite, openPostgres, type Store, storeOn } from 'holdfast/store'
import { type PinnedClock, pinClock } from 'holdfast/testing'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { withSchema } from '../../src/database/schema.js'
import { Emptied } from './emptied.js'
import { Copies, inDatabase, SCHEMA, START, type Template } from './template.js'
import { type Lease, WarmDatabases } from './warm.js'

export type Driver = 'postgres' | 'pglite'
/** What is true on Postgres is shown on PGlite once more in the full lane. */
const DRIVERS: readonly Driver[] = inject('drivers')

export interface World extends Store {
  readonly clock: PinnedClock
}

/** What most tests open, and so what is kept open from test to test. */
const CONNECTIONS = 4

interface FreshOptions {
  readonly connections?: number
  /** A new copy, for what counts pages, sessions or transactions of the whole database, or changes what it is made of. */
  readonly own?: boolean
  /** A schema of a name that no other test has, for what belongs to the whole server and is named after it: roles. */
  readonly ownName?: boolean
}

let pglite: Promise<Database> | undefined
let emptied: Emptied | undefined
let copies: Copies | undefined
let warm: WarmDatabases | undefined
/** The database of the test that runs now, once it has a store on Postgres. */
let own: string | undefined

/** With a `database` for the SQL of tests, which names the schema `holdfast` whatever the schema of the test is called. */
export function withTestSql<S extends Store>(store: S): S {
  return { ...store, database: withSchema(store.database, store.schema) }
}

/** Opens a store on an empty schema, closed and gone when the test ends well. */
export function freshStore(driver: Driver = 'postgres', options: FreshOptions = {}): Promise<Store> {
  return driver === 'pglite' ? freshInPglite('fresh', options) : freshInPostgres('fresh', options)
}

async function freshInPostgres(template: Template, options: FreshOptions): Promise<Store> {
  const { connections = CONNECTIONS, ownName = false } = options
  const name = newName()
  // A second store of the same test is another schema beside the first.
  const isThere = own === undefined && !ownName
  const opened = own === undefined ? await takeDatabase(name, template, options) : undefined
  const database = opened ?? openPostgres({ url: postgresUrl(), connections })
  onTestFinished(() => database.close())
  const schema = isThere ? SCHEMA : name
  if (!isThere) await migrateUp(database, schema)
  return storeOf(database, schema)
}

/** Sends its last wake-ups before the test ends: the next test in this database would be woken by them. */
function storeOf(database: Database, schema: string): Store {
  const store = storeOn(database, schema, { notify: isNotifyOn() })
  onTestFinished(() => store.settle())
  return withTestSql(store)
}

/** For as long as this test runs. Answers its connections where they are kept from test to test. */
async function takeDatabase(
  name: string,
  template: Template,
  { connections = CONNECTIONS, ownName = false, own: isNew = false }: FreshOptions,
): Promise<Database | undefined> {
  copies ??= new Copies(inject('postgresUrl'))
  // Those who ask for one connection count pages.
  const isCold = isNew || ownName || connections !== CONNECTIONS || surroundings() === 'pgbouncer'
  if (isCold) {
    const made = copies
    await made.make(name, template)
    own = name
    onTestFinished(async ({ task }) => {
      own = undefined
      if (!isKept(task, name)) await made.drop(name)
    })
    return undefined
  }
  warm ??= new WarmDatabases(inject('postgresUrl'), copies, CONNECTIONS)
  const lease: Lease = await warm.take(template, name)
  own = lease.name
  onTestFinished(async ({ task }) => {
    own = undefined
    if (isKept(task, lease.name)) await lease.keep()
    else lease.giveBack()
  })
  return lease.database
}

const newName = () => `t_${randomBytes(6).toString('hex')}`

async function freshInPglite(
  template: Template,
  { connections, own: isNew = false }: FreshOptions,
): Promise<Store> {
  pglite ??= openPglite()
  const database = await pglite
  emptied ??= new Emptied(database)
  const schemas = emptied
  // Those who count pages: an emptied schema has dead rows of the same ids, and each costs a page.
  const isCold = isNew || connections === 1
  const schema = isCold ? await schemas.make(newName(), template) : await schemas.take(newName(), template)
  onTestFinished(async ({ task }) => {
    if (isKept(task, schema)) return
    if (isCold) await schemas.drop(schema)
    else await schemas.giveBack(schema, template)
  })
  return storeOf(database, schema)
}

function isKept({ result }: { result?: { state?: string } }, name: string): boolean {
  const failed = result?.state === 'fail'
  if (failed) console.error(`what this failed test has left is kept in ${name}`)
  return failed
}

/** A store whose clock stands still until the test moves it. */
export async function pinnedStore(driver: Driver = 'postgres', options: FreshOptions = {}): Promise<World> {
  const store = await (driver === 'pglite'
    ? freshInPglite('pinned', options)
    : freshInPostgres('pinned', options))
  return { ...store, clock: await pinClock(store, START) }
}

/** Another set of connections to the same schema: another process, as far as the database can tell. */
export async function secondStore(store: Store, connections = 4): Promise<Store> {
  const database = openPostgres({ url: postgresUrl(), connections })
  onTestFinished(() => database.close())
  return storeOf(database, store.schema)
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

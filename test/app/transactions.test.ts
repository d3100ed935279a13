// Jobs made in the caller's own transaction, with the libraries people use. Each on a real Postgres: the job is there after a
// commit, is not there after a rollback, and nobody else sees it before.
import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import { type App, defineJob, type Transaction } from 'holdfast'
import knex from 'knex'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { freshApp } from '../support/app.js'
import { postgresUrl } from '../support/world.js'

const receipt = defineJob({ kind: 'receipt', queue: 'mail', handler: async () => 'sent' })

/** Runs `work` in a transaction of the library and answers when it has committed; a throw of `work` rolls it back. */
type InTransaction = (
  work: (tx: Transaction, run: (text: string) => Promise<unknown>) => Promise<void>,
) => Promise<void>

function pool(): pg.Pool {
  const made = new pg.Pool({ connectionString: postgresUrl(), max: 2 })
  onTestFinished(() => made.end())
  return made
}

function postgresJs(): postgres.Sql {
  const made = postgres(postgresUrl(), { max: 2 })
  onTestFinished(() => made.end())
  return made
}

const LIBRARIES: Record<string, () => InTransaction> = {
  pg: () => {
    const clients = pool()
    return async (work) => {
      const client = await clients.connect()
      try {
        await client.query('begin')
        await work(client, (text) => client.query(text))
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw error
      } finally {
        client.release()
      }
    }
  },
  'postgres.js': () => {
    const root = postgresJs()
    return async (work) => {
      await root.begin((tx) => work(tx, (text) => tx.unsafe(text)))
    }
  },
  'drizzle on pg': () => {
    const db = drizzle(pool())
    return (work) => db.transaction((tx) => work(tx, (text) => tx.execute(drizzleSql.raw(text))))
  },
  'drizzle on postgres.js': () => {
    const db = drizzleOnPostgresJs(postgresJs())
    return (work) => db.transaction((tx) => work(tx, (text) => tx.execute(drizzleSql.raw(text))))
  },
  kysely: () => {
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: pool() }) })
    return (work) => db.transaction().execute((trx) => work(trx, (text) => sql.raw(text).execute(trx)))
  },
  'kysely with camel case': () => {
    const db = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: pool() }),
      plugins: [new CamelCasePlugin()],
    })
    return (work) => db.transaction().execute((trx) => work(trx, (text) => sql.raw(text).execute(trx)))
  },
  knex: () => {
    const db = knex({ client: 'pg', connection: postgresUrl(), pool: { min: 0, max: 2 } })
    onTestFinished(() => db.destroy())
    return (work) => db.transaction((trx) => work(trx, (text) => trx.raw(text).then()))
  },
  'a function': () => {
    const clients = pool()
    return async (work) => {
      const client = await clients.connect()
      const run = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows
      try {
        await run('begin')
        await work(run, run)
        await run('commit')
      } catch (error) {
        await run('rollback')
        throw error
      } finally {
        client.release()
      }
    }
  },
}

let app: App
beforeEach(async () => {
  app = await freshApp({ jobs: [receipt], queues: { strict: { dedup: 'reject' } } })
  await app.store.database.script('create table holdfast.orders (id int)')
})

const orders = async () => (await app.store.database.query('select id from holdfast.orders')).length
const jobs = async () => (await app.store.database.query('select id from holdfast.jobs')).length
const insertOrder = () => `insert into ${app.store.schema}.orders values (1)`

describe.each(Object.keys(LIBRARIES))('a transaction of %s', (library) => {
  let inTransaction: InTransaction
  beforeEach(() => {
    inTransaction = (LIBRARIES[library] as () => InTransaction)()
  })

  it('has its jobs when it commits, together with its own writes, and nobody sees them before', async () => {
    const ids: number[] = []
    await inTransaction(async (tx, run) => {
      await run(insertOrder())
      const one = await app.enqueue(receipt, { order: 1 }, { tx, priority: 7, key: 'order:1' })
      const more = await app.enqueueMany(receipt, [{ order: 2 }, { order: 3 }], { tx })
      ids.push(one.id, ...more.map(({ id }) => id))
      expect([await orders(), await jobs()], 'seen from outside').toEqual([0, 0])
    })
    expect(await orders()).toBe(1)
    const rows = await Promise.all(ids.map((id) => app.handle(id).job()))
    expect(rows.map(({ kind, input, priority }) => ({ kind, input, priority }))).toEqual([
      { kind: 'receipt', input: { order: 1 }, priority: 7 },
      { kind: 'receipt', input: { order: 2 }, priority: 0 },
      { kind: 'receipt', input: { order: 3 }, priority: 0 },
    ])
    expect((await app.enqueue(receipt, null, { key: 'order:1' })).deduplicated).toBe(true)
  })

  it('has none when it rolls back', async () => {
    const changedMyMind = new Error('no')
    const attempt = inTransaction(async (tx, run) => {
      await run(insertOrder())
      await app.enqueue(receipt, { order: 1 }, { tx })
      throw changedMyMind
    })
    await expect(attempt).rejects.toBe(changedMyMind)
    expect([await orders(), await jobs()]).toEqual([0, 0])
  })

  it('gets a refusal of the database as the error it is', async () => {
    const taken = await app.enqueue(receipt, null, { queue: 'strict', key: 'k' })
    const attempt = inTransaction(async (tx) => {
      await app.enqueueMany(receipt, [1], { tx, queue: 'strict', key: 'k' })
    })
    await expect(attempt).rejects.toMatchObject({ name: 'HoldfastError', code: 'key_taken' })
    await expect(attempt).rejects.toThrow(String(taken.id))
  })
})

describe('what is not a transaction is refused, because a rollback would not undo the job', () => {
  const refused = async (tx: unknown) => {
    const attempt = app.enqueue(receipt, null, { tx: tx as Transaction })
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_input', details: { path: '/tx' } })
    expect(await jobs()).toBe(0)
  }

  it('a pool of pg', () => refused(pool()))
  it('the sql of postgres.js', () => refused(postgresJs()))
  it('the database of drizzle', () => refused(drizzle(pool())))
  it('the database of kysely', () =>
    refused(new Kysely<unknown>({ dialect: new PostgresDialect({ pool: pool() }) })))
  it('the database of knex', () => refused(knex({ client: 'pg' })))
  it('anything else', async () => {
    await refused({})
    await refused('begin')
  })
})

// Jobs made in the caller's own transaction, with the libraries people use. Each on a real Postgres: the job is there after a
// commit, is not there after a rollback, and nobody else sees it before.
import { drizzle } from 'drizzle-orm/node-postgres'
import { type App, defineJob, type Transaction } from 'holdfast'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshApp } from '../support/app.js'
import { type InTransaction, LIBRARIES, pool, postgresJs } from '../support/libraries.js'

const receipt = defineJob({ kind: 'receipt', queue: 'mail', handler: async () => 'sent' })

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

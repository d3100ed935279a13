/** Transactions of the libraries people use, each on a real Postgres. */
import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js'
import type { Transaction } from 'holdfast'
import knex from 'knex'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import { postgresUrl } from './world.js'

/** Runs `work` in a transaction of the library and answers when it has committed; a throw of `work` rolls it back. */
export type InTransaction = (
  work: (tx: Transaction, run: (text: string) => Promise<unknown>) => Promise<void>,
) => Promise<void>

export function pool(): pg.Pool {
  const made = new pg.Pool({ connectionString: postgresUrl(), max: 2 })
  // Its end is not awaited by the pool, and may be that of the database.
  made.on('error', () => {})
  onTestFinished(() => made.end())
  return made
}

export function postgresJs(): postgres.Sql {
  const made = postgres(postgresUrl(), { max: 2 })
  onTestFinished(() => made.end())
  return made
}

export const LIBRARIES: Record<string, () => InTransaction> = {
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

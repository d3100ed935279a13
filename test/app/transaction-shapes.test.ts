// Every transaction of the libraries fits `tx` as it is. Prisma cannot be generated without its engine, so it is checked by the
// shape of its client, here and nowhere else; the other libraries are also run, in test/app/transactions.slow.test.ts.
import type { drizzle } from 'drizzle-orm/node-postgres'
import type { Transaction } from 'holdfast'
import type { Session } from 'holdfast/store'
import type { Knex } from 'knex'
import type { Transaction as KyselyTransaction } from 'kysely'
import type pg from 'pg'
import type postgres from 'postgres'
import { expect, expectTypeOf, it } from 'vitest'
import { asTransaction } from '../../src/app/transaction.js'

type DrizzleTx = Parameters<Parameters<ReturnType<typeof drizzle>['transaction']>[0]>[0]

/** What Prisma calls `Prisma.TransactionClient`, as far as raw queries go. */
interface PrismaTransactionClient {
  $executeRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>
}

it('a transaction of each library can be given as it is', async () => {
  expectTypeOf<pg.PoolClient>().toExtend<Transaction>()
  expectTypeOf<pg.Client>().toExtend<Transaction>()
  expectTypeOf<postgres.TransactionSql>().toExtend<Transaction>()
  expectTypeOf<DrizzleTx>().toExtend<Transaction>()
  expectTypeOf<KyselyTransaction<{ orders: { id: number } }>>().toExtend<Transaction>()
  expectTypeOf<Knex.Transaction>().toExtend<Transaction>()
  expectTypeOf<PrismaTransactionClient>().toExtend<Transaction>()
  expectTypeOf<Session>().toExtend<Transaction>()
  expectTypeOf<(text: string, values: unknown[]) => Promise<unknown[]>>().toExtend<Transaction>()
  const run = async (text: string, values: unknown[]) => [{ text, values }]
  expect(await asTransaction(run).query('select $1', [7])).toEqual({ rows: await run('select $1', [7]) })
})

it('what runs no text with values cannot', () => {
  expectTypeOf<{ commit(): Promise<void> }>().not.toExtend<Transaction>()
  expectTypeOf<string>().not.toExtend<Transaction>()
  expect(() => asTransaction({ commit: async () => {} } as never)).toThrow('/tx')
})

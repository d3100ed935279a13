// Enqueues a job in a transaction of drizzle: the order and its job exist together, or neither does.
// Use it when you reach your tables through drizzle, and a job follows from a row of yours.
// Run it: npm run example -- recipes/transaction-drizzle
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { defineJob, holdfast } from 'holdfast'
import pg from 'pg'

const stock = pgTable('stock', { item: text().primaryKey(), pieces: integer().notNull() })
const orders = pgTable('orders', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  item: text().notNull(),
})

const receipt = defineJob({
  kind: 'receipt',
  queue: 'mail',
  handler: async (_ctx, { order }: { order: number }) => `receipt of order ${order} sent`,
})

const app = await holdfast({ migrate: true, jobs: [receipt] })
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
const db = drizzle(pool)
await db.execute(sql`
  create table if not exists stock (item text primary key, pieces int not null check (pieces >= 0));
  create table if not exists orders (id int generated always as identity primary key, item text not null);
  insert into stock values ('kettle', 1) on conflict (item) do update set pieces = 1`)

const placeOrder = (item: string) =>
  db.transaction(async (tx) => {
    const [order] = await tx.insert(orders).values({ item }).returning({ id: orders.id })
    if (order === undefined) throw new Error('the order was not inserted')
    const job = await app.enqueue(receipt, { order: order.id }, { tx })
    await tx
      .update(stock)
      .set({ pieces: sql`${stock.pieces} - 1` })
      .where(eq(stock.item, item))
    return job
  })

await app.work()
const job = await placeOrder('kettle')
console.log(await job.result())

// There is no second kettle: the transaction is rolled back, with the job that it has enqueued.
await placeOrder('kettle').catch(({ cause }) => console.log(`no order, no job: ${cause.message}`))

await app.stop()
await pool.end()

// Enqueues a job in a transaction of kysely: the order and its job exist together, or neither does.
// Use it when you reach your tables through kysely, and a job follows from a row of yours.
// Run it: npm run example -- recipes/transaction-kysely
import { defineJob, holdfast } from 'holdfast'
import { type Generated, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'

interface Tables {
  stock: { item: string; pieces: number }
  orders: { id: Generated<number>; item: string }
}

const receipt = defineJob({
  kind: 'receipt',
  queue: 'mail',
  handler: async (_ctx, { order }: { order: number }) => `receipt of order ${order} sent`,
})

const app = await holdfast({ migrate: true, jobs: [receipt] })
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
await pool.query(`
  create table if not exists stock (item text primary key, pieces int not null check (pieces >= 0));
  create table if not exists orders (id int generated always as identity primary key, item text not null);
  insert into stock values ('kettle', 1) on conflict (item) do update set pieces = 1`)

const placeOrder = (item: string) =>
  db.transaction().execute(async (trx) => {
    const order = await trx.insertInto('orders').values({ item }).returning('id').executeTakeFirstOrThrow()
    const job = await app.enqueue(receipt, { order: order.id }, { tx: trx })
    await trx.updateTable('stock').set({ pieces: sql<number>`pieces - 1` }).where('item', '=', item).execute()
    return job
  })

await app.work()
const job = await placeOrder('kettle')
console.log(await job.result())

// There is no second kettle: the transaction is rolled back, with the job that it has enqueued.
await placeOrder('kettle').catch((error: Error) => console.log(`no order, no job: ${error.message}`))

await app.stop()
await db.destroy()

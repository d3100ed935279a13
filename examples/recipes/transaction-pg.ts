// Enqueues a job in your own pg transaction: the order and its job exist together, or neither does.
// Use it when a job follows from a row of yours, and must neither be lost nor run for a row that was rolled back.
// Run it: npm run example -- recipes/transaction-pg
import { defineJob, holdfast } from 'holdfast'
import pg from 'pg'

const receipt = defineJob({
  kind: 'receipt',
  queue: 'mail',
  handler: async (_ctx, { order }: { order: number }) => `receipt of order ${order} sent`,
})

const app = await holdfast({ migrate: true, jobs: [receipt] })
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
await pool.query(`
  create table if not exists stock (item text primary key, pieces int not null check (pieces >= 0));
  create table if not exists orders (id int generated always as identity primary key, item text not null);
  insert into stock values ('kettle', 1) on conflict (item) do update set pieces = 1`)

async function placeOrder(item: string) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query('insert into orders (item) values ($1) returning id', [item])
    const job = await app.enqueue(receipt, { order: rows[0].id }, { tx: client })
    await client.query('update stock set pieces = pieces - 1 where item = $1', [item])
    await client.query('commit')
    return job
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

await app.work()
const job = await placeOrder('kettle')
console.log(await job.result())

// There is no second kettle: the transaction is rolled back, with the job that it has enqueued.
await placeOrder('kettle').catch((error: Error) => console.log(`no order, no job: ${error.message}`))

await app.stop()
await pool.end()

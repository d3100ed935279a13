// Runs the jobs of one customer one after the other, in order, and those of different customers at once.
// Use it when two jobs must not touch the same account, document or device at the same time.
// Run it: npm run example -- recipes/serial-per-customer
import { setTimeout as pause } from 'node:timers/promises'
import { defineJob, holdfast } from 'holdfast'

const sync = defineJob({
  kind: 'sync',
  queue: 'sync',
  // Jobs with the same target wait for each other.
  target: 'customer:{customer}',
  handler: async (ctx, { customer, change }: { customer: string; change: number }) => {
    const [row] = await app.store.database.query<{ id: number }>(
      'insert into syncs (customer, change, began_at) values ($1, $2, clock_timestamp()) returning id',
      [customer, change],
    )
    await pause(50)
    await app.store.database.query('update syncs set ended_at = clock_timestamp() where id = $1', [row?.id])
    // A job that is retried keeps its place: later changes of this customer wait for it.
    if (change === 2 && ctx.attempt === 1) throw new Error('the connection broke')
  },
})

const app = await holdfast({
  migrate: true,
  jobs: [sync],
  queues: { sync: { retryBaseMs: 100 } },
  log: false,
})
await app.store.database.script(`
  create table if not exists syncs (id int generated always as identity primary key,
    customer text not null, change int not null, began_at timestamptz not null, ended_at timestamptz)`)

const customers = ['ada', 'bob', 'cleo']
const changes = [1, 2, 3, 4].flatMap((change) => customers.map((customer) => ({ customer, change })))
const jobs = await app.enqueueMany(sync, changes)
await app.work({ concurrency: 10 })
await Promise.all(jobs.map((job) => job.result()))

const rows = await app.store.database.query<{ customer: string; changes: number[] }>(
  'select customer, array_agg(change order by began_at) as changes from syncs group by 1 order by 1',
)
for (const { customer, changes } of rows) console.log(`${customer}: ${changes.join(', ')}`)

await app.stop()

// Makes an effect happen exactly once: ctx.commit writes it and the end of the job in one transaction.
// Use it when a handler writes to the same database, and doing it twice is wrong: payments, balances, counters.
// Run it: npm run example -- recipes/exactly-once
import { defineJob, holdfast } from 'holdfast'

interface Transfer {
  readonly from: string
  readonly to: string
  readonly amount: number
}

const transfer = defineJob({
  kind: 'transfer',
  queue: 'bank',
  // A process that is killed here leaves neither a booking nor an ended job: the next attempt does both.
  handler: (ctx, { from, to, amount }: Transfer) =>
    ctx.commit(async (tx) => {
      const book = 'update accounts set balance = balance + $2 where owner = $1'
      await tx.query(book, [from, -amount])
      await tx.query(book, [to, amount])
      return { attempt: ctx.attempt }
    }),
})

const app = await holdfast({ migrate: true, jobs: [transfer] })
await app.store.database.script(`
  create table if not exists accounts (owner text primary key, balance int not null);
  insert into accounts values ('ada', 100), ('bob', 0) on conflict do nothing`)

// The lease is how long the job of a killed worker waits for the next attempt; heartbeats renew it.
await app.work({ leaseMs: 5_000 })

// The same request again, from this program or the next run of it, returns the same job and transfers nothing.
const request = { idempotencyKey: 'transfer-7' }
const job = await app.enqueue(transfer, { from: 'ada', to: 'bob', amount: 10 }, request)
const { attempt } = await job.result()
const accounts = await app.store.database.query<{ owner: string; balance: number }>(
  'select owner, balance from accounts order by owner',
)
console.log(
  `attempt ${attempt} made the transfer:`,
  accounts.map((row) => `${row.owner} ${row.balance}`).join(', '),
)

await app.stop()

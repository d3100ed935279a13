// Runs a web server and a worker in one process that stops in order: no new requests, no new jobs, exit 0.
// Use it for a program that is deployed often: SIGTERM (or Ctrl-C) interrupts neither a request nor a job.
// Run it: npm run example -- recipes/web-and-worker   (then: curl -X POST localhost:3000/orders/kettle)
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineJob, holdfast } from 'holdfast'

const ship = defineJob({
  kind: 'ship',
  queue: 'orders',
  handler: async (ctx, { order }: { order: number }) => {
    await app.store.database.query('update orders set shipped_by = $2 where id = $1', [order, ctx.jobId])
    console.log(`order ${order} shipped`)
  },
})

const app = await holdfast({ migrate: true, jobs: [ship] })
const { database } = app.store
await database.script(`
  create table if not exists orders (id int generated always as identity primary key,
    item text not null, shipped_by bigint)`)

const server = createServer(async (request, response) => {
  const item = /^\/orders\/(\w+)$/.exec(request.url ?? '')?.[1]
  if (request.method !== 'POST' || item === undefined) return void response.writeHead(404).end()
  try {
    const job = await database.transaction(async (tx) => {
      const [order] = await tx.query<{ id: number }>('insert into orders (item) values ($1) returning id', [
        item,
      ])
      return app.enqueue(ship, { order: Number(order?.id) }, { tx })
    })
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ job: job.id }))
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
})

await app.work()
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
await once(server, 'listening')
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

// Ctrl-C can arrive twice, because npm passes it on as well: the second one must not kill this process.
await new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve)
})

// Requests under way get their answers; connections that only wait are closed.
await new Promise((resolve) => server.close(resolve))
// Running jobs get thirty seconds. What has not ended by then is given back, for another process.
await app.stop({ graceMs: 30_000 })
console.log('stopped')

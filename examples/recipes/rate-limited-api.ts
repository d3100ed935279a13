// Calls an API that allows five calls a second: the queue starts no more, over all workers and processes.
// Use it when another service counts your calls and refuses those beyond its rate.
// Run it: npm run example -- recipes/rate-limited-api
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineJob, holdfast, Snooze } from 'holdfast'

const lookUp = defineJob({
  kind: 'look-up',
  queue: 'weather-api',
  handler: async (ctx, { city }: { city: string }) => {
    const answer = await fetch(`${api}/${city}`, { signal: ctx.signal })
    // Another program may share the quota. A snooze waits as long as the API asks for and is not a failure.
    if (answer.status === 429)
      throw new Snooze(Number(answer.headers.get('retry-after')) * 1_000, 'over the quota')
    if (!answer.ok) throw new Error(`the API answered ${answer.status}`)
    return (await answer.json()) as { city: string; degrees: number }
  },
})

// The burst is how many may start at once after a pause; with 1 they are 200 ms apart.
const app = await holdfast({
  migrate: true,
  jobs: [lookUp],
  queues: { 'weather-api': { rateLimit: 5, ratePeriodMs: 1_000, rateBurst: 1 } },
})

// In place of the real API. It refuses its third call, as if another program had used up the quota.
let calls = 0
const server = createServer((request, response) => {
  calls += 1
  if (calls === 3) response.writeHead(429, { 'retry-after': '1' }).end()
  else response.end(JSON.stringify({ city: request.url?.slice(1), degrees: 20 }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const cities = ['riga', 'oslo', 'bonn', 'lyon', 'bern', 'graz', 'turin', 'porto', 'gent', 'brno']
const jobs = await app.enqueueMany(
  lookUp,
  cities.map((city) => ({ city })),
)
const startedAt = performance.now()
await app.work({ concurrency: 10 })
const results = await Promise.all(jobs.map((job) => job.result()))
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
console.log(`${results.length} cities in ${seconds} s, with ${calls} calls`)

server.close()
await app.stop()

// A program as users write one, run by processes.slow.test.ts: works, says so, and does what it is told on its standard input.
import { createInterface } from 'node:readline'
import { defineJob, holdfast } from 'holdfast'

const say = (said) => console.log(JSON.stringify({ pid: process.pid, ...said }))
const { url, schema, processes } = JSON.parse(process.argv[2])

const who = defineJob({ kind: 'who', queue: 'q', handler: () => process.pid })
const hold = defineJob({
  kind: 'hold',
  queue: 'q',
  handler: (ctx) => {
    say({ holding: ctx.attempt })
    // The first attempt never ends by itself.
    return ctx.attempt > 1 ? process.pid : new Promise(() => {})
  },
})
const spin = defineJob({
  kind: 'spin',
  queue: 'q',
  handler: (ctx, ms) => {
    const until = Date.now() + ms
    while (Date.now() < until);
    return ctx.attempt
  },
})

const where = new URL('./where.js', import.meta.url)
const isolated = ['thread', 'process'].map((isolate) =>
  defineJob({ kind: `in-${isolate}`, queue: 'q', isolate, handler: where }),
)

say({ before: true })
const app = await holdfast({
  url,
  schema,
  jobs: [who, hold, spin, ...isolated],
  queues: { q: { leaseMs: 2_000, heartbeatMs: 200 } },
})
const working = await app.work({ name: 'w', concurrency: 1, pollMs: 20, ...(processes ? { processes } : {}) })
say({ after: true })
void working.stopped.then((gone) => say({ gone }))

createInterface({ input: process.stdin }).on('line', async (line) => {
  if (line === 'stats') say({ stats: await working.stats() })
  if (line === 'idle') say({ idle: await working.idle().then(() => true) })
  if (line === 'stop') {
    await app.stop({ graceMs: 0 })
    say({ stopped: true })
    process.exit(0)
  }
})

// A producer that lives for one job, run by short-lived.slow.test.ts: says what is left of it when it has stopped, and how long its end took.
import { defineJob, holdfast } from 'holdfast'

const { url, schema, how } = JSON.parse(process.argv[2])
const job = defineJob({ kind: 'k', queue: 'q', key: how === 'keyed' ? String : undefined, handler: () => {} })
const app = await holdfast({ url, schema, jobs: [job] })
if (how === 'many') await app.enqueueMany(job, [1, 2, 3])
else if (how === 'several') await Promise.all([1, 2, 3].map((n) => app.enqueue(job, n)))
else await app.enqueue(job, 1)
const began = performance.now()
await app.stop()
const left = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
process.on('exit', () => console.log(JSON.stringify({ left, endedInMs: performance.now() - began })))

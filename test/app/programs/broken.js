// A program whose processes end before they get to work.
import { defineJob, holdfast } from 'holdfast'

if (process.send !== undefined) process.exit(3)
const { url, schema } = JSON.parse(process.argv[2])
const job = defineJob({ kind: 'never', handler: () => null })
const app = await holdfast({ url, schema, jobs: [job] })
const refused = await app.work({ processes: 2 }).catch((error) => error.message)
console.log(JSON.stringify({ pid: process.pid, refused }))
await app.stop()

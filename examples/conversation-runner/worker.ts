/** A worker for all tenants, with a number of turns at once for each of them. SIGTERM drains it. */
import { holdfast } from 'holdfast'
import { connection } from '../support/database.js'
import { onStop } from '../support/lifetime.js'
import { TENANTS, Transcript, turnJob } from './turns.js'

const { MODEL_URL: modelUrl = '', GRACE_MS: graceMs = '', WORKER_NAME: name = 'worker' } = process.env
const { url, schema } = connection()
const turn = turnJob({
  modelUrl,
  transcript: new Transcript(schema),
  session: () => app.store.database,
  ended: (what) => console.log(what),
})
const app = await holdfast({ url, schema, jobs: [turn], log: false })
await app.work({
  name,
  graceMs: Number(graceMs),
  groups: Object.entries(TENANTS).map(([tenant, count]) => ({
    name: tenant,
    tenant,
    defaultCount: count,
    maxCount: count,
  })),
})
onStop(async () => {
  console.log('drains: claims no more turns, and waits for those that run')
  await app.stop()
})

/** The app: workers by the catalogue, as many as holdfast.toml allows and the queue needs. */
import { holdfast } from 'holdfast'
import { workOptionsOf } from 'holdfast/config'
import { connection } from '../support/database.js'
import { onStop } from '../support/lifetime.js'
import { config, kindsAt, QUEUE } from './kinds.js'

const EVERY_JOBS = 5
const max = config().get('workers.max_count')

const { url, schema } = connection()
const { jobs } = kindsAt(Number(process.env.SPEED ?? 1))
const app = await holdfast({ url, schema, jobs: [...jobs], log: false })
let ended = 0
await app.work({
  ...workOptionsOf(config(), [QUEUE]),
  // A name for each life, so that the chart can tell them apart.
  name: `app-${process.pid}`,
  onScale: ({ from, to, depth }) =>
    console.log(`${from} → ${to} workers; ${depth}${depth < max ? '' : ' or more'} jobs wait`),
  onEnded: () => {
    ended += 1
    if (ended % EVERY_JOBS === 0) console.log(`${ended} attempts ended`)
  },
})
onStop(() => app.stop())

/** A crawler: one of several processes. Kill it; its crawl comes back when its lease has run out. */
import { holdfast } from 'holdfast'
import { connection } from '../support/database.js'
import { onStop } from '../support/lifetime.js'
import { crawl } from './crawl.js'

const app = await holdfast({ ...connection(), jobs: [crawl], log: false })
onStop(() => app.stop())
await app.work({ concurrency: 1, name: process.env.WORKER_NAME ?? `crawler-${process.pid}` })

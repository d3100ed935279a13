/** Crawl a forum: discovery, user requests and schedules share one queue by priority, and the clusters are drawn as a map. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, holdfast } from 'holdfast'
import { buildServer } from 'holdfast/server'
import { openDatabase } from '../support/database.js'
import type { ExampleOptions, RunningExample } from '../support/example.js'
import { listen, portAfter } from '../support/listen.js'
import { Workers } from '../support/workers.js'
import { AdminApi } from './admin.js'
import { QUEUE } from './crawl.js'
import { startForum } from './forum.js'
import { drawMap } from './map.js'
import { serveMap } from './page.js'
import { Tables } from './tables.js'
import { runTour } from './tour.js'

const CRAWLERS = 3
const CRAWL_MS = 1_200
const RETRY_MS = 2_000
const LEASE_MS = 5_000
const LEASE_MS_MIN = 2_000
/** A crawl whose worker is killed again and again must not be given up for it. */
const CRASHES_MAX = 1_000

export async function start(options: ExampleOptions): Promise<RunningExample> {
  const { print, port, speed, keep } = options
  const database = await openDatabase('subreddit-crawler', options)
  const app = await holdfast({
    url: database.url,
    schema: database.schema,
    migrate: true,
    queues: {
      [QUEUE]: {
        preset: 'crawl',
        maxRetries: 1,
        retryBaseMs: Math.ceil(RETRY_MS / speed),
        leaseMs: Math.max(LEASE_MS_MIN, Math.round(LEASE_MS / speed)),
        crashBudget: CRASHES_MAX,
      },
    },
  })
  await setIntervals(app, speed)
  const tables = new Tables(database.schema)
  await tables.create(app.store.database, { keep })
  const forum = await startForum({ port: portAfter(port), delayMs: CRAWL_MS / speed })
  const server = buildServer(app.store, { loopback: true })
  const url = await listen(server, port)
  const stopping = new AbortController()
  let isDone = false
  const page = await serveMap(portAfter(port, 2), async () => ({
    svg: drawMap(await tables.graph(app.store.database)).svg,
    isDone,
  }))
  print('map', page.url, 'strong')
  const workers = new Workers(options)
  const env = { ...database.env, FORUM_URL: forum.url }
  for (let n = 1; n <= CRAWLERS; n++)
    workers.start({ name: `crawler-${n}`, program: new URL('./worker.js', import.meta.url), env })
  const tour = { app, admin: new AdminApi(url), forum, tables, print, signal: stopping.signal }
  const done = runTour(tour).then(() => {
    isDone = true
  })
  done.catch(() => {})
  return {
    url,
    kills: workers.kills,
    async result() {
      await done
      const graph = await tables.graph(app.store.database)
      const { svg, clusters } = drawMap(graph)
      writeFileSync(join(options.out, 'map.svg'), svg)
      return { clusters, ...graph }
    },
    async stop() {
      stopping.abort()
      await workers.stop()
      await page.stop()
      await server.close()
      await app.stop()
      await forum.stop()
      await database.stop()
    },
  }
}

/** What takes hours in production takes seconds here. */
async function setIntervals({ settings }: App, speed: number): Promise<void> {
  const intervals = {
    AGE_AFTER_SEC: Math.max(1, Math.round(3 / speed)),
    AGE_EVERY_SEC: 1,
    STALE_CHECK_EVERY_SEC: 1,
    ROLLUP_EVERY_SEC: 1,
  }
  for (const [name, value] of Object.entries(intervals))
    await settings.set(name, value, { reason: 'the example is to be watched' })
}

// A thousand who follow cost the database what one does.
import { type Database, openPostgres, type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { Stream } from './sse.js'

const CLIENTS = 1_000

/** The same schema over connections of its own, on which every statement is counted. */
function counted({ schema }: Store): { store: Store; asked: string[] } {
  const raw = openPostgres({ url: postgresUrl(), connections: 2 })
  const asked: string[] = []
  const database: Database = {
    driver: raw.driver,
    query: (text, values, options) => {
      asked.push(text)
      return raw.query(text, values, options)
    },
    script: (text, options) => {
      asked.push(text)
      return raw.script(text, options)
    },
    transaction: (work, options) => {
      asked.push('transaction')
      return raw.transaction(work, options)
    },
    close: () => raw.close(),
  }
  onTestFinished(() => raw.close())
  return { store: storeOn(database, schema), asked }
}

it('1,000 clients on one server, all of them told of everything, cost at most one query a second', async () => {
  const world = await freshStore()
  await world.queues.create('q')
  const { store, asked } = counted(world)
  const { url } = await serve(store, { limits: { keyCacheMs: 60_000 } })
  const streams: Stream[] = []
  while (streams.length < CLIENTS)
    streams.push(...(await Promise.all(Array.from({ length: 50 }, () => Stream.open(url)))))
  await Promise.all(streams.map((stream) => stream.settled()))

  const [from, since] = [asked.length, performance.now()]
  const jobs: number[] = []
  for (let round = 0; round < 5; round++) {
    const { jobId } = await world.enqueue({ queue: 'q', kind: 'k' })
    jobs.push(jobId)
    await Promise.all(streams.map((stream) => stream.until(({ jobs: heard }) => heard.includes(jobId))))
  }
  const seconds = (performance.now() - since) / 1_000
  const queries = asked.slice(from)
  console.log(`${CLIENTS} clients, ${queries.length} queries in ${seconds.toFixed(1)} s`)
  expect(queries.length).toBeGreaterThan(0)
  expect(queries.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1)
  for (const { jobs: heard } of streams) expect(heard).toEqual(jobs)

  // All of them at once come back to a server that knows nothing yet: one look back serves them all.
  const again = counted(world)
  const other = await serve(again.store, { limits: { keyCacheMs: 60_000 } })
  const places = streams.map((stream) => stream.heard.find(({ data }) => data.job_ids?.includes(jobs[2]))?.id)
  for (const stream of streams) stream.close()
  const back: Stream[] = []
  while (back.length < CLIENTS) {
    const after = places.slice(back.length, back.length + 50)
    back.push(...(await Promise.all(after.map((id) => Stream.open(other.url, { after: id })))))
  }
  await Promise.all(
    back.map((stream) => stream.until(({ jobs: heard }) => heard.includes(jobs[4] as number))),
  )
  for (const { jobs: heard } of back) expect(heard).toEqual(jobs.slice(3))
  expect(again.asked.length).toBeLessThan(100)
})

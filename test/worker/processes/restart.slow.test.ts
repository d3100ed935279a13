// The server restarts under load: real processes, a server of the test's own, and producers that never stop.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { PrivateServer } from '../../chaos/server.js'
import { expectHealthy } from '../../support/world.js'
import { QUEUE, until } from '../world.js'
import { startProcess, type WorkerProcess } from './world.js'

const WORKERS = 2
const PRODUCERS = 2
const BATCH = 5
/** Acknowledged before, and again after each restart. */
const STRETCH = 30

async function ownServer(): Promise<{ server: PrivateServer; store: Store }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-restart-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  const server = await PrivateServer.start(folder)
  onTestFinished(() => server.stop())
  const store = await openStore({ url: server.url, migrate: true, connections: PRODUCERS + 2 })
  onTestFinished(() => store.close())
  await store.database.script(`create table ${store.schema}.effect (job bigint, pid int)`)
  await store.queues.create(QUEUE, { policy: { retryBaseMs: 10, maxRetries: 100 } })
  return { server, store }
}

/** Producers as users write them: a request that nobody answered is sent again under the same name, until somebody does. */
function produce(store: Store) {
  const acked = new Set<number>()
  const jobs = Array.from({ length: BATCH }, () => ({ queue: QUEUE, kind: 'job', input: { does: 'effect' } }))
  let over = false
  const one = async (producer: number) => {
    for (let n = 0; !over; n += 1) {
      for (let done = false; !done; ) {
        try {
          const made = await store.enqueueMany(jobs, { idempotencyKey: `${producer} ${n}` })
          for (const { jobId } of made) acked.add(jobId)
          done = true
        } catch {
          // Away, or no answer: the next one will be.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const producing = Promise.all(Array.from({ length: PRODUCERS }, (_none, index) => one(index)))
  return {
    acked,
    async stop() {
      over = true
      await producing
    },
  }
}

const succeeded = async (server: PrivateServer) => {
  const [row] = await server.rows<{ n: number }>(
    "select count(*)::int as n from holdfast.attempts where outcome = 'succeeded'",
  )
  return row?.n ?? 0
}

it.each(['fast', 'immediate'] as const)(
  'Postgres restarted under load (%s): nothing is lost, each job takes effect once, the workers stay up and the work goes on',
  async (how) => {
    const { server, store } = await ownServer()
    const terms = { leaseMs: 5_000, heartbeatMs: 250, lostClaimMs: 1_000, concurrency: 10 }
    const workers: WorkerProcess[] = []
    for (let n = 0; n < WORKERS; n += 1) workers.push(await startProcess(store, terms, server.url))
    const ended = new Set<number | null>()
    for (const { gone } of workers) void gone.then(({ code }) => ended.add(code))
    const load = produce(store)
    onTestFinished(() => load.stop())
    const before = server.url
    for (let restart = 1; restart <= 2; restart += 1) {
      const [from, had] = [load.acked.size, await succeeded(server)]
      await until(async () => load.acked.size >= from + STRETCH && (await succeeded(server)) > had)
      await server.restart(how)
      expect(server.url).toBe(before)
    }
    // By itself: nobody told anybody that the server is back.
    const [from, had] = [load.acked.size, await succeeded(server)]
    await until(async () => load.acked.size >= from + STRETCH && (await succeeded(server)) >= had + STRETCH)
    await load.stop()
    await until(async () => (await succeeded(server)) >= load.acked.size)

    const ids = [...load.acked].sort((a, b) => a - b)
    const jobs = await server.rows<{ id: number; state: string; ends: number; effects: number }>(
      `select j.id::int as id, j.state::text as state,
         (select count(*)::int from holdfast.attempts a where a.job_id = j.id and a.outcome = 'succeeded') as ends,
         (select count(*)::int from holdfast.effect e where e.job = j.id) as effects
       from holdfast.jobs j order by 1`,
    )
    expect(jobs).toEqual(ids.map((id) => ({ id, state: 'succeeded', ends: 1, effects: 1 })))
    expect([...ended], 'worker processes that ended').toEqual([])
    expect(server.restarts).toBe(2)
    await expectHealthy(store)
  },
)

/**
 * A connection that broke may mean a failover, and after one the database may have forgotten a claim and kept its lease. It would hand
 * the job out again with the same attempt, so the worker claims under another lease from then on.
 */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { httpPort } from '../../src/client/port.js'
import type { WorkPort } from '../../src/domain/port.js'
import { storePort } from '../../src/store/port.js'
import type { HandlerContext } from '../../src/worker/handlers.js'
import { serve } from '../support/http.js'
import { expectHealthy, freshStore, secondStore } from '../support/world.js'
import { enqueue, gate, QUEUE, startWorker, until } from './world.js'

const WAYS: readonly (readonly [string, (store: Store) => Promise<WorkPort>])[] = [
  ['library', async (store) => storePort(store)],
  ['over HTTP', async (store) => httpPort({ url: (await serve(store)).url })],
]

/** A worker on connections of its own, and what it was handed out. */
async function recorded(store: Store, port: (store: Store) => Promise<WorkPort>) {
  const working = await secondStore(store)
  const asked = await port(working)
  const triples: string[] = []
  const recording: WorkPort = {
    ...asked,
    claim: async (ask) => {
      const jobs = await asked.claim(ask)
      triples.push(...jobs.map(({ jobId, attempt, lease }) => `${jobId}/${attempt}/${lease}`))
      return jobs
    },
  }
  return { working, port: recording, triples }
}

/** Ends every connection of this database but the one that asks, and waits until `broken` has noticed. */
async function breakConnections(store: Store, broken: Store): Promise<void> {
  await store.database.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  // Its connections have all been ended; this call is answered by a new one.
  await broken.database.query('select 1', [], { repeatable: true })
}

/** What an asynchronous failover does: the claim is gone, the lease is there. */
async function forgetClaims(store: Store): Promise<void> {
  await store.database.script(`with gone as (delete from holdfast.running returning *)
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select job_id, lane, ord, queue_id, attempt - 1, interruptions, priority, failures, losses, keyed, 100 - priority from gone`)
}

const leases = async (store: Store) =>
  (await store.database.query<{ id: number }>('select id from holdfast.lease')).map(({ id }) => id)

it.each(WAYS)(
  '6.01 a worker whose connection broke opens a new lease before it claims again (%s)',
  async (_way, way) => {
    const store = await freshStore('postgres', { connections: 1 })
    await store.queues.create(QUEUE)
    const { working, port, triples } = await recorded(store, way)
    const hold = gate()
    const handler = async () => {
      await hold.opened
    }
    await enqueue(store, 'job')
    await startWorker(working, { job: handler }, { port, concurrency: 1 })
    await until(() => triples.length === 1)
    await breakConnections(store, working)
    await forgetClaims(store)
    hold.open()
    await until(() => triples.length === 2)
    expect(new Set(triples).size).toBe(2)
    expect(triples.map((one) => one.split('/').slice(0, 2).join('/'))).toEqual(['1/1', '1/1'])
    await until(async () => (await store.read.job(1))?.state === 'succeeded')
    await expectHealthy(store)
  },
)

it.each(WAYS)(
  '6.01 the old lease is renewed until its jobs have ended, and then it is closed (%s)',
  async (_way, way) => {
    const store = await freshStore('postgres', { connections: 1 })
    await store.queues.create(QUEUE)
    const { working, port, triples } = await recorded(store, way)
    const hold = gate()
    const jobs = { long: () => hold.opened, short: () => 'done' }
    const long = await enqueue(store, 'long')
    const worker = await startWorker(working, jobs, { port, concurrency: 2, leaseMs: 3_000, heartbeatMs: 50 })
    await until(() => triples.length === 1)
    const [old] = await leases(store)
    await breakConnections(store, working)
    const short = await enqueue(store, 'short')
    await until(async () => (await store.read.job(short))?.state === 'succeeded')
    // Connections break one after the other: a lease opened between two breaks is closed again, as nothing is under it.
    await until(async () => {
      const open = (await leases(store)).filter((lease) => lease !== worker.stats().lease)
      return open.length === 1 && open[0] === old
    })
    expect(worker.stats().lease).not.toBe(old)
    const expiry = async () =>
      (
        await store.database.query<{ at: Date }>(
          'select expires_at as at from holdfast.lease where id = $1',
          [old],
        )
      )[0]?.at
    const before = (await expiry()) as Date
    await until(async () => ((await expiry()) as Date) > before)
    hold.open()
    await until(async () => (await store.read.job(long))?.state === 'succeeded')
    await until(async () => !(await leases(store)).includes(old as number))
    expect(worker.stats()).toMatchObject({ leasesLost: 0, refused: 0 })
    await expectHealthy(store)
  },
)

it.each(WAYS)(
  '6.01 a handler is told to stop when the database behind the new connection does not know its claim (%s)',
  async (_way, way) => {
    const store = await freshStore('postgres', { connections: 1 })
    await store.queues.create(QUEUE)
    const { working, port } = await recorded(store, way)
    const told: string[] = []
    const handler = ({ signal }: HandlerContext) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          told.push(signal.reason.code)
          resolve()
        })
      })
    const jobs = [await enqueue(store, 'job'), await enqueue(store, 'kept')]
    const hold = gate()
    const worker = await startWorker(
      working,
      { job: handler, kept: () => hold.opened },
      // A worker that has room learns it from its next claim, and one that is full from its connections.
      { port, concurrency: port.breaks === undefined ? 3 : 2 },
    )
    await until(() => worker.stats().busy === 2)
    await breakConnections(store, working)
    // Another has the job now, as far as the database knows.
    await store.database.query('update holdfast.running set lease = 7 where job_id = $1', [jobs[0]])
    await enqueue(store, 'another')
    await until(() => told.length === 1)
    expect(told).toEqual(['lease_lost'])
    hold.open()
    await until(async () => (await store.read.job(jobs[1] as number))?.state === 'succeeded')
    // Nothing of it was written.
    expect(await store.read.attempts(jobs[0] as number)).toEqual([])
  },
)

it('6.01 what a claim took whose connection broke under it is given back when the old lease is closed', async () => {
  const store = await freshStore('postgres', { connections: 1 })
  await store.queues.create(QUEUE)
  const { working, port, triples } = await recorded(
    store,
    WAYS[0]?.[1] as (store: Store) => Promise<WorkPort>,
  )
  let lost = 0
  const losing: WorkPort = {
    ...port,
    claim: async (ask) => {
      const jobs = await port.claim(ask)
      if (jobs.length === 0 || lost > 0) return jobs
      lost += 1
      throw Object.assign(new Error('the answer was lost'), { code: 'unavailable' })
    },
  }
  const worker = await startWorker(working, { job: () => 'done' }, { port: losing, lostClaimMs: 60_000 })
  const jobId = await enqueue(store, 'job')
  await until(async () => (await store.read.job(jobId))?.state === 'succeeded')
  expect(triples).toHaveLength(2)
  expect(await store.read.attempts(jobId)).toMatchObject([{ outcome: 'released' }, { outcome: 'succeeded' }])
  expect(worker.stats()).toMatchObject({ leasesLost: 0 })
  await expectHealthy(store)
})

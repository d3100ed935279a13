/** Workers that live through crashes of their server: whatever the server forgets, no fence is handed out twice. */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { httpPort } from '../../../src/client/port.js'
import type { WorkPort } from '../../../src/domain/port.js'
import { storePort } from '../../../src/store/port.js'
import { serve } from '../../support/http.js'
import { gate, makeWorker, until } from '../../worker/world.js'
import { crashing, flushThenFreeze, job, ownServer, QUEUE, triple } from './world.js'

ownServer()

const JOBS = 3
const WAYS: readonly (readonly [string, (store: Store) => Promise<WorkPort>])[] = [
  ['library', async (store) => storePort(store)],
  ['over HTTP', async (store) => httpPort({ url: (await serve(store)).url, retries: 0 })],
]

function recording(port: WorkPort): { port: WorkPort; handedOut: string[] } {
  const handedOut: string[] = []
  const claim: WorkPort['claim'] = async (ask) => {
    const jobs = await port.claim(ask)
    handedOut.push(...jobs.map(triple))
    return jobs
  }
  return { port: { ...port, claim }, handedOut }
}

/** Until the database answers again. */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if ((error as { code?: string }).code !== 'unavailable') throw error
    }
  }
}

/** The worker holds all jobs when the server crashes, and has lost nothing but, where commits are asynchronous, its claims. */
async function crashUnderClaims(way: (store: Store) => Promise<WorkPort>, asynchronous: boolean) {
  const { server, store, another } = await crashing({ asynchronous })
  const { port, handedOut } = recording(await way(await another()))
  const hold = gate()
  const jobs = { job: async () => hold.opened }
  await store.queues.pause(QUEUE)
  await store.enqueueMany(Array.from({ length: JOBS }, () => job))
  const worker = makeWorker(store, jobs, { port, concurrency: JOBS, leaseMs: 15_000, heartbeatMs: 5_000 })
  await worker.start()
  await flushThenFreeze()
  // From here on only what is tested waits for the disk: the next beat is seconds away.
  await store.queues.resume(QUEUE)
  await until(() => handedOut.length === JOBS)
  await server.restart('crash')
  await persistently(() => store.queues.resume(QUEUE))
  return { store, worker, handedOut, open: hold.open }
}

it.each(WAYS)(
  '6.01 claims that a failover would forget are handed out again under another lease (%s)',
  async (_way, way) => {
    const { store, handedOut, open } = await crashUnderClaims(way, true)
    // The handlers of the first claims end, are refused, and make room.
    open()
    await until(() => handedOut.length === 2 * JOBS)
    expect(new Set(handedOut).size).toBe(2 * JOBS)
    const attempts = handedOut.map((one) => one.split('/').slice(0, 2).join('/'))
    expect(attempts.slice(JOBS).sort()).toEqual(attempts.slice(0, JOBS).sort())
    await until(async () => (await store.read.attempts(JOBS)).length === 1)
  },
)

it.each(WAYS)(
  '6.01 a worker that claimed right before a crash goes on with what it holds, and each job is handed out once (%s)',
  async (_way, way) => {
    const { store, worker, handedOut, open } = await crashUnderClaims(way, false)
    open()
    const count = async () =>
      (await store.database.query("select from holdfast.attempts where outcome = 'succeeded'")).length
    await until(async () => (await persistently(count)) === JOBS)
    expect(handedOut).toHaveLength(JOBS)
    expect(worker.stats()).toMatchObject({ leasesLost: 0, refused: 0 })
    expect(await store.read.violations()).toEqual([])
  },
)

it('6.01 two machines that claim over HTTP, one before and one after a crash, never hold the same fence', async () => {
  const { server, store, another } = await crashing({ asynchronous: true })
  const one = await serve(await another())
  const { jobId } = await store.enqueue({ ...job, input: { n: 1 } })
  await flushThenFreeze()
  const claim = async (worker: string) => {
    const { body } = await one.call('POST', '/api/v1/work/claim', {
      worker,
      queues: [QUEUE],
      lease_ms: 60_000,
    })
    return body.jobs[0]
  }
  const first = await claim('a')
  await server.restart('crash')
  await persistently(() => store.read.job(jobId))
  const second = await claim('b')
  expect([first.job_id, first.attempt]).toEqual([second.job_id, second.attempt])
  expect(first.lease).not.toBe(second.lease)
  const report = (of: { lease: number }, id: string) =>
    one.call('POST', '/api/v1/work/report', {
      job_id: jobId,
      attempt: 1,
      lease: of.lease,
      items: [{ id }],
      seq: 1,
    })
  expect((await report(first, 'from a')).status).toBe(409)
  expect((await report(second, 'from b')).body).toMatchObject({ new_items: 1, duplicate_items: 0 })
  const finish = async (of: { lease: number }) => {
    const jobs = [{ job_id: jobId, attempt: 1, lease: of.lease, outcome: 'succeeded' }]
    return (await one.call('POST', '/api/v1/work/finish', { jobs })).body.jobs[0].accepted
  }
  expect(await finish(first)).toBe(false)
  expect(await finish(second)).toBe(true)
})

it('6.01 a lease serves for claims only on the start of the server it was opened on, and keeps what it holds', async () => {
  const { server, store, another } = await crashing()
  await store.enqueueMany([job, job])
  const { lease } = await store.work.openLease('w', 60_000)
  const [held] = await store.work.claim({ worker: 'w', lease, queues: [QUEUE] })
  await server.restart('fast')
  // Nothing broke for this one: it has just come.
  const after = await another()
  const under = (which: number) => after.work.claim({ worker: 'w', lease: which, queues: [QUEUE] })
  await expect(under(lease)).rejects.toMatchObject({ code: 'lease_stale', details: { lease } })
  await expect(after.work.claimById(2, { worker: 'w', lease })).rejects.toMatchObject({ code: 'lease_stale' })
  expect(await after.work.renew([lease])).toMatchObject([{ alive: true }])
  const fresh = await after.work.openLease('w', 60_000)
  expect(await under(fresh.lease)).toMatchObject([{ jobId: 2, attempt: 1, lease: fresh.lease }])
  const ended = await after.work.finish([{ jobId: 1, attempt: 1, lease, outcome: 'succeeded' }])
  expect(ended).toMatchObject([{ accepted: true }])
  expect(held).toMatchObject({ jobId: 1, lease })
  expect(await after.read.violations()).toEqual([])
})

// What a worker is notified of by its heartbeats: attempts, not jobs; it arrives although a reply is lost; and the end of a lease.
import { openPostgres, type Renewed, type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { storePort } from '../../src/store/port.js'
import type { HandlerContext } from '../../src/worker/handlers.js'
import { inlineHeartbeat } from '../../src/worker/heartbeat/heartbeat-host.js'
import { openProxy } from '../support/proxy.js'
import { expectHealthy, freshStore } from '../support/world.js'
import { enqueue, enqueueMany, gate, startWorker, states, until } from './world.js'

/** Heartbeats that wait for the gate, then renew one after the other. `settled` waits for those that have passed it. */
function heldUp(store: Store, opened: () => Promise<void>) {
  const port = storePort(store)
  let last: Promise<unknown> = Promise.resolve()
  const heartbeat = inlineHeartbeat({
    ...port,
    renew: async (leases, options) => {
      await opened()
      const renewal = last.then(() => port.renew(leases, options))
      last = renewal.catch(() => {})
      return renewal
    },
  })
  const settled = () => new Promise(setImmediate).then(() => last)
  return Object.assign(heartbeat, { settled })
}

/** A handler that says when it begins and what it is aborted for, and ends when the test says so. */
function told() {
  const heard: string[] = []
  const end = gate()
  const handler = ({ signal, attempt }: HandlerContext) => {
    heard.push(`attempt ${attempt} begins`)
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        heard.push(`attempt ${attempt}: ${signal.reason.code}`)
        reject(signal.reason)
      })
      void end.opened.then(() => resolve(attempt))
    })
  }
  return { heard, handler, end: end.open }
}

it('6.04 force-finish and retry within a heartbeat stop the attempt that was ended, not the new one', async () => {
  const store = await freshStore()
  const { heard, handler, end } = told()
  let beats = gate()
  beats.open()
  const worker = await startWorker(store, { long: handler }, { heartbeat: heldUp(store, () => beats.opened) })
  beats = gate()
  const jobId = await enqueue(store, 'long')
  await until(() => heard.length === 1)
  await store.commands.forceFinish(jobId, 'failed')
  await store.commands.retry(jobId)
  await until(() => heard.length === 2)
  beats.open()
  await until(() => heard.length === 3)
  expect(heard).toEqual(['attempt 1 begins', 'attempt 2 begins', 'attempt 1: lease_lost'])
  end()
  await until(async () => (await store.read.job(jobId)).state === 'succeeded')
  expect(await store.read.job(jobId)).toMatchObject({ result: 2, attempt: 2 })
  expect(worker.stats().leasesLost).toBe(0)
  // Acknowledged by the next renewal.
  await until(async () => (await store.database.query('select from holdfast.revoked')).length === 0)
  await expectHealthy(store)
})

it('6.04 a cancel that arrives late does not stop the next attempt of the job', async () => {
  const store = await freshStore()
  const { heard, handler, end } = told()
  const port = storePort(store)
  let [ask, answer] = [gate(), gate()]
  ask.open()
  answer.open()
  const canceled: Renewed['cancel'][] = []
  const heartbeat = inlineHeartbeat({
    ...port,
    renew: async (leases, options) => {
      await ask.opened
      const renewed = await port.renew(leases, options)
      canceled.push(...renewed.map(({ cancel }) => cancel).filter(({ length }) => length > 0))
      await answer.opened
      return renewed
    },
  })
  await startWorker(store, { long: handler }, { heartbeat })
  const jobId = await enqueue(store, 'long')
  await until(() => heard.length === 1)
  ask = gate()
  answer = gate()
  await store.commands.cancel(jobId)
  const [held] = await store.database.query<{ lease: number }>('select lease from holdfast.running')
  ask.open()
  // The answer that names the first attempt is on its way; before it arrives, the second begins.
  await until(() => canceled.length > 0)
  const fence = { jobId, attempt: 1, lease: held?.lease as number }
  await store.work.finish([{ ...fence, outcome: 'failed' }])
  await store.commands.retry(jobId)
  await until(() => heard.length === 2)
  answer.open()
  await until(() => heard.length === 3)
  expect(heard).toEqual(['attempt 1 begins', 'attempt 2 begins', 'attempt 1: cancel'])
  end()
  await until(async () => (await store.read.job(jobId)).state === 'succeeded')
})

it('6.04 a revocation whose reply was lost arrives with the next renewal', async () => {
  const sound = await freshStore()
  const wire = await openProxy()
  const database = openPostgres({ url: wire.url, connections: 2 })
  onTestFinished(() => database.close())
  const damaged = storeOn(database, sound.schema)
  const { heard, handler } = told()
  let beats = gate()
  beats.open()
  const heartbeat = heldUp(damaged, () => beats.opened)
  const worker = await startWorker(sound, { long: handler }, { heartbeat, leaseMs: 60_000 })
  const jobId = await enqueue(sound, 'long')
  await until(() => heard.length === 1)
  beats = gate()
  // No renewal is under way any more that could have been asked before the end of the job.
  await heartbeat.settled()
  await sound.commands.forceFinish(jobId, 'failed')
  wire.loseReplyTo('.renew(')
  beats.open()
  await until(() => heard.length === 2)
  expect(wire.lost).toBe(1)
  expect(heard).toEqual(['attempt 1 begins', 'attempt 1: lease_lost'])
  expect(worker.stats()).toMatchObject({ leasesLost: 0, busy: 0 })
})

it('6.03 a worker whose lease was swept in part stops all its jobs, and each runs once more', async () => {
  const store = await freshStore()
  const count = 30
  await enqueueMany(store, count, 'long')
  let beats = gate()
  beats.open()
  const running = new Set<number>()
  const overlaps: number[] = []
  const codes = new Set<string>()
  const long = ({ jobId, attempt, signal }: HandlerContext) => {
    if (running.has(jobId) && codes.size > 0) overlaps.push(jobId)
    running.add(jobId)
    if (attempt > 1) return running.delete(jobId)
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        codes.add(signal.reason.code)
        running.delete(jobId)
        reject(signal.reason)
      })
    })
  }
  const first = await startWorker(
    store,
    { long },
    { name: 'first', concurrency: count, heartbeat: heldUp(store, () => beats.opened) },
  )
  await until(() => first.stats().busy === count)
  beats = gate()
  const { lease } = first.stats()
  // Its time is over (the clock has stepped, or it was paused), and a sweep takes the first ten.
  await store.database.query(
    "update holdfast.lease set expires_at = holdfast.now() - interval '1 hour', lease_ms = 1 where id = $1",
    [lease],
  )
  await store.queues.pause('work')
  // A sweep leaves a lease alone under which a claim has not committed yet.
  let taken = 0
  await until(async () => {
    taken = await store.upkeep.reclaim(10)
    return taken > 0
  })
  expect(taken).toBe(10)
  expect(first.stats().busy).toBe(count)
  beats.open()
  await until(() => first.stats().busy === 0)
  expect([...codes]).toEqual(['lease_lost'])
  await until(() => first.stats().leasesLost === 1 && first.stats().lease !== null)
  expect(first.stats().lease).not.toBe(lease)
  await store.queues.resume('work')
  await until(async () => (await states(store)).succeeded === count)
  expect(overlaps).toEqual([])
  expect(first.stats().leasesLost).toBe(1)
  await expectHealthy(store)
})

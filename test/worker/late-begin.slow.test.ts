// Jobs with leases of their own that wait in a worker past the end of that lease: somebody else may have them, so they do not begin.
import { expect, it } from 'vitest'
import { storePort } from '../../src/store/port.js'
import { inlineHeartbeat } from '../../src/worker/heartbeat/heartbeat-host.js'
import { expectHealthy, freshStore } from '../support/world.js'
import { SLOTS } from './held.js'
import { enqueueMany, makeWorker, QUEUE, startWorker, states, until } from './world.js'

const LEASE_MS = 1_000
const QUICK = 200

it('a job whose own lease has run out before its turn does not begin under it', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE, {
    policy: { renewedBy: 'report', leaseMs: LEASE_MS, heartbeatMs: null, crashBudget: 20 },
  })
  let quick = 0
  const late: number[] = []
  const began = new Set<number>()
  let holdUp = true
  const short = () => {
    quick += 1
  }
  const long = async (ctx: { jobId: number; signal: AbortSignal; job: { expiresAt: Date | null } }) => {
    if (Date.now() > Number(ctx.job.expiresAt)) late.push(ctx.jobId)
    began.add(ctx.jobId)
    if (holdUp) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
    holdUp &&= began.size < SLOTS
  }
  const worker = await startWorker(store, { short, long }, { concurrency: SLOTS, leaseMs: 30_000 })
  await enqueueMany(store, QUICK, 'short')
  const ids = await enqueueMany(store, 3 * SLOTS, 'long')
  await until(() => quick === QUICK && began.size === SLOTS && worker.stats().buffered > 0)
  const waited = (
    await store.database.query<{ id: string }>('select job_id as id from holdfast.running order by 1')
  )
    .map(({ id }) => Number(id))
    .filter((id) => !began.has(id))
  expect(waited.length).toBeGreaterThan(0)
  await until(() => began.size === ids.length)
  expect(late).toEqual([])
  await worker.stop()
  await expectHealthy(store)
})

it('a process that stood still for longer than its lease begins nothing under it when it goes on', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE)
  let quick = 0
  let stood: number | undefined
  const after: number[] = []
  const short = () => {
    quick += 1
  }
  const long = ({ job }: { job: { lease: number } }) => {
    if (stood !== undefined) return void after.push(job.lease)
    if (worker.stats().buffered === 0) return
    stood = job.lease
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LEASE_MS)
  }
  const heartbeat = inlineHeartbeat(storePort(store))
  const worker = makeWorker(store, { short, long }, { concurrency: 1, leaseMs: LEASE_MS, heartbeat })
  await enqueueMany(store, QUICK, 'short')
  const ids = await enqueueMany(store, 3 * QUICK, 'long')
  await worker.start()
  await until(async () => (await states(store)).succeeded === QUICK + ids.length)
  expect(quick).toBe(QUICK)
  expect(stood).toBeDefined()
  expect(after.length).toBeGreaterThan(0)
  expect(after.filter((lease) => lease === stood)).toEqual([])
  await expectHealthy(store)
})

it('6.06 a handler whose job has a lease of its own is aborted before that lease ends', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE, {
    policy: { renewedBy: 'report', leaseMs: 3_000, heartbeatMs: null, maxRetries: 0 },
  })
  const leftMs: number[] = []
  const stuck = async (ctx: { signal: AbortSignal; job: { expiresAt: Date | null } }) => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
    leftMs.push(Number(ctx.job.expiresAt) - Date.now())
  }
  await startWorker(store, { stuck }, { concurrency: SLOTS })
  await enqueueMany(store, SLOTS, 'stuck')
  await until(() => leftMs.length >= SLOTS)
  expect(leftMs.filter((ms) => ms <= 0)).toEqual([])
})

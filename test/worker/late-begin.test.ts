// Jobs with leases of their own that wait in a worker past the end of that lease: somebody else may have them, so they do not begin.
import { expect, it } from 'vitest'
import { expectHealthy, freshStore } from '../support/world.js'
import { SLOTS } from './held.js'
import { enqueueMany, QUEUE, startWorker, until } from './world.js'

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
  const short = () => void (quick += 1)
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

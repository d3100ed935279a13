// Jobs that a worker holds and has not begun, and the ways in which they come back: never charged, paused, blamed or blocked.
import { openPostgres, type PresetName, type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { openProxy } from '../support/proxy.js'
import { openSession } from '../support/sessions.js'
import { expectHealthy, freshStore } from '../support/world.js'
import { expectStates, expectUntouched, fillSlots, heldBy, makeQueue, SLOTS, sweep } from './held.js'
import { QUEUE, startWorker, type TestWorker, until } from './world.js'

/** A worker in this process with all slots taken by jobs that wait, and more of them fetched. */
async function holding(store: Store, preset: PresetName, quickMs: number, from: Store = store) {
  await makeQueue(store, preset)
  const began = new Set<number>()
  const job = async ({ jobId, signal }: { jobId: number; signal: AbortSignal }, input: unknown) => {
    if ((input as { waits?: boolean }).waits !== true) {
      if (quickMs > 0) await new Promise((resolve) => setTimeout(resolve, quickMs))
      return
    }
    began.add(jobId)
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  }
  const worker = await startWorker(from, { job }, { concurrency: SLOTS, leaseMs: 3_000, heartbeatMs: 300 })
  await fillSlots(store, { waits: true }, () => worker.stats())
  // The answers of two claims may arrive in the other order, and then short jobs wait behind long ones.
  await until(() => {
    const { buffered, unwritten } = worker.stats()
    return began.size === SLOTS && buffered > 0 && unwritten === 0
  })
  return { worker, began, ...(await heldBy(store, began, 'all')) }
}

const finished = (worker: TestWorker) => worker.stop().then(() => {})

it.each<[PresetName, number, object]>([
  ['target', 0, { state: 'errored', reason: 'lease expired' }],
  ['default', 60, { state: 'queued', losses: 1 }],
])(
  '6.07 unstarted jobs are not charged when their lease is swept: preset %s',
  async (preset, quickMs, ends) => {
    const store = await freshStore()
    const { worker, begun, unstarted } = await holding(store, preset, quickMs)
    // Or the worker could claim them again before it stops.
    await store.queues.pause(QUEUE)
    await sweep(store)
    const ended = finished(worker)
    await expectStates(store, begun, ends)
    await expectUntouched(store, unstarted)
    await ended
    await expectHealthy(store)
  },
)

it('6.07 unstarted jobs are neither lost nor blocked when their worker could not renew its lease', async () => {
  const store = await freshStore()
  const wire = await openProxy()
  const database = openPostgres({ url: wire.url, connections: 5 })
  onTestFinished(() => database.close())
  const { worker, begun, unstarted } = await holding(store, 'target', 0, storeOn(database, store.schema))
  // The database waits for longer than the worker does.
  await store.database.query("update holdfast.lease set expires_at = holdfast.now() + interval '1 hour'")
  wire.halfOpen()
  wire.blackHole()
  await until(() => worker.stats().leasesLost > 0)
  await wire.mend()
  const ids = begun.map(({ jobId }) => jobId)
  await until(async () => (await store.read.job(ids[0] as number)).state === 'errored')
  await expectStates(store, begun, { state: 'errored', reason: 'lease given up', losses: 1 })
  const attempts = await Promise.all(unstarted.map(({ jobId }) => store.read.attempts(jobId)))
  expect(attempts.map(([first]) => first?.outcome)).toEqual(unstarted.map(() => 'released'))
  expect((await store.list.blockedTargets()).map(({ target }) => target).sort()).toEqual(
    begun.map(({ target }) => target).sort(),
  )
  await finished(worker)
})

it('6.07 unstarted jobs are not paused at a shutdown, and what is paused names the shutdown, not a user', async () => {
  const store = await freshStore()
  const { worker, begun, unstarted } = await holding(store, 'target', 0)
  expect(await worker.stop()).toMatchObject({ clean: false })
  await expectStates(store, begun, { state: 'paused', reason: 'shutdown', failures: 0 })
  for (const { jobId } of begun)
    expect((await store.read.attempts(jobId)).at(-1)).toMatchObject({ reason: 'shutdown' })
  await expectUntouched(store, unstarted)
  await expectHealthy(store)
})

it('6.07 unstarted jobs are not paused by closing their lease: those said to wait, and those of an answer that was lost', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE, { preset: 'target' })
  const make = (n: number) =>
    store.enqueueMany(
      Array.from({ length: n }, (_none, i) => ({ queue: QUEUE, kind: 'k', target: `${n} ${i}` })),
    )
  const claim = async (lease: number, startNow?: number) =>
    store.work.claim({
      worker: 'w',
      lease,
      queues: [QUEUE],
      limit: 10,
      ...(startNow === undefined ? {} : { startNow }),
    })
  const stateOf = async (jobs: readonly { jobId: number }[]) =>
    Promise.all(jobs.map(async ({ jobId }) => (await store.read.job(jobId)).state))

  await make(3)
  const first = await store.work.openLease('w', 60_000)
  const jobs = await claim(first.lease, 1)
  expect(jobs.map(({ unstarted }) => unstarted)).toEqual([false, true, true])
  expect(await store.work.start([jobs[1] as (typeof jobs)[0]])).toMatchObject([{ jobId: jobs[1]?.jobId }])
  expect(await store.work.closeLease(first.lease)).toBe(3)
  expect(await stateOf(jobs)).toEqual(['paused', 'paused', 'queued'])
  const [unstarted] = await claim((await store.work.openLease('w', 60_000)).lease)
  expect(unstarted).toMatchObject({ jobId: jobs[2]?.jobId, attempt: 2, losses: 0, failures: 0 })

  await make(4)
  const second = await store.work.openLease('w', 60_000)
  const known = await claim(second.lease)
  expect(await store.work.closeLease(second.lease, 'shutdown', [known[0]?.jobId as number])).toBe(4)
  expect(await stateOf(known)).toEqual(['paused', 'queued', 'queued', 'queued'])
  await expectHealthy(store)
})

it('6.07 what a full pass found and nobody fetched is not paused, and its target not blocked', async () => {
  const store = await freshStore()
  await store.queues.create('q', { preset: 'target' })
  const clock = { ms: 0 }
  const claimer = store.work.claimer({ now: () => clock.ms, unfetchedMs: 1 })
  const { lease } = await store.work.openLease('w', 60_000)
  const claim = (found = () => {}) =>
    claimer.claim({ worker: 'w', lease, queues: ['q'], limit: 1_000, startNow: 1_000, found })
  const late = await openSession(store)
  await late.enqueue({ queue: 'q', kind: 'warm' })
  await late.begin()
  const { jobId } = await late.enqueue({ queue: 'q', kind: 'late' }, { tx: late.client })
  for (let round = 0; round < 20; round += 1) {
    await store.enqueueMany(Array.from({ length: 1_000 }, () => ({ queue: 'q', kind: 'k' })))
    await store.work.finish((await claim()).map((job) => ({ ...job, outcome: 'succeeded' })))
  }
  await late.commit()
  clock.ms = 50_000
  await new Promise<void>((found) => void claim(found))
  await until(async () => (await store.read.attempts(jobId)).length > 0)
  expect(await store.read.attempts(jobId)).toMatchObject([
    { outcome: 'released', reason: 'not fetched in time' },
  ])
  expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', losses: 0, failures: 0 })
  expect(await store.list.blockedTargets()).toEqual([])
})

// A row of `running` that somebody keeps locked costs no worker its lease: renewals wait for nothing that is only information.
import type { Store } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { openPort, storePort } from '../../src/store/port.js'
import type { HandlerContext } from '../../src/worker/handlers.js'
import { inlineHeartbeat } from '../../src/worker/heartbeat/heartbeat-host.js'
import { openSession } from '../support/sessions.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'
import { gate, QUEUE, startWorker, type TestWorker, until } from './world.js'

const LEASE = { leaseMs: 2_000, heartbeatMs: 100, concurrency: 10 }
/** For tests that need not see it run out. */
const LONG_LEASE = { ...LEASE, leaseMs: 60_000 }

/** Heartbeats on connections of their own, as their thread has them; what has begun is noted once the gate is open. */
async function heartbeats(store: Store, opened: Promise<void>) {
  const port = await openPort({ url: postgresUrl(), schema: store.schema })
  onTestFinished(() => port.close())
  let notes = 0
  const start = async (fences: Parameters<typeof port.start>[0]) => {
    await opened
    const noted = await port.start(fences)
    notes += 1
    return noted
  }
  return { ...inlineHeartbeat({ ...port, start }), notes: () => notes }
}

/** The worker has renewed its lease for longer than it lasts, or has lost it. */
async function outlived(store: Store, worker: TestWorker): Promise<void> {
  const { lease } = worker.stats()
  const renewedAt = async () => {
    const text = 'select heartbeat_at as at from holdfast.lease where id = $1'
    const [row] = await store.database.query<{ at: Date }>(text, [lease])
    return row?.at.getTime() ?? 0
  }
  const before = await renewedAt()
  await until(async () => worker.stats().leasesLost > 0 || (await renewedAt()) > before + LEASE.leaseMs)
}

async function make(store: Store, kind: string, count: number): Promise<number[]> {
  const jobs = Array.from({ length: count }, (_none, n) => ({ queue: QUEUE, kind, target: `${kind} ${n}` }))
  return (await store.enqueueMany(jobs)).map(({ jobId }) => jobId)
}

const stateOf = async (store: Store, jobId: number) => (await store.read.job(jobId)).state

it.each(['default', 'target'] as const)(
  '6.05 one locked row of running costs no worker its lease: begin; select holdfast.cancel(1), preset %s',
  async (preset) => {
    const store = await freshStore()
    await store.queues.create(QUEUE, { preset })
    const healthy = await make(store, 'healthy', 5)
    const [locked] = (await make(store, 'locked', 1)) as [number]
    const [note, end] = [gate(), gate()]
    const codes: string[] = []
    const canceled = ({ signal }: HandlerContext) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          codes.push(signal.reason.code)
          reject(signal.reason)
        })
      })
    const worker = await startWorker(
      store,
      { healthy: () => end.opened, locked: canceled },
      { ...LEASE, heartbeat: await heartbeats(store, note.opened) },
    )
    await until(() => worker.stats().busy === 6)
    const psql = await openSession(store)
    await psql.begin()
    await psql.commands.cancel(locked)
    note.open()
    await outlived(store, worker)
    expect(worker.stats()).toMatchObject({ leasesLost: 0, busy: 6 })
    for (const jobId of healthy) expect(await stateOf(store, jobId)).toBe('running')
    expect(await stateOf(store, locked)).toBe('assigned')
    expect(codes).toEqual([])

    await psql.commit()
    await until(async () => ['canceled', 'paused'].includes(await stateOf(store, locked)))
    expect(codes).toEqual(['cancel'])
    end.open()
    await until(() => worker.stats().outcomes.succeeded === 5)
    for (const jobId of healthy) expect(await stateOf(store, jobId)).toBe('succeeded')
    await expectHealthy(store)
  },
)

it.each(['target', 'harvest'] as const)(
  '6.05 a handler that keeps its transaction open after completeIn costs no worker its lease, preset %s',
  async (preset) => {
    const store = await freshStore()
    await store.queues.create(QUEUE, { preset })
    const healthy = await make(store, 'healthy', 5)
    const [slow] = (await make(store, 'slow', 1)) as [number]
    const own = await openSession(store)
    const [note, end, commit] = [gate(), gate(), gate()]
    const worker = await startWorker(
      store,
      {
        healthy: () => end.opened,
        slow: async ({ completeIn }) => {
          await own.begin()
          await completeIn(own.client as never, 'done')
          note.open()
          await commit.opened
          await own.commit()
        },
      },
      {
        ...LEASE,
        heartbeat: await heartbeats(store, note.opened),
        extras: { completeIn: (tx, ending) => store.work.commitOn(tx, ending) },
      },
    )
    await until(() => worker.stats().busy === 6)
    await note.opened
    await outlived(store, worker)
    expect(worker.stats()).toMatchObject({ leasesLost: 0, busy: 6 })
    for (const jobId of healthy) expect(await stateOf(store, jobId)).toBe('running')
    commit.open()
    await until(async () => (await stateOf(store, slow)) === 'succeeded')
    end.open()
    await until(() => worker.stats().busy === 0 && worker.stats().unwritten === 0)
    for (const jobId of healthy) expect(await stateOf(store, jobId)).toBe('succeeded')
    await expectHealthy(store)
  },
)

it('6.05 no renewal waits behind information, and the main thread is notified right after it', async () => {
  const store = await freshStore()
  const [jobId] = (await make(store, 'long', 1)) as [number]
  const port = storePort(store)
  const hung = gate()
  let hangs = 0
  let renewals = 0
  const hang = () => {
    hangs += 1
    return hung.opened
  }
  const codes: string[] = []
  const worker = await startWorker(
    store,
    {
      long: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            codes.push(signal.reason.code)
            reject(signal.reason)
          })
        }),
    },
    {
      ...LONG_LEASE,
      heartbeat: inlineHeartbeat({
        ...port,
        renew: (leases, options) => {
          renewals += 1
          return port.renew(leases, options)
        },
        start: (fences) => hang().then(() => port.start(fences)),
        heartbeat: (presence) => hang().then(() => port.heartbeat(presence)),
      }),
    },
  )
  await until(() => hangs > 0)
  const before = renewals
  await until(() => renewals > before + 5)
  await store.commands.cancel(jobId)
  await until(() => codes.length > 0)
  expect(codes).toEqual(['cancel'])
  expect(worker.stats().leasesLost).toBe(0)
  // However long it hangs, one call of information is under way, not one for each beat.
  expect(hangs).toBe(1)
  await until(async () => (await stateOf(store, jobId)) === 'canceled')
  hung.open()
})

it('6.05 what could not be noted because its row was locked is noted by a later beat', async () => {
  const store = await freshStore()
  const [jobId] = (await make(store, 'long', 1)) as [number]
  const [note, end] = [gate(), gate()]
  const heartbeat = await heartbeats(store, note.opened)
  const worker = await startWorker(store, { long: () => end.opened }, { ...LONG_LEASE, heartbeat })
  await until(() => worker.stats().busy === 1)
  const psql = await openSession(store)
  await psql.begin()
  await psql.commands.cancel(jobId)
  note.open()
  const before = heartbeat.notes()
  await until(() => heartbeat.notes() > before + 2)
  expect(await stateOf(store, jobId)).toBe('assigned')
  await psql.rollback()
  await until(async () => (await stateOf(store, jobId)) === 'running')
  end.open()
})

it('6.05 an ending whose row is locked waits alone: those of the same batch are written, and it follows when it can', async () => {
  const store = await freshStore()
  const healthy = await make(store, 'healthy', 5)
  const [locked] = (await make(store, 'locked', 1)) as [number]
  const end = gate()
  const worker = await startWorker(
    store,
    { healthy: () => end.opened, locked: () => end.opened.then(() => 'late') },
    LONG_LEASE,
  )
  await until(() => worker.stats().busy === 6)
  const psql = await openSession(store)
  await psql.begin()
  await psql.commands.cancel(locked)
  end.open()
  await until(() => worker.stats().outcomes.succeeded === 5)
  for (const jobId of healthy) expect(await stateOf(store, jobId)).toBe('succeeded')
  expect(worker.stats()).toMatchObject({ unwritten: 1, refused: 0 })
  // New work goes on beside it.
  const [next] = (await make(store, 'healthy', 1)) as [number]
  await until(async () => (await stateOf(store, next)) === 'succeeded')
  await psql.rollback()
  await until(() => worker.stats().unwritten === 0)
  expect(await store.read.job(locked)).toMatchObject({ state: 'succeeded', result: 'late', attempt: 1 })
  expect(worker.ended.map(({ jobId }) => jobId).sort((one, other) => one - other)).toEqual(
    [...healthy, locked, next].sort((one, other) => one - other),
  )
  await expectHealthy(store)
})

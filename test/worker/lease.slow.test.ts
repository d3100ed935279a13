// What a worker does when its lease, its connection or an answer is lost.
import { openPostgres, type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { openPort, storePort } from '../../src/store/port.js'
import type { HandlerContext } from '../../src/worker/handlers.js'
import { inlineHeartbeat } from '../../src/worker/heartbeat/heartbeat-host.js'
import { openProxy } from '../support/proxy.js'
import { openSession } from '../support/sessions.js'
import { expectHealthy, freshStore } from '../support/world.js'
import { enqueue, enqueueMany, gate, startWorker, states, until } from './world.js'

/** A store behind a wire that can be damaged, and the same one on a sound connection. */
async function behindWire() {
  const sound = await freshStore()
  const wire = await openProxy()
  const database = openPostgres({ url: wire.url, connections: 5 })
  onTestFinished(() => database.close())
  return { sound, wire, damaged: storeOn(database, sound.schema) }
}

/** Ends all leases and takes back what they held, in one go: a beat in between would keep them alive. */
function sweep(store: Store): Promise<void> {
  return store.database.transaction(async (session) => {
    await session.query(
      "update holdfast.lease set expires_at = holdfast.now() - interval '1 hour', lease_ms = 1",
    )
    await session.query('select holdfast.reclaim()')
  })
}

/** A port that counts the looks for what a lease holds unknown to its worker. */
function counted(store: Store) {
  const port = storePort(store)
  const looks = {
    kept: 0,
    port: {
      ...port,
      releaseUnlisted: async (...asked: Parameters<typeof port.releaseUnlisted>) => {
        const released = await port.releaseUnlisted(...asked)
        looks.kept += 1
        return released
      },
    },
  }
  return looks
}

it('cut off from the database it aborts its handlers before the lease ends, writes nothing of them, and goes on when it can', async () => {
  const { sound, wire, damaged } = await behindWire()
  const jobId = await enqueue(sound, 'long')
  const events: string[] = []
  const long = ({ signal, attempt }: HandlerContext) => {
    events.push(`attempt ${attempt} begins`)
    if (attempt > 1) return 'by the other'
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        events.push(signal.reason.code)
        resolve('too late')
      })
    })
  }
  const worker = await startWorker(damaged, { long }, { leaseMs: 2000, heartbeatMs: 200 })
  await until(() => worker.stats().busy === 1)
  const other = await startWorker(sound, { long }, { name: 'other' })
  wire.blackHole()
  await until(async () => (await sound.read.job(jobId))?.state === 'succeeded')
  // Told while it was still cut off, and before anybody else could have the job.
  expect(events).toEqual(['attempt 1 begins', 'lease_lost', 'attempt 2 begins'])
  expect(await sound.read.job(jobId)).toMatchObject({ result: 'by the other', attempt: 2 })
  await other.drain()

  await wire.mend()
  const next = await enqueue(sound, 'again')
  const again = await startWorker(sound, { again: () => 1 }, { name: 'third' })
  await until(async () => (await sound.read.job(next))?.state === 'succeeded')
  await until(() => worker.stats().lease !== null)
  // A connection from before the cut may take a renewal with it, and then the new lease is lost as well.
  expect(worker.stats().leasesLost).toBeGreaterThan(0)
  expect(worker.stats().outcomes).toEqual({})
  await again.drain()
  await expectHealthy(sound)
})

it('a lease that the database has swept is given up: handlers are told, a new one is taken, and the jobs run again', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'long')
  const codes: string[] = []
  const worker = await startWorker(store, {
    long: ({ signal, attempt }) =>
      attempt > 1
        ? 'second time'
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              codes.push(signal.reason.code)
              reject(new Error('interrupted'))
            })
          }),
  })
  await until(() => worker.stats().busy === 1)
  await sweep(store)
  await until(async () => (await store.read.job(jobId))?.state === 'succeeded')
  // The worker counts an end when its answer has come, a moment after others can read it.
  await worker.idle()
  expect(codes).toEqual(['lease_lost'])
  expect(await store.read.job(jobId)).toMatchObject({ result: 'second time', losses: null })
  expect(worker.stats()).toMatchObject({ leasesLost: 1, outcomes: { succeeded: 1 } })
  await expectHealthy(store)
})

it('an end that comes after the lease is lost is refused and counted, and changes nothing', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'late')
  const { open, opened } = gate()
  // No beat in between, and no claim that would take something: the worker does not know.
  const worker = await startWorker(
    store,
    { late: () => opened.then(() => 'mine') },
    { heartbeatMs: 20_000, concurrency: 1 },
  )
  await until(() => worker.stats().busy === 1)
  await store.queues.pause('work')
  await sweep(store)
  open()
  await until(() => worker.stats().refused === 1)
  expect(worker.ended).toEqual([
    expect.objectContaining({ jobId, attempt: 1, outcome: 'succeeded', accepted: false }),
  ])
  expect(await store.read.job(jobId)).toMatchObject({ state: 'queued' })
})

it('the jobs of a claim whose answer was lost are given back and run', async () => {
  const { sound, wire, damaged } = await behindWire()
  await enqueueMany(sound, 5, 'quick')
  wire.loseReplyTo('.claim_batch(')
  const worker = await startWorker(damaged, { quick: () => {} }, { lostClaimMs: 200, leaseMs: 60_000 })
  await until(async () => (await states(sound)).succeeded === 5)
  await worker.idle()
  expect(wire.lost).toBe(1)
  const [given] = await sound.database.query<{ n: number }>(
    "select count(*)::int as n from holdfast.attempts where outcome = 'released' and reason = 'claim reply lost'",
  )
  expect(given?.n).toBe(5)
  expect(worker.stats()).toMatchObject({ leasesLost: 0, outcomes: { succeeded: 5 } })
  await expectHealthy(sound)
})

it('so are those of a claim that takes effect in the database long after its worker has given it up', async () => {
  const { sound, wire, damaged } = await behindWire()
  const looks = counted(damaged)
  const worker = await startWorker(
    damaged,
    { quick: () => {} },
    { ...looks, lostClaimMs: 200, leaseMs: 60_000 },
  )
  await worker.idle()
  const rival = await openSession(sound)
  await rival.database.script('begin; lock table holdfast.running in share mode')
  const late = await openSession(sound)
  await late.begin()
  await late.enqueue({ queue: 'work', kind: 'quick' }, { tx: late.client })
  await late.commit()
  const waiting = "select from pg_locks where not granted and relation = 'holdfast.running'::regclass"
  await until(async () => (await sound.database.query(waiting)).length > 0)
  // Its connection is gone, and the server does not notice while it waits.
  await wire.refuse()
  await wire.mend()
  await until(() => looks.kept > 0)
  await rival.rollback()
  await until(async () => (await states(sound)).succeeded === 1)
  expect(worker.stats()).toMatchObject({ leasesLost: 0 })
  await expectHealthy(sound)
})

it.each([1, 2])(
  'heartbeats whose connections are half open, all %i of them, go on by new ones, and the lease stays',
  async (connections) => {
    const { sound, wire } = await behindWire()
    await enqueue(sound, 'long')
    const { open, opened } = gate()
    const port = await openPort({ url: wire.url, schema: sound.schema })
    onTestFinished(() => port.close())
    const worker = await startWorker(
      sound,
      { long: () => opened },
      { heartbeat: inlineHeartbeat(port), leaseMs: 6_000, heartbeatMs: 100 },
    )
    await until(() => worker.stats().busy === 1)
    // Two at the same time need two connections.
    await Promise.all(Array.from({ length: connections }, () => port.renew([])))
    const endOfLease = async () => {
      const text = 'select expires_at from holdfast.lease where id = $1'
      const [row] = await sound.database.query<{ expires_at: Date }>(text, [worker.stats().lease])
      return row?.expires_at.getTime() ?? 0
    }
    wire.halfOpen()
    const before = await endOfLease()
    await until(async () => worker.stats().leasesLost > 0 || (await endOfLease()) > before + 500)
    expect(worker.stats().leasesLost).toBe(0)
    open()
    await until(async () => (await states(sound)).succeeded === 1)
  },
)

it('an end whose answer was lost is sent again and counts once', async () => {
  const { sound, wire, damaged } = await behindWire()
  let runs = 0
  const worker = await startWorker(damaged, { once: () => ++runs })
  await worker.idle()
  wire.loseReplyTo('.finish(')
  const jobId = await enqueue(sound, 'once')
  await until(() => worker.stats().outcomes.succeeded === 1)
  expect(wire.lost).toBe(1)
  expect(await sound.read.job(jobId)).toMatchObject({ state: 'succeeded', result: 1, attempt: 1 })
  expect(worker.stats().refused).toBe(0)
})

it('a report whose answer was lost is sent again and counts once, and two that are equal count twice', async () => {
  const { sound, wire, damaged } = await behindWire()
  const spent: number[] = []
  const worker = await startWorker(damaged, {
    spend: async ({ usage, report }) => {
      spent.push((await usage(10)).tokensUsed)
      spent.push((await usage(10)).tokensUsed)
      wire.loseReplyTo('.report(')
      spent.push((await usage(10)).tokensUsed)
      // Not waited for one by one: they are sent one after the other all the same.
      wire.loseReplyTo('.report(')
      const [first, second] = await Promise.all([report([{ a: 1 }], 1), report([{ a: 2 }], 2)])
      wire.loseReplyTo('.report(')
      const last = await report([{ a: 3 }], 3, { done: true, result: 'all' })
      spent.push(first.resultCount, second.resultCount, last.resultCount)
    },
  })
  await worker.idle()
  const jobId = await enqueue(sound, 'spend')
  await until(() => worker.stats().outcomes.succeeded === 1)
  expect(wire.lost).toBe(3)
  expect(spent).toEqual([10, 20, 30, 1, 2, 3])
  expect(await sound.read.job(jobId)).toMatchObject({
    state: 'succeeded',
    result: 'all',
    tokensUsed: 30,
    progressCount: 3,
    lastCursor: 3,
    attempt: 1,
  })
  expect(await sound.read.items({ jobId })).toHaveLength(3)
})

it('ends are kept while the database is down, and written when it is back', async () => {
  const { sound, wire, damaged } = await behindWire()
  await enqueueMany(sound, 20, 'wait')
  const { open, opened } = gate()
  const worker = await startWorker(damaged, { wait: () => opened }, { concurrency: 20, leaseMs: 60_000 })
  await until(() => worker.stats().busy === 20)
  await wire.refuse()
  open()
  await until(() => worker.stats().busy === 0)
  expect(worker.stats().unwritten).toBe(20)
  await wire.mend()
  await until(async () => (await states(sound)).succeeded === 20)
  expect(worker.stats()).toMatchObject({ refused: 0, leasesLost: 0 })
})

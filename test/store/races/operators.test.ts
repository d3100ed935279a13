/** What operators do, meeting each other, upkeep and producers over one job. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import {
  answerOf,
  type HandSession,
  openSessions,
  race,
  untilWaiting,
  waitsBehind,
} from '../../support/sessions.js'
import { expectHealthy, pinnedStore, type World } from '../../support/world.js'

const cancel = (jobId: number) => (session: Store) => session.commands.cancel(jobId)
const retry = (jobId: number) => (session: Store) => session.commands.retry(jobId)
const promote = (session: Store) => session.upkeep.promote()

async function jobDueNow(): Promise<{ store: World; jobId: number }> {
  const store = await pinnedStore()
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', delayMs: 1_000 })
  await store.clock.advance(1_001)
  return { store, jobId }
}

async function failedJob(key?: string): Promise<{ store: World; jobId: number }> {
  const store = await pinnedStore()
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', ...(key === undefined ? {} : { key }) })
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
  await store.work.finish([
    { jobId, attempt: 1, lease: job?.lease ?? 0, outcome: 'failed', retryable: false },
  ])
  return { store, jobId }
}

/** A target whose head is errored, with jobs behind it. */
async function blockedTarget(behind: number): Promise<{ store: World; head: number; waiting: number[] }> {
  const store = await pinnedStore()
  await store.queues.create('q', { preset: 'target' })
  const made = await store.enqueueMany(
    Array.from({ length: 1 + behind }, (_, n) => ({ queue: 'q', kind: 'k', target: 't', key: `k${n}` })),
  )
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
  if (job !== undefined) await store.work.finish([{ ...job, outcome: 'failed' }])
  const [head = 0, ...waiting] = made.map(({ jobId }) => jobId)
  expect(await store.read.job(head)).toMatchObject({ state: 'errored' })
  return { store, head, waiting }
}

describe('cancel and promote', () => {
  it('a promote passes over a job that is being canceled', async () => {
    const { store, jobId } = await jobDueNow()
    const met = await race(store, cancel(jobId), promote)
    expect(met).toMatchObject({ first: { result: 'canceled' }, second: 0, waited: false })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'canceled' })
    await expectHealthy(store)
  })

  it('a cancel behind a promote follows the job and cancels it where it is then', async () => {
    const { store, jobId } = await jobDueNow()
    const met = await race(store, promote, cancel(jobId))
    expect(met).toMatchObject({ first: 1, second: { result: 'canceled' }, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'canceled' })
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toEqual([])
    await expectHealthy(store)
  })
})

describe('cancel and the turn of the next job of a target', () => {
  it('a job canceled as its turn comes ends, and the one behind it goes', async () => {
    const { store, head, waiting } = await blockedTarget(2)
    const [next = 0, last = 0] = waiting
    const met = await race(store, cancel(next), (session) => session.commands.skip(head))
    expect(met).toMatchObject({ first: { result: 'canceled' }, second: 'canceled' })
    await store.upkeep.settleTargets()
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toMatchObject([{ jobId: last }])
    await expectHealthy(store)
  })

  it('a cancel half done when the turn comes costs nobody behind it their turn', async () => {
    const { store, head, waiting } = await blockedTarget(2)
    const [next = 0, last = 0] = waiting
    const [canceler, skipper, stopper] = await openSessions(store, 3)
    // The cancel takes the job out of line, then has to wait with its key before it comes to the lane.
    await stopper.begin()
    await stopper.database.query('select from holdfast.dedup where job_id = $1 for update', [next])
    const canceled = canceler.commands.cancel(next)
    await untilWaiting(store, [canceler])
    const skipped = answerOf(skipper.commands.skip(head))
    await waitsBehind(store, skipper, canceler, skipped)
    await stopper.commit()
    expect(await canceled).toMatchObject({ result: 'canceled' })
    expect(await skipped).toBe('canceled')
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toMatchObject([{ jobId: last }])
    await expectHealthy(store)
  })

  it('a cancel that rolls back leaves the job its turn, ahead of the one behind it', async () => {
    const { store, head, waiting } = await blockedTarget(2)
    const [next = 0] = waiting
    const skip = (session: HandSession) => session.commands.skip(head)
    await race(store, cancel(next), skip, { end: 'rollback' })
    expect(await store.work.claim({ worker: 'w', queues: ['q'], limit: 5 })).toMatchObject([{ jobId: next }])
    await expectHealthy(store)
  })

  it('a cancel behind the settling finds the job claimable and cancels it there', async () => {
    const { store, head, waiting } = await blockedTarget(2)
    const [next = 0, last = 0] = waiting
    const met = await race(store, (session) => session.commands.skip(head), cancel(next))
    expect(met).toMatchObject({ first: 'canceled', second: { result: 'canceled' }, waited: true })
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toMatchObject([{ jobId: last }])
    await expectHealthy(store)
  })

  it('both the head and the job behind it canceled at once leave the target idle', async () => {
    const { store, head, waiting } = await blockedTarget(1)
    const met = await race(store, cancel(waiting[0] ?? 0), cancel(head))
    expect(met).toMatchObject({ first: { result: 'canceled' }, second: { result: 'canceled' } })
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', target: 't' })
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toMatchObject([{ jobId }])
    await expectHealthy(store)
  })

  it('a boost of the next job does not keep it from its turn', async () => {
    const { store, head, waiting } = await blockedTarget(2)
    const [next = 0] = waiting
    await race(
      store,
      (session) => session.commands.boost(next, 5),
      (session) => session.commands.skip(head),
    )
    expect(await store.work.claim({ worker: 'w', queues: ['q'], limit: 5 })).toMatchObject([
      { jobId: next, priority: 5 },
    ])
    await expectHealthy(store)
  })
})

describe('retry and retry', () => {
  it('bring a failed job back once; the second is told where the job is', async () => {
    const { store, jobId } = await failedJob()
    const met = await race(store, retry(jobId), retry(jobId))
    expect(met).toMatchObject({ first: { jobId, state: 'queued' }, waited: true })
    expect(met.second).toMatchObject({ code: 'wrong_state', details: { state: 'queued' } })
    expect(await store.work.claim({ worker: 'w', queues: ['q'], limit: 5 })).toMatchObject([
      { jobId, attempt: 2 },
    ])
    await expectHealthy(store)
  })

  it('the second brings the job back when the first rolls back', async () => {
    const { store, jobId } = await failedJob()
    const met = await race(store, retry(jobId), retry(jobId), { end: 'rollback' })
    expect(met.second).toMatchObject({ jobId, state: 'queued' })
    await expectHealthy(store)
  })

  it('hurry a delayed job once', async () => {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', delayMs: 60_000 })
    const met = await race(store, retry(jobId), retry(jobId))
    expect(met).toMatchObject({ first: { state: 'queued' }, second: { code: 'wrong_state' }, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued' })
    await expectHealthy(store)
  })
})

describe('retry and enqueue of the same key', () => {
  const enqueue = (session: Store) => session.enqueue({ queue: 'q', kind: 'k', key: 'once' })

  it('an enqueue behind a retry is given the job that came back', async () => {
    const { store, jobId } = await failedJob('once')
    const met = await race(store, retry(jobId), enqueue)
    expect(met).toMatchObject({ second: { jobId, deduplicated: true }, waited: true })
    await expectHealthy(store)
  })

  it('a retry behind an enqueue is refused: the key is taken', async () => {
    const { store, jobId } = await failedJob('once')
    const met = await race(store, enqueue, retry(jobId))
    expect(met).toMatchObject({
      first: { deduplicated: false },
      second: { code: 'key_taken' },
      waited: true,
    })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'failed' })
    await expectHealthy(store)
  })

  it('a retry behind an enqueue that rolls back has the key', async () => {
    const { store, jobId } = await failedJob('once')
    const met = await race(store, enqueue, retry(jobId), { end: 'rollback' })
    expect(met.second).toMatchObject({ jobId, state: 'queued' })
    await expectHealthy(store)
  })
})

describe('resume, skip, release and cancel', () => {
  const resume = (jobId: number) => (session: Store) => session.commands.resume(jobId)
  const skip = (jobId: number) => (session: Store) => session.commands.skip(jobId)

  it('a cancel behind a resume cancels the job that went on, and its target goes on too', async () => {
    const { store, head, waiting } = await blockedTarget(1)
    const met = await race(store, resume(head), cancel(head))
    expect(met).toMatchObject({ first: 'queued', second: { result: 'canceled' }, waited: true })
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toMatchObject([{ jobId: waiting[0] }])
    await expectHealthy(store)
  })

  it('a resume behind a cancel or a skip is refused, naming the end', async () => {
    for (const first of [cancel, skip]) {
      const { store, head, waiting } = await blockedTarget(1)
      const met = await race(store, first(head), resume(head))
      expect(met.second).toMatchObject({ code: 'wrong_state', details: { state: 'canceled' } })
      expect(await store.read.job(waiting[0] ?? 0)).toMatchObject({ state: 'queued' })
      await expectHealthy(store)
    }
  })

  it('a skip behind a resume is refused, and the job stays the claimable head', async () => {
    const { store, head } = await blockedTarget(1)
    const met = await race(store, resume(head), skip(head))
    expect(met).toMatchObject({ first: 'queued', waited: true })
    expect(met.second).toMatchObject({ code: 'wrong_state', details: { state: 'queued' } })
    expect(await store.work.claim({ worker: 'w', queues: ['q'], limit: 5 })).toMatchObject([{ jobId: head }])
    await expectHealthy(store)
  })

  it('a pending job is released or canceled, whoever comes first', async () => {
    const release = (jobId: number) => (session: Store) => session.publish(jobId)
    const store = await pinnedStore()
    const [one, two] = await store.enqueueMany([
      { queue: 'q', kind: 'k', pending: true },
      { queue: 'q', kind: 'k', pending: true },
    ])
    const released = await race(store, release(one?.jobId ?? 0), cancel(one?.jobId ?? 0))
    expect(released).toMatchObject({ first: 'queued', second: { result: 'canceled' }, waited: true })
    const canceled = await race(store, cancel(two?.jobId ?? 0), release(two?.jobId ?? 0))
    expect(canceled).toMatchObject({ first: { result: 'canceled' }, waited: true })
    expect(canceled.second).toMatchObject({ code: 'wrong_state', details: { state: 'canceled' } })
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toEqual([])
    await expectHealthy(store)
  })
})

describe('two changes of priority', () => {
  const boost = (jobId: number, by: number) => (session: Store) => session.commands.boost(jobId, by)

  async function oldJob(priority: number): Promise<{ store: World; jobId: number }> {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', priority })
    await store.clock.advance(3_600_001)
    return { store, jobId }
  }

  it('two boosts both count', async () => {
    const { store, jobId } = await oldJob(10)
    const met = await race(store, boost(jobId, 5), boost(jobId, 7))
    expect(met).toMatchObject({ first: 15, second: 22, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ priority: 22 })
    await expectHealthy(store)
  })

  it('a boost behind set_priority counts from the new priority', async () => {
    const { store, jobId } = await oldJob(10)
    const met = await race(store, (session) => session.commands.setPriority(jobId, 50), boost(jobId, 7))
    expect(met).toMatchObject({ second: 57, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ priority: 57 })
  })

  it('a boost behind a pass of aging counts from the raised priority', async () => {
    const { store, jobId } = await oldJob(10)
    const met = await race(store, (session) => session.upkeep.age(), boost(jobId, 7))
    expect(met).toMatchObject({ first: 1, second: 27, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ priority: 27 })
  })
})

// What a worker may rely on, whichever way it reaches the engine: one suite for the store's port and for HTTP.
import { LeaseLost } from 'holdfast'
import { describe, expect, it } from 'vitest'
import type { ClaimedJob } from '../../src/domain/port.js'
import { expectHealthy } from '../support/world.js'
import { fence, LEASE_MS, QUEUE, workerIn } from './one-worker.js'
import { WORLDS } from './worlds.js'

describe.each(Object.entries(WORLDS))('%s', (_name, open) => {
  it('a lease is opened with its end, by the clock of the database', async () => {
    const { port, lease } = await workerIn(open)
    const opened = await port.openLease('w2', 5_000)
    expect(opened.lease).not.toBe(lease)
    expect(opened.expiresAt).toEqual(new Date('2030-01-01T00:00:05Z'))
  })

  it('jobs come highest priority first, then oldest, and no more than asked for', async () => {
    const { make, claim } = await workerIn(open)
    const [low, high, old] = [await make(), await make({ priority: 90 }), await make({ priority: 50 })]
    const young = await make({ priority: 50 })
    expect((await claim(3)).map(({ jobId }) => jobId)).toEqual([high, old, young])
    expect((await claim(3)).map(({ jobId }) => jobId)).toEqual([low])
    expect(await claim(3)).toEqual([])
  })

  it('a claimed job has everything its handler needs', async () => {
    const { port, lease, claimOne } = await workerIn(open)
    const job = await claimOne({
      input: { a: [1, { b: null }] },
      key: 'key',
      target: 'target',
      subject: 'subject',
      priority: 7,
      timeoutMs: 1_000,
      tokenLimit: 5,
      itemGoal: 3,
      trace: 'trace',
    })
    expect(job).toMatchObject({
      attempt: 1,
      lease,
      expiresAt: null,
      kind: 'k',
      input: { a: [1, { b: null }] },
      key: 'key',
      target: 'target',
      subject: 'subject',
      createdAt: new Date('2030-01-01T00:00:00Z'),
      timeoutMs: 1_000,
      tokenLimit: 5,
      itemGoal: 3,
      trace: 'trace',
      priority: 7,
      failures: 0,
      losses: 0,
      interruptions: 0,
      progress: null,
    })
    expect(port.queueName?.(job.queueId)).toBe(QUEUE)
  })

  it('two claimers never get the same job', async () => {
    const { another, make, claim } = await workerIn(open)
    for (let n = 0; n < 40; n++) await make()
    const other = await another().openLease('w2', LEASE_MS)
    const claims = await Promise.all([
      ...Array.from({ length: 4 }, () => claim(5)),
      ...Array.from({ length: 4 }, () => claim(5, another(), other.lease)),
    ])
    const ids = claims.flat().map(({ jobId }) => jobId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBe(40)
  })

  it('an ending under another attempt or lease changes nothing and says that the lease is lost', async () => {
    const { port, claimOne, stateOf } = await workerIn(open)
    const job = await claimOne()
    const { lease: other } = await port.openLease('w2', LEASE_MS)
    const wrong = [
      { ...job, attempt: job.attempt + 1 },
      { ...job, lease: other },
      { ...job, jobId: job.jobId + 1_000 },
    ]
    for (const { jobId, attempt, lease } of wrong) {
      const [ended] = await port.finish([{ jobId, attempt, lease, outcome: 'succeeded' }])
      expect(ended).toMatchObject({ jobId, attempt, accepted: false, state: null })
      expect(ended?.error).toBeInstanceOf(LeaseLost)
    }
    expect(await stateOf(job.jobId)).toBe('assigned')
  })

  it('a batch of endings is answered in the order asked, each with what became of its job', async () => {
    const { store, port, make, claim } = await workerIn(open)
    for (let n = 0; n < 6; n++) await make()
    const [a, b, c, d, e, f] = (await claim()) as [
      ClaimedJob,
      ClaimedJob,
      ClaimedJob,
      ClaimedJob,
      ClaimedJob,
      ClaimedJob,
    ]
    const ended = await port.finish([
      { ...fence(f), outcome: 'parked', reason: 'what is that?' },
      { ...fence(a), outcome: 'succeeded', result: { ok: true }, log: 'a line', startedAgoMs: 250 },
      { ...fence(b), outcome: 'failed', error: new RangeError('boom') },
      { ...fence(c), outcome: 'failed', error: 'given up', retryable: false },
      { ...fence(d), outcome: 'snoozed', delayMs: 60_000 },
      { ...fence(e), attempt: 9, outcome: 'succeeded' },
      { ...fence(e), outcome: 'released', started: false },
    ])
    expect(ended.map(({ jobId, accepted, state }) => [jobId, accepted, state])).toEqual([
      [f.jobId, true, 'parked'],
      [a.jobId, true, 'succeeded'],
      [b.jobId, true, 'retrying'],
      [c.jobId, true, 'failed'],
      [d.jobId, true, 'scheduled'],
      [e.jobId, false, null],
      [e.jobId, true, 'queued'],
    ])
    expect(ended[4]?.dueAt).toEqual(new Date('2030-01-01T00:01:00Z'))
    expect(await store.read.attempts(a.jobId)).toMatchObject([
      { result: { ok: true }, logExcerpt: 'a line', startedAt: new Date('2029-12-31T23:59:59.750Z') },
    ])
    expect(await store.read.attempts(b.jobId)).toMatchObject([
      { errorClass: 'RangeError', errorMessage: 'boom', errorStack: expect.stringContaining('port.test.ts') },
    ])
    await expectHealthy(store)
  })

  it('the same endings again are answered the same and count once', async () => {
    const { store, port, claimOne } = await workerIn(open)
    const job = await claimOne()
    const ending = { ...fence(job), outcome: 'failed' as const, error: new Error('once') }
    const first = await port.finish([ending])
    expect(await port.finish([ending])).toEqual(first)
    expect(await store.read.attempts(job.jobId)).toHaveLength(1)
    const [otherwise] = await port.finish([{ ...fence(job), outcome: 'succeeded' }])
    expect(otherwise).toMatchObject({ accepted: false })
  })

  it('an ending sent again after its lease was closed is still answered the same', async () => {
    const { port, another, lease, claimOne } = await workerIn(open)
    const job = await claimOne()
    const ending = { ...fence(job), outcome: 'succeeded' as const, result: 1 }
    const first = await port.finish([ending])
    await port.closeLease(lease)
    expect(await another().finish([ending])).toEqual(first)
  })

  it('a result that is no JSON ends the attempt all the same', async () => {
    const { store, port, claimOne } = await workerIn(open)
    const job = await claimOne()
    const [ended] = await port.finish([
      { ...fence(job), outcome: 'succeeded', result: { big: 1n, nul: 'a\0b' } },
    ])
    expect(ended).toMatchObject({ accepted: true, state: 'succeeded' })
    expect((await store.read.job(job.jobId)).result).toMatchObject({ nul: 'a\uFFFDb' })
  })

  it('start is noted once, and only for jobs that are still held', async () => {
    const { store, port, claimOne, stateOf } = await workerIn(open)
    const job = await claimOne()
    const begun = { ...fence(job), startedAgoMs: 2_000 }
    const noted = [{ jobId: job.jobId, attempt: 1 }]
    expect(await port.start([begun, { ...begun, attempt: 5 }])).toEqual(noted)
    expect(await stateOf(job.jobId)).toBe('running')
    expect((await store.read.job(job.jobId)).startedAt).toEqual(new Date('2029-12-31T23:59:58Z'))
    expect(await port.start([{ ...begun, startedAgoMs: 1 }])).toEqual(noted)
    expect((await store.read.job(job.jobId)).startedAt).toEqual(new Date('2029-12-31T23:59:58Z'))
  })
})

// The same for leases, reports and presence.
import { LeaseLost } from 'holdfast'
import { describe, expect, it } from 'vitest'
import type { ClaimedJob } from '../../src/domain/port.js'
import { PRESENCE } from '../support/presence.js'
import { expectHealthy } from '../support/world.js'
import { fence, LEASE_MS, QUEUE, workerIn } from './one-worker.js'
import { WORLDS } from './worlds.js'

const ME = { ...PRESENCE, worker: 'w1', queues: [QUEUE], slots: 2, busy: 1 }

describe.each(Object.entries(WORLDS))('%s', (_name, open) => {
  it('renewing moves the end of a lease and tells which jobs somebody wants stopped', async () => {
    const { store, port, lease, claimOne, stateOf } = await workerIn(open)
    const [kept, canceled] = [await claimOne(), await claimOne()]
    await store.clock.advance(10_000)
    await store.commands.cancel(canceled.jobId)
    const [renewed] = await port.renew([lease])
    expect(renewed).toEqual({
      lease,
      alive: true,
      expiresAt: new Date('2030-01-01T00:00:40Z'),
      cancel: [{ jobId: canceled.jobId, attempt: 1 }],
      revoked: [],
    })
    const [ended] = await port.finish([{ ...fence(canceled), outcome: 'canceled' }])
    expect(ended).toMatchObject({ accepted: true, state: 'canceled' })
    expect(await stateOf(kept.jobId)).toBe('assigned')
  })

  it('a lease that ran out is not alive, and what was claimed under it belongs to whoever claims next', async () => {
    const { store, port, another, lease, make, claim, claimOne } = await workerIn(open)
    const job = await claimOne()
    await store.clock.advance(LEASE_MS + 1)
    const next = await another().openLease('w2', LEASE_MS)
    const [again] = await claim(1, another(), next.lease)
    expect(again).toMatchObject({ jobId: job.jobId, attempt: 2, losses: 1 })
    const renewed = await port.renew([lease, next.lease])
    expect(renewed.find((one) => one.lease === lease)).toMatchObject({ alive: false, expiresAt: null })
    expect(renewed.find((one) => one.lease === next.lease)).toMatchObject({ alive: true })
    const [stale] = await port.finish([{ ...fence(job), outcome: 'succeeded' }])
    expect(stale).toMatchObject({ accepted: false })
    await expect(port.report({ ...fence(job), items: [1] })).rejects.toBeInstanceOf(LeaseLost)
    await make()
    await expect(claim()).rejects.toMatchObject({ code: 'lease_gone' })
    await expectHealthy(store)
  })

  it('a report keeps items, cursor and tokens; the same report twice counts once', async () => {
    const { port, claim, claimOne } = await workerIn(open)
    const job = await claimOne({ tokenLimit: 100 })
    const report = {
      ...fence(job),
      items: [{ id: 1 }, { id: 1 }, { id: 2 }],
      cursor: { page: 2 },
      tokens: 30,
    }
    const reported = {
      done: false,
      newItems: 2,
      duplicateItems: 1,
      progressCount: 3,
      resultCount: 2,
      tokensUsed: 30,
      tokenLimit: 100,
      cancelRequested: false,
    }
    expect(await port.report(report)).toMatchObject(reported)
    expect(await port.report(report)).toMatchObject({ ...reported, newItems: 0, duplicateItems: 0 })
    await port.finish([{ ...fence(job), outcome: 'released' }])
    const [again] = await claim()
    expect(again?.progress).toEqual({
      cursor: { page: 2 },
      progress: null,
      progressCount: 3,
      resultCount: 2,
      tokensUsed: 30,
      lastProgressAt: new Date('2030-01-01T00:00:00Z'),
    })
  })

  it('a report that says done ends the job, and is answered the same when sent again', async () => {
    const { store, port, claimOne } = await workerIn(open)
    const job = await claimOne()
    const last = { ...fence(job), items: [], done: true, doneReason: 'that is all', result: { n: 0 } }
    expect(await port.report(last)).toMatchObject({ done: true, doneReason: 'that is all', expiresAt: null })
    expect(await port.report(last)).toMatchObject({ done: true, doneReason: 'that is all' })
    expect(await store.read.job(job.jobId)).toMatchObject({ state: 'succeeded', result: { n: 0 } })
  })

  it('a report that is too large is refused by name and changes nothing', async () => {
    const { store, port, claimOne } = await workerIn(open)
    const job = await claimOne()
    const items = Array.from({ length: 1_001 }, (_none, n) => n)
    await expect(port.report({ ...fence(job), items })).rejects.toMatchObject({ code: 'invalid_input' })
    const item = 'x'.repeat(64 * 1024)
    await expect(port.report({ ...fence(job), items: [item] })).rejects.toMatchObject({
      code: 'payload_too_large',
      details: { limit: 'itemBytesMax' },
    })
    expect(await store.read.job(job.jobId)).toMatchObject({ progressCount: 0 })
  })

  it('a queue whose leases reports renew gives each job a lease of its own', async () => {
    const { store, port, lease } = await workerIn(open)
    await store.queues.create('harvest', { preset: 'harvest' })
    const { jobId } = await store.enqueue({ queue: 'harvest', kind: 'k' })
    const [job] = await port.claim({ worker: 'w1', lease, queues: ['harvest'], limit: 1 })
    expect(job).toMatchObject({ jobId, expiresAt: expect.any(Date) })
    expect(job?.lease).not.toBe(lease)
    await store.clock.advance(1_000)
    const { expiresAt } = await port.report({ ...fence(job as ClaimedJob), cursor: 1 })
    expect(expiresAt?.getTime()).toBe((job?.expiresAt?.getTime() ?? 0) + 1_000)
    expect(await port.renew([(job as ClaimedJob).lease])).toMatchObject([{ alive: true, expiresAt }])
  })

  it('closing a lease gives back what it holds, uncharged', async () => {
    const { store, port, lease, claimOne } = await workerIn(open)
    const job = await claimOne()
    expect(await port.closeLease(lease)).toBe(1)
    expect(await port.closeLease(lease)).toBe(0)
    expect(await store.read.job(job.jobId)).toMatchObject({ state: 'queued', failures: 0 })
    expect(await store.read.attempts(job.jobId)).toMatchObject([{ outcome: 'released', reason: 'shutdown' }])
  })

  it('closing a lease for another reason than a shutdown loses what had begun', async () => {
    const { store, port, lease, claimOne } = await workerIn(open)
    const [begun, unstarted] = [await claimOne(), await claimOne()]
    expect(await port.closeLease(lease, 'host is on fire', [begun.jobId])).toBe(2)
    expect(await store.read.job(begun.jobId)).toMatchObject({ state: 'queued', losses: 1 })
    expect(await store.read.attempts(begun.jobId)).toMatchObject([
      { outcome: 'lost', reason: 'host is on fire' },
    ])
    expect(await store.read.job(unstarted.jobId)).toMatchObject({ state: 'queued', losses: 0 })
    expect(await store.read.attempts(unstarted.jobId)).toMatchObject([
      { outcome: 'released', reason: 'host is on fire' },
    ])
  })

  it('keep gives back what the worker does not know of, but not what was claimed a moment ago', async () => {
    const { store, port, lease, claimOne, stateOf } = await workerIn(open)
    const [known, lost] = [await claimOne(), await claimOne()]
    await store.clock.advance(5_000)
    const fresh = await claimOne()
    expect(await port.releaseUnlisted(lease, [known], 4_000)).toBe(1)
    expect(await Promise.all([known, lost, fresh].map(({ jobId }) => stateOf(jobId)))).toEqual([
      'assigned',
      'queued',
      'assigned',
    ])
  })

  it('a job parked for want of a handler comes back when a worker that knows its kind says so', async () => {
    const { port, claim, claimOne } = await workerIn(open)
    const job = await claimOne({ kind: 'novel' })
    await port.finish([{ ...fence(job), outcome: 'parked', reason: 'what is novel?' }])
    expect(await port.unpark([QUEUE], ['k'])).toBe(0)
    expect(await port.unpark([QUEUE], ['k', 'novel'])).toBe(1)
    expect(await claim()).toMatchObject([{ jobId: job.jobId, kind: 'novel', interruptions: 1 }])
  })

  it('a beat shows the worker, tells it when it was asked to drain, and leaving takes it back', async () => {
    const { store, port } = await workerIn(open)
    expect(await port.heartbeat(ME)).toEqual({ drain: false })
    expect(await store.workers.list()).toMatchObject([{ worker: 'w1', slots: 2, busy: 1, kinds: ['k'] }])
    await store.workers.drain('w1', { actor: 'ada' })
    expect(await port.heartbeat(ME)).toEqual({ drain: true })
    await port.removeWorker('w1')
    expect(await store.workers.list()).toEqual([])
  })

  it('depth counts what could be claimed, up to a bound', async () => {
    const { port, make } = await workerIn(open)
    await make()
    await make()
    await make({ delayMs: 60_000 })
    expect(await port.depth([QUEUE], 10)).toBe(2)
    expect(await port.depth([QUEUE], 1)).toBe(1)
  })
})

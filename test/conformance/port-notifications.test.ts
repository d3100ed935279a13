// What a renewal notifies a worker of: attempts, not jobs, and until the worker has acknowledged it.
import { describe, expect, it } from 'vitest'
import type { ClaimedJob } from '../../src/domain/port.js'
import { expectHealthy } from '../support/world.js'
import { fence, LEASE_MS, QUEUE, workerIn } from './one-worker.js'
import { WORLDS } from './worlds.js'

const named = ({ jobId, attempt }: ClaimedJob) => ({ jobId, attempt })

describe.each(Object.entries(WORLDS))('%s', (_name, open) => {
  /** An operator ends a job under its worker and lets it run again: the same worker gets it as the next attempt, under the same lease. */
  async function endedAndRetried() {
    const world = await workerIn(open)
    const { store, claim, claimOne } = world
    const before = await claimOne()
    await store.commands.forceFinish(before.jobId, 'failed', { reason: 'wrong input' })
    await store.commands.retry(before.jobId)
    const [after] = (await claim()) as [ClaimedJob]
    expect(after).toMatchObject({ jobId: before.jobId, attempt: before.attempt + 1, lease: before.lease })
    return { ...world, before, after }
  }

  it('6.04 a revocation names the attempt that was ended, not the one that came after it', async () => {
    const { store, port, lease, before, after } = await endedAndRetried()
    expect(await port.renew([lease])).toMatchObject([{ alive: true, revoked: [named(before)], cancel: [] }])
    expect(await port.finish([{ ...fence(after), outcome: 'succeeded' }])).toMatchObject([{ accepted: true }])
    await expectHealthy(store)
  })

  it('6.04 a revocation is answered until a later renewal acknowledges that attempt', async () => {
    const { store, port, lease, before, after } = await endedAndRetried()
    await store.commands.forceFinish(after.jobId, 'failed')
    const both = [named(before), named(after)]
    for (let n = 0; n < 2; n++) {
      const [renewed] = await port.renew([lease])
      expect(renewed?.revoked).toHaveLength(2)
      expect(renewed?.revoked).toEqual(expect.arrayContaining(both))
    }
    const unknown = { jobId: 999, attempt: 1 }
    expect(await port.renew([lease], { seen: [named(before), unknown] })).toMatchObject([
      { revoked: [named(after)] },
    ])
    expect(await port.renew([lease], { seen: [named(after)] })).toMatchObject([{ revoked: [] }])
    expect(await port.renew([lease])).toMatchObject([{ revoked: [] }])
  })

  it('6.04 nobody acknowledges what another lease was notified of', async () => {
    const { port, another, lease, before } = await endedAndRetried()
    const other = await another().openLease('w2', LEASE_MS)
    expect(await another().renew([other.lease], { seen: [named(before)] })).toMatchObject([{ revoked: [] }])
    expect(await port.renew([lease])).toMatchObject([{ revoked: [named(before)] }])
  })

  it('6.04 a cancel names the attempt, and is answered until that attempt has ended', async () => {
    const { store, port, lease, claim, claimOne } = await workerIn(open)
    const before = await claimOne()
    await store.commands.cancel(before.jobId)
    for (let n = 0; n < 2; n++)
      expect(await port.renew([lease])).toMatchObject([{ cancel: [named(before)], revoked: [] }])
    await port.finish([{ ...fence(before), outcome: 'canceled' }])
    await store.commands.retry(before.jobId)
    const [after] = (await claim()) as [ClaimedJob]
    expect(after).toMatchObject({ jobId: before.jobId, attempt: 2 })
    expect(await port.renew([lease])).toMatchObject([{ cancel: [] }])
    await store.commands.cancel(after.jobId)
    expect(await port.renew([lease])).toMatchObject([{ cancel: [named(after)] }])
  })

  it('6.04 keep compares attempts: an earlier one that the worker still knows does not protect the one it was never given', async () => {
    const { store, port, lease, before, after, stateOf } = await endedAndRetried()
    await store.clock.advance(5_000)
    expect(await port.releaseUnlisted(lease, [named(after)], 0)).toBe(0)
    expect(await port.releaseUnlisted(lease, [named(before)], 0)).toBe(1)
    expect(await stateOf(after.jobId)).toBe('queued')
    await expectHealthy(store)
  })

  it('6.03 a lease that a sweep has touched is never renewed, and its worker is notified by that', async () => {
    const { store, port, another, lease, make, claim } = await workerIn(open)
    await Promise.all(Array.from({ length: 5 }, () => make()))
    const held = await claim()
    await store.clock.advance(LEASE_MS + 1)
    await store.upkeep.reclaim(2)
    expect(await port.renew([lease])).toMatchObject([{ lease, alive: false, expiresAt: null }])
    expect(await port.renew([lease])).toMatchObject([{ alive: false }])
    await expect(
      port.claim({ worker: 'w1', lease, queues: [QUEUE], limit: 1 }),
      'also where there is something to claim',
    ).rejects.toMatchObject({ code: 'lease_gone' })
    const next = await another().openLease('w2', LEASE_MS)
    expect(await claim(10, another(), next.lease)).toHaveLength(held.length)
    const late = held.map((job) => ({ ...fence(job), outcome: 'succeeded' as const }))
    expect((await port.finish(late)).filter(({ accepted }) => accepted)).toEqual([])
    await expectHealthy(store)
  })
})

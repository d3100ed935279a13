/** One live job per key, however many ask for it at once and whatever becomes of the first. */
import type { Enqueued, NewJob, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import {
  answerOf,
  openSession,
  openSessions,
  race,
  untilWaiting,
  waitsBehind,
} from '../../support/sessions.js'
import { expectHealthy, freshStore, pinnedStore, secondStore } from '../../support/world.js'

const SESSIONS = 50
const keyed = (key: string, more: Partial<NewJob> = {}): NewJob => ({ queue: 'q', kind: 'k', key, ...more })

async function jobCount(store: Store): Promise<number> {
  const [row] = await store.database.query<{ n: number }>('select count(*)::int as n from holdfast.job')
  return row?.n as number
}

describe('one key from many sessions', () => {
  it('makes exactly one job, a loser’s, when the winner rolls back; everybody gets its id', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const winner = await openSession(store)
    const losers = await openSessions(store, SESSIONS - 1)
    await winner.begin()
    const never = await winner.enqueue(keyed('once'), { tx: winner.client })
    const asked = losers.map((session) => session.enqueue(keyed('once')))
    await untilWaiting(store, losers)
    await winner.rollback()
    const answers = await Promise.all(asked)
    const ids = new Set(answers.map(({ jobId }) => jobId))
    expect(ids.size).toBe(1)
    expect(ids.has(never.jobId)).toBe(false)
    expect(answers.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1)
    expect(await jobCount(store)).toBe(1)
    await expectHealthy(store)
  })

  it('makes the winner’s job only, when the winner commits', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const winner = await openSession(store)
    const losers = await openSessions(store, SESSIONS - 1)
    await winner.begin()
    const { jobId } = await winner.enqueue(keyed('once'), { tx: winner.client })
    const asked = losers.map((session) => session.enqueue(keyed('once')))
    await untilWaiting(store, losers)
    await winner.commit()
    for (const answer of await Promise.all(asked)) expect(answer).toEqual({ jobId, deduplicated: true })
    expect(await jobCount(store)).toBe(1)
    await expectHealthy(store)
  })

  it('gives the key in a batch to the first job that names it', async () => {
    const store = await freshStore()
    const made = await store.enqueueMany([keyed('a'), keyed('b'), keyed('a'), keyed('a')])
    const [a, b] = made
    expect(made.map(({ deduplicated }) => deduplicated)).toEqual([false, false, true, true])
    expect(made.map(({ jobId }) => jobId)).toEqual([a?.jobId, b?.jobId, a?.jobId, a?.jobId])
    expect(await jobCount(store)).toBe(2)
    await expectHealthy(store)
  })
})

describe('a key whose job ends', () => {
  it('is free as soon as the end commits, for an enqueue that came while it was open', async () => {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue(keyed('once'))
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
    const met = await race(
      store,
      (session) => session.work.finish([{ jobId, attempt: 1, lease: job?.lease ?? 0, outcome: 'succeeded' }]),
      (session) => session.enqueue(keyed('once')),
    )
    expect(met).toMatchObject({ first: [{ accepted: true }], second: { deduplicated: false }, waited: true })
    expect((met.second as Enqueued).jobId).not.toBe(jobId)
    await expectHealthy(store)
  })

  it('stays taken when the end rolls back', async () => {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue(keyed('once'))
    const met = await race(
      store,
      (session) => session.commands.cancel(jobId),
      (session) => session.enqueue(keyed('once')),
      { end: 'rollback' },
    )
    expect(met.second).toEqual({ jobId, deduplicated: true })
    await expectHealthy(store)
  })

  it('does not make the finish wait for a caller who asked for the same key', async () => {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue(keyed('once'))
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
    const met = await race(
      store,
      (session) => session.enqueue(keyed('once'), { tx: session.client }),
      (session) => session.work.finish([{ jobId, attempt: 1, lease: job?.lease ?? 0, outcome: 'succeeded' }]),
    )
    expect(met).toMatchObject({ first: { jobId, deduplicated: true }, second: [{ accepted: true }] })
    expect(met.waited).toBe(false)
    await expectHealthy(store)
  })
})

describe('a queue that rejects duplicates', () => {
  it('refuses the second of two at once, naming the job that has the key', async () => {
    const store = await pinnedStore()
    await store.queues.create('q', { policy: { dedup: 'reject' } })
    const ask = (session: Store) => session.enqueue(keyed('once'))
    const met = await race(store, ask, ask)
    const { jobId } = met.first as Enqueued
    expect(met).toMatchObject({ second: { code: 'key_taken', details: { job: jobId } }, waited: true })
    expect(await jobCount(store)).toBe(1)
    await expectHealthy(store)
  })

  it('accepts the second when the first rolls back', async () => {
    const store = await pinnedStore()
    await store.queues.create('q', { policy: { dedup: 'reject' } })
    const ask = (session: Store) => session.enqueue(keyed('once'))
    const met = await race(store, ask, ask, { end: 'rollback' })
    expect(met.second).toMatchObject({ deduplicated: false })
    await expectHealthy(store)
  })
})

describe('a queue where a new job replaces a waiting one', () => {
  async function replacing() {
    const store = await pinnedStore()
    await store.queues.create('q', { policy: { dedup: 'replace' } })
    const { jobId: old } = await store.enqueue(keyed('once', { input: 'old' }))
    return { store, old }
  }
  const replace = (input: string) => (session: Store) => session.enqueue(keyed('once', { input }))

  it('the later of two replacements replaces the earlier, and one live job is left', async () => {
    const { store, old } = await replacing()
    const met = await race(store, replace('first'), replace('second'))
    expect(met).toMatchObject({
      first: { deduplicated: false },
      second: { deduplicated: false },
      waited: true,
    })
    expect(await store.read.job(old)).toMatchObject({ state: 'canceled', reason: 'replaced' })
    const left = await store.work.claim({ worker: 'w', queues: ['q'], limit: 5 })
    expect(left).toMatchObject([{ jobId: (met.second as Enqueued).jobId, input: 'second' }])
    await expectHealthy(store)
  })

  it('a job claimed first is not replaced; the new one is told its id', async () => {
    const { store, old } = await replacing()
    const claim = (session: Store) => session.work.claim({ worker: 'w', queues: ['q'] })
    const met = await race(store, claim, replace('late'))
    expect(met).toMatchObject({ first: [{ jobId: old }], second: { jobId: old, deduplicated: true } })
    await expectHealthy(store)
  })

  it('a claim behind a replacement does not get the replaced job', async () => {
    const { store, old } = await replacing()
    const claim = (session: Store) => session.work.claim({ worker: 'w', queues: ['q'], limit: 5 })
    const met = await race(store, replace('new'), claim)
    expect(met.second).toEqual([])
    expect(await claim(store)).toMatchObject([{ jobId: (met.first as Enqueued).jobId, input: 'new' }])
    expect(await store.read.job(old)).toMatchObject({ state: 'canceled' })
    await expectHealthy(store)
  })
})

describe('replacements that cross each other’s targets', () => {
  it('do not deadlock: nobody holds a target while waiting for another', async () => {
    const store = await pinnedStore()
    await store.queues.create('q', { policy: { dedup: 'replace' } })
    await store.enqueueMany([keyed('1', { target: 'y' }), keyed('2', { target: 'a' })])
    await store.enqueue({ queue: 'q', kind: 'k', target: '0' })
    const [stopper, one, two] = await openSessions(store, 3)
    await stopper.begin()
    await stopper.database.query("select from holdfast.lane where target = '0' for update")
    const first = answerOf(one.enqueueMany([keyed('1', { target: 'a' }), keyed('3', { target: '0' })]))
    await untilWaiting(store, [one])
    const second = answerOf(two.enqueueMany([keyed('2', { target: 'y' })]))
    await waitsBehind(store, two, one, second)
    await stopper.commit()
    expect(await first).toHaveLength(2)
    expect(await second).toHaveLength(1)
    const claimed = await store.work.claim({ worker: 'w', queues: ['q'], limit: 10 })
    expect(claimed.map(({ target }) => target).sort()).toEqual(['0', 'a', 'y'])
    await expectHealthy(store)
  })
})

describe('batches with keys in opposite orders', () => {
  it.each(['return_existing', 'replace'] as const)('never deadlock (%s)', async (dedup) => {
    const store = await freshStore()
    await store.queues.create('q', { policy: { dedup } })
    const sessions = await openSessions(store, 6)
    const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`)
    for (let round = 0; round < 10; round += 1) {
      const orders = sessions.map((_, n) => (n % 2 === 0 ? keys : [...keys].reverse()))
      const answers = await Promise.all(
        sessions.map((session, n) =>
          answerOf(session.enqueueMany((orders[n] ?? []).map((key) => keyed(`${key} ${round % 3}`)))),
        ),
      )
      for (const answer of answers) expect(answer).toHaveLength(keys.length)
    }
    await expectHealthy(store)
  })

  it('a lone call among many processes is never refused for another’s key', async () => {
    const store = await freshStore()
    const stores = [store, await secondStore(store), await secondStore(store)]
    const asked = Array.from({ length: 120 }, (_, n) => stores[n % 3]?.enqueue(keyed(`k${n % 7}`)))
    const ids = new Set((await Promise.all(asked)).map((answer) => answer?.jobId))
    expect(ids.size).toBe(7)
    expect(await jobCount(store)).toBe(7)
    await expectHealthy(store)
  })
})

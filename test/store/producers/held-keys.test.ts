/** A key that an open transaction holds delays the calls that ask for it, and no other call of the process. */
import { type App, defineJob } from 'holdfast'
import type { Enqueued, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { freshApp } from '../../support/app.js'
import { answerOf, type HandSession, openSession, untilBlockedBy } from '../../support/sessions.js'
import { expectHealthy, freshStore } from '../../support/world.js'

const QUICK_MS = 8_000

/** A transaction that stays open and has taken these keys. */
async function holding(store: Store, keys: readonly string[]): Promise<HandSession> {
  const holder = await openSession(store)
  await holder.begin()
  const jobs = keys.map((key) => ({ queue: 'q', kind: 'held', key }))
  await holder.enqueueMany(jobs, { tx: holder.client })
  return holder
}

async function kindsMade(store: Store): Promise<Record<string, number>> {
  const rows = await store.database.query<{ kind: string; n: number }>(
    'select kind, count(*)::int as n from holdfast.job group by kind',
  )
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const began = performance.now()
  return { value: await work, ms: performance.now() - began }
}

describe('a key that an open transaction holds', () => {
  it('6.08 fails no other enqueue of the process, keyed or not', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const holder = await holding(store, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    const guilty = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'a', 'a'].map((key) =>
      answerOf(store.enqueue({ queue: 'q', kind: 'guilty', key })),
    )
    const innocent = Array.from({ length: 30 }, (_, n) =>
      store.enqueue({
        queue: 'q',
        kind: 'innocent',
        ...(n % 3 === 1 ? { key: `own ${n}` } : {}),
        ...(n % 3 === 2 ? { target: 't' } : {}),
      }),
    )
    const { ms } = await timed(Promise.all(innocent))
    expect(ms).toBeLessThan(QUICK_MS)
    const later = await timed(store.enqueue({ queue: 'q', kind: 'innocent', key: 'another' }))
    expect(later.ms).toBeLessThan(QUICK_MS)
    await holder.rollback()
    const made = (await Promise.all(guilty)) as Enqueued[]
    expect(made.map(({ deduplicated }) => deduplicated).filter(Boolean)).toHaveLength(2)
    expect(await kindsMade(store)).toEqual({ innocent: 31, guilty: 8 })
    await expectHealthy(store)
  })

  it('6.08 is answered with the holder’s job once the holder commits', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const holder = await holding(store, ['a'])
    const asked = [1, 2, 3].map(() => store.enqueue({ queue: 'q', kind: 'guilty', key: 'a' }))
    await untilBlockedBy(store, holder)
    await holder.commit()
    const answers = await Promise.all(asked)
    expect(answers.every(({ deduplicated }) => deduplicated)).toBe(true)
    expect(await kindsMade(store)).toEqual({ held: 1 })
  })

  it('6.08 many calls of enqueueMany that wait for it leave connections for others', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const holder = await holding(store, ['a'])
    const guilty = Array.from({ length: 12 }, () =>
      answerOf(store.enqueueMany([{ queue: 'q', kind: 'guilty', key: 'a' }])),
    )
    await untilBlockedBy(store, holder)
    const { ms } = await timed(
      Promise.all([
        store.enqueue({ queue: 'q', kind: 'innocent' }),
        store.enqueueMany([{ queue: 'q', kind: 'innocent', key: 'own' }]),
      ]),
    )
    expect(ms).toBeLessThan(QUICK_MS)
    await holder.rollback()
    await Promise.all(guilty)
    expect(await kindsMade(store)).toEqual({ innocent: 2, guilty: 1 })
  })

  it('6.08 a queue that an open transaction makes delays no job of other queues', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const holder = await openSession(store)
    await holder.begin()
    await holder.enqueue({ queue: 'new', kind: 'held' }, { tx: holder.client })
    const guilty = answerOf(store.enqueue({ queue: 'new', kind: 'guilty' }))
    const innocent = Array.from({ length: 10 }, () => store.enqueue({ queue: 'q', kind: 'innocent' }))
    const { ms } = await timed(Promise.all(innocent))
    expect(ms).toBeLessThan(QUICK_MS)
    await holder.commit()
    expect(await guilty).toMatchObject({ deduplicated: false })
  })

  it('6.08 a target whose line an open transaction holds delays no enqueue', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const first = await store.enqueue({ queue: 'q', kind: 'first', target: 't' })
    const holder = await openSession(store)
    await holder.begin()
    await holder.commands.cancel(first.jobId)
    const { ms } = await timed(
      Promise.all(['t', 'u', 't'].map((target) => store.enqueue({ queue: 'q', kind: 'innocent', target }))),
    )
    expect(ms).toBeLessThan(QUICK_MS)
    await holder.commit()
    const claimed = await store.work.claim({ worker: 'w', queues: ['q'], limit: 10 })
    expect(claimed.map(({ target }) => target).sort()).toEqual(['t', 'u'])
    await expectHealthy(store)
  })
})

describe('a job with a key of its own', () => {
  it('6.08 in an app, one held key fails none of ten innocent calls', async () => {
    const job = defineJob({ kind: 'k', queue: 'q', key: (input: string) => input, handler: () => {} })
    const plain = defineJob({ kind: 'plain', queue: 'q', handler: () => {} })
    const app: App = await freshApp({ jobs: [job, plain] })
    await app.queues.create('q', { policy: { unknownKinds: 'accept' } })
    const holder = await holding(app.store, ['a'])
    const guilty = answerOf(app.enqueue(job, 'a'))
    const calls = Array.from({ length: 10 }, (_, n) => app.enqueue(plain, n))
    const { ms } = await timed(Promise.all(calls))
    expect(ms).toBeLessThan(QUICK_MS)
    await holder.rollback()
    expect(await guilty).toMatchObject({ deduplicated: false })
  })
})

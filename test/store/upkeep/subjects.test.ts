// The registry of what is worked on again and again: what it keeps of jobs that succeed, and what it refuses.
import type { ClaimedJob, Store } from 'holdfast/store'
import { LIMITS } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, onEachDriver, pinnedStore } from '../../support/world.js'

const QUEUE = 'crawls'

async function work(
  store: Store,
  outcome: 'succeeded' | 'failed' = 'succeeded',
  queue = QUEUE,
): Promise<void> {
  const jobs: ClaimedJob[] = await store.work.claim({ worker: 'w', queues: [queue], limit: 100 })
  expect(jobs.length).toBeGreaterThan(0)
  await store.work.finish(jobs.map((job) => ({ ...job, outcome })))
  await store.upkeep.countMinutes()
}

onEachDriver('subjects', (driver) => {
  it('are kept of jobs that succeed in queues with one job per subject, as they were last', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create(QUEUE, { preset: 'crawl' })
    const make = (subject: string, pages: number) =>
      store.enqueue({ queue: QUEUE, kind: 'crawl', subject, input: { pages }, priority: pages })
    await Promise.all([
      make('r/rust', 1),
      make('r/go', 2),
      store.enqueue({ queue: QUEUE, kind: 'subjectless' }),
    ])
    await store.enqueue({ queue: 'plain', kind: 'k', subject: 'r/plain' })
    await work(store)
    await work(store, 'succeeded', 'plain')
    const first = await store.clock.now()
    expect((await store.subjects.list()).map(({ name }) => name).sort()).toEqual(['r/go', 'r/rust'])
    await store.clock.advance(60_000)
    await make('r/rust', 7)
    await work(store)
    await make('r/go', 8)
    await work(store, 'failed')
    expect(await store.subjects.find(QUEUE, 'r/rust')).toMatchObject({
      input: { pages: 7 },
      priority: 7,
      lastSuccessAt: await store.clock.now(),
    })
    expect(await store.subjects.find(QUEUE, 'r/go')).toMatchObject({
      input: { pages: 2 },
      lastSuccessAt: first,
    })
    await expectHealthy(store)
  })

  it('added by hand count from then on, keep their time through a success, and are gone when removed', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create(QUEUE, { preset: 'crawl' })
    const subject = { queue: QUEUE, name: 'r/rust', kind: 'crawl', staleAfterMs: 1_000 }
    const id = await store.subjects.add({ ...subject, actor: 'ada' })
    expect(await store.subjects.add({ ...subject, priority: 9 })).toBe(id)
    expect(await store.subjects.get(id)).toMatchObject({ addedBy: 'ada', priority: 9, lastSuccessAt: null })
    await store.clock.advance(999)
    expect(await store.upkeep.enqueueStaleSubjects()).toBe(0)
    await store.clock.advance(1)
    expect(await store.upkeep.enqueueStaleSubjects()).toBe(1)
    await work(store)
    expect(await store.subjects.get(id)).toMatchObject({ staleAfterMs: 1_000, priority: 9, enqueuedAt: null })
    await store.subjects.remove(id)
    await expect(store.subjects.get(id)).rejects.toMatchObject({ code: 'unknown_subject', status: 404 })
    await expect(store.subjects.remove(id)).rejects.toMatchObject({ code: 'unknown_subject' })
    await expect(store.subjects.set(id, { enabled: true })).rejects.toMatchObject({ code: 'unknown_subject' })
  })

  it('are asked for the longest silent first, as many in one pass as it may', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create(QUEUE, { preset: 'crawl' })
    for (const name of ['a', 'b', 'c']) {
      await store.subjects.add({ queue: QUEUE, name, kind: 'crawl' })
      await store.clock.advance(1_000)
    }
    const stale = { staleMs: 1, limit: 2 }
    expect(await store.upkeep.enqueueStaleSubjects(stale)).toBe(2)
    const asked = await store.work.claim({ worker: 'w', queues: [QUEUE], limit: 10 })
    expect(asked.map(({ subject }) => subject).sort()).toEqual(['a', 'b'])
    expect([
      await store.upkeep.enqueueStaleSubjects(stale),
      await store.upkeep.enqueueStaleSubjects(stale),
    ]).toEqual([1, 0])
  })

  it('take a queue with one job per subject, and a time within bounds', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create(QUEUE, { preset: 'crawl' })
    await store.queues.create('mail')
    const add = (more: object) => store.subjects.add({ queue: QUEUE, name: 'r/rust', kind: 'crawl', ...more })
    await expect(add({ queue: 'mail' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/queue' },
    })
    await expect(add({ queue: 'nowhere' })).rejects.toMatchObject({ code: 'unknown_queue' })
    const { min, hardMax } = LIMITS.staleAfterMs
    for (const staleAfterMs of [min - 1, hardMax + 1, 1.5])
      await expect(add({ staleAfterMs })).rejects.toMatchObject({
        code: 'invalid_input',
        details: { path: '/staleAfterMs', limit: 'staleAfterMs' },
      })
    for (const staleAfterMs of [min, min + 1, hardMax - 1, hardMax, null]) await add({ staleAfterMs })
    for (const name of ['', 'x'.repeat(257)])
      await expect(add({ name })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { COUNT_MAX, WINDOW } from '../../src/store/list/listing.js'
import { freshStore, onEachDriver } from '../support/world.js'

/** Claims and ends one job of a queue. */
async function end(
  store: Store,
  queue: string,
  outcome: 'succeeded' | 'failed',
  limit = 1,
): Promise<number[]> {
  const { lease } = await store.work.openLease('worker', 30_000)
  const jobs = await store.work.claim({ worker: 'worker', lease, queues: [queue], limit })
  await store.work.finish(
    jobs.map((job) => ({ ...job, outcome, ...(outcome === 'failed' && { retryable: false, error: 'no' }) })),
  )
  return jobs.map(({ jobId }) => jobId)
}

async function enqueue(store: Store, queue: string, n: number, more = {}): Promise<number[]> {
  const made = await store.enqueueMany(Array.from({ length: n }, () => ({ queue, kind: 'k', ...more })))
  return made.map(({ jobId }) => jobId)
}

/** All pages, as lists of ids. */
async function pages(store: Store, filter: Parameters<Store['list']['jobs']>[0]): Promise<number[][]> {
  const found: number[][] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<Store['list']['jobs']>> = await store.list.jobs({
      ...filter,
      ...(after === null ? {} : { after }),
    })
    found.push(page.rows.map(({ id }) => id))
    after = page.next
  } while (after !== null)
  return found
}

onEachDriver('lists of jobs', (driver) => {
  it('go from the newest to the oldest, page by page, each job once, wherever it is', async () => {
    const store = await freshStore(driver)
    const queued = await enqueue(store, 'a', 3)
    const later = await enqueue(store, 'a', 2, { delayMs: 60_000 })
    const pending = await enqueue(store, 'a', 2, { pending: true })
    const first = await end(store, 'a', 'succeeded')
    const all = [...queued, ...later, ...pending].reverse()
    expect(first).toEqual(queued.slice(0, 1))
    expect(await pages(store, { limit: 3 })).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)])
    expect(await pages(store, { limit: 7 })).toEqual([all])
  })

  it('can be narrowed to a state, a queue, a kind, a target, a key and a tenant', async () => {
    const store = await freshStore(driver)
    const [mail = 0] = await enqueue(store, 'mail', 1, { kind: 'welcome', target: 'ada' })
    const [other = 0] = await enqueue(store, 'other', 1)
    const [late = 0] = await enqueue(store, 'other', 1, { delayMs: 60_000, key: 'only' })
    await store.enqueue({ queue: 'mail', kind: 'k' }, { tenant: 'acme' })
    expect(await pages(store, { queue: 'mail' })).toEqual([[mail]])
    expect(await pages(store, { state: 'queued' })).toEqual([[other, mail]])
    expect(await pages(store, { state: 'scheduled' })).toEqual([[late]])
    expect(await pages(store, { kind: 'welcome' })).toEqual([[mail]])
    expect(await pages(store, { target: 'ada' })).toEqual([[mail]])
    expect(await pages(store, { key: 'only' })).toEqual([[late]])
    expect(await pages(store, { key: 'only', state: 'queued' })).toEqual([[]])
    expect(await pages(store, { state: 'running' })).toEqual([[]])
    expect((await store.list.jobs({ tenant: 'acme' })).rows).toMatchObject([{ queue: 'mail', kind: 'k' }])
  })

  it('show failed jobs by when they failed, the last first', async () => {
    const store = await freshStore(driver)
    const ids = await enqueue(store, 'a', 3)
    await store.commands.setPriority(ids[2] as number, 90)
    const order: number[] = []
    for (let n = 0; n < 3; n += 1) order.push(...(await end(store, 'a', 'failed')))
    expect(order).toEqual([ids[2], ids[0], ids[1]])
    expect(await pages(store, { state: 'failed', limit: 1 })).toEqual([[ids[1]], [ids[0]], [ids[2]]])
  })

  it('look at so many jobs of each place and then say where to go on, so that what is rare is found in the end, once', async () => {
    const store = await freshStore(driver)
    const rare = await enqueue(store, 'a', 2, { kind: 'rare' })
    const later = await enqueue(store, 'a', 1, { kind: 'rare', delayMs: 60_000 })
    await enqueue(store, 'a', WINDOW)
    const waiting = await enqueue(store, 'a', 1, { kind: 'rare', pending: true })
    await enqueue(store, 'a', 10, { delayMs: 60_000 })
    const found = await pages(store, { kind: 'rare' })
    expect(found.flat()).toEqual([...waiting, ...later, ...rare.toReversed()])
    expect(found.length).toBeGreaterThan(1)
    expect((await pages(store, { limit: 500 })).flat()).toHaveLength(WINDOW + 14)
    const ended = await end(store, 'a', 'failed', 2)
    expect(ended).toEqual(rare)
    await end(store, 'a', 'failed', WINDOW)
    const failed = await pages(store, { kind: 'rare', state: 'failed' })
    expect(failed.flat().sort()).toEqual(rare)
    expect(failed.length).toBeGreaterThan(1)
  })

  it('refuse a cursor of another list, a state and a queue that are not there', async () => {
    const store = await freshStore(driver)
    await enqueue(store, 'a', 3)
    const { next } = await store.list.jobs({ limit: 1 })
    await expect(store.list.jobs({ state: 'failed', after: next as string })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/after' },
    })
    await expect(store.list.jobs({ after: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(store.list.jobs({ state: 'gone' as never })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(store.list.jobs({ queue: 'nowhere' })).rejects.toMatchObject({ code: 'unknown_queue' })
  })

  it('count the jobs of each queue by what they wait for', async () => {
    const store = await freshStore(driver)
    await enqueue(store, 'a', 2)
    await enqueue(store, 'a', 1, { delayMs: 60_000 })
    await enqueue(store, 'a', 3, { target: 't' })
    await enqueue(store, 'b', COUNT_MAX + 1)
    const { lease } = await store.work.openLease('worker', 30_000)
    await store.work.claim({ worker: 'worker', lease, queues: ['a'], limit: 1 })
    const [a, b] = await store.list.queueCounts()
    expect(a).toMatchObject({ queued: 2, running: 1, delayed: 1, waiting: 2, blocked: 0, capped: [] })
    expect(b).toMatchObject({ queued: COUNT_MAX, running: 0, capped: ['queued'] })
  })

  it('say which counts stopped because a place has more rows than are examined', async () => {
    const store = await freshStore(driver)
    await enqueue(store, 'a', 3, { delayMs: 60_000 })
    await enqueue(store, 'b', 2, { pending: true })
    const counted = (examined: number) =>
      store.database.query<{ queue: string; delayed: number; waiting: number; capped: string[] }>(
        "select queue, delayed, waiting, capped from holdfast.queue_counts('{default}', p_examined => $1) order by queue",
        [examined],
      )
    expect(await counted(3)).toEqual([
      { queue: 'a', delayed: 3, waiting: 0, capped: [] },
      { queue: 'b', delayed: 0, waiting: 2, capped: [] },
    ])
    expect((await counted(2)).map(({ capped }) => capped)).toEqual([['delayed'], ['delayed']])
    expect((await counted(1)).map(({ capped }) => capped)).toEqual([
      ['delayed', 'waiting'],
      ['delayed', 'waiting'],
    ])
  })

  it('count the jobs in each state, and say which counts stopped', async () => {
    const store = await freshStore(driver)
    await enqueue(store, 'a', 2)
    await enqueue(store, 'a', 1, { delayMs: 60_000 })
    await enqueue(store, 'b', COUNT_MAX + 1)
    await enqueue(store, 'b', 3, { pending: true })
    await end(store, 'a', 'failed')
    await enqueue(store, 'c', 2)
    await end(store, 'c', 'succeeded')
    const all = await store.list.stateCounts()
    expect(all.capped).toEqual(['queued'])
    expect(all.counts).toMatchObject({
      queued: COUNT_MAX,
      scheduled: 1,
      pending: 3,
      running: 0,
      succeeded: 1,
    })
    const { counts, capped } = await store.list.stateCounts({ queue: 'c' })
    expect(counts).toMatchObject({ queued: 1, succeeded: 1, pending: 0, scheduled: 0 })
    expect(capped).toEqual([])
    const [few] = await store.database.query<{ capped: string[] }>(
      "select capped from holdfast.state_counts('default', p_examined => 2)",
    )
    expect(few?.capped).toEqual(['pending', 'queued', 'waiting'])
    expect(await store.list.stateCounts({ tenant: 'nobody' })).toMatchObject({
      counts: { queued: 0 },
      capped: [],
    })
  })

  it('name the kinds of live jobs', async () => {
    const store = await freshStore(driver)
    await enqueue(store, 'a', 2, { kind: 'one' })
    await enqueue(store, 'a', 1, { kind: 'two', delayMs: 60_000 })
    expect(await store.list.liveKinds()).toEqual([
      { kind: 'one', jobs: 2, parked: 0 },
      { kind: 'two', jobs: 1, parked: 0 },
    ])
  })

  it('blocked targets are listed with their cause, their age and how many jobs wait behind', async () => {
    const store = await freshStore(driver)
    await store.queues.create('t', { preset: 'target' })
    const [head = 0] = await enqueue(store, 't', 3, { target: 'ada' })
    await enqueue(store, 't', 1, { target: 'bob' })
    expect(await store.list.blockedTargets()).toEqual([])
    await end(store, 't', 'failed')
    const [blocked, ...more] = await store.list.blockedTargets({ queue: 't' })
    expect(more).toEqual([])
    expect(blocked).toMatchObject({
      queue: 't',
      target: 'ada',
      jobId: head,
      state: 'errored',
      lastError: 'no',
      behind: 2,
    })
    expect(blocked?.blockedMs).toBeGreaterThanOrEqual(0)
    await store.commands.skip(head)
    expect(await store.list.blockedTargets()).toEqual([])
  })
})

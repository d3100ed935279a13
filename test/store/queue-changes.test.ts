// Queues that are changed, renamed and removed, also while others enqueue and claim.
import type { HoldfastError } from 'holdfast'
import type { Store } from 'holdfast/store'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { expectHealthy, freshStore, onEachDriver, secondStore } from '../support/world.js'

/** What a call is refused with. */
const refusal = (call: Promise<unknown>): Promise<HoldfastError> =>
  call.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: HoldfastError) => error,
  )

onEachDriver('a queue', (driver) => {
  let store: Store
  beforeEach(async () => {
    store = await freshStore(driver)
  })
  const enqueue = (queue = 'leads', more = {}) => store.enqueue({ queue, kind: 'k', ...more })
  const runOne = async (queue = 'leads') => {
    const [job] = await store.work.claim({ worker: 'w', queues: [queue] })
    if (job === undefined) throw new Error('nothing was claimed')
    await store.work.finish([{ ...job, outcome: 'succeeded' }])
    return job
  }

  it('takes the whole policy of another preset, but for what is named, while it has no live jobs', async () => {
    await enqueue()
    await runOne()
    await store.queues.setPolicy('leads', { maxRetries: 9 })
    await store.queues.update('leads', { preset: 'harvest', policy: { itemsKey: 'email' } }, { actor: 'ada' })
    const queue = await store.queues.get('leads')
    expect(queue).toMatchObject({
      preset: 'harvest',
      order: 'fifo',
      maxRetries: null,
      renewedBy: 'report',
      onLeaseLost: 'count',
      itemsKey: 'email',
    })
    const { events } = await store.read.feed('all')
    expect(events.filter(({ type }) => type === 'queue_changed')).toMatchObject([{ actor: 'ada' }])
  })

  it.each<[string, (store: Store) => Promise<unknown>, string]>([
    [
      'queued again after an attempt',
      async () => {
        await enqueue()
        const [job] = await store.work.claim({ worker: 'w', queues: ['leads'] })
        if (job !== undefined) await store.work.finish([{ ...job, outcome: 'released' }])
      },
      '1 queued',
    ],
    [
      'retrying',
      async () => {
        await enqueue('leads', { maxRetries: 3 })
        const [job] = await store.work.claim({ worker: 'w', queues: ['leads'] })
        if (job !== undefined) await store.work.finish([{ ...job, outcome: 'failed' }])
      },
      '1 delayed',
    ],
    [
      'one of more than a thousand',
      () => store.enqueueMany(Array.from({ length: 1_001 }, () => ({ queue: 'leads', kind: 'k' }))),
      'at least 1000 queued',
    ],
    ['pending', () => enqueue('leads', { pending: true }), '1 held'],
    [
      'running',
      async () => {
        await enqueue()
        await store.work.claim({ worker: 'w', queues: ['leads'] })
      },
      '1 running',
    ],
  ])('keeps its preset and stays while it has a job that is %s', async (_state, make, said) => {
    await make(store)
    for (const change of [
      () => store.queues.update('leads', { preset: 'harvest' }),
      () => store.queues.remove('leads'),
    ]) {
      const refused = await refusal(change())
      expect(refused).toMatchObject({ code: 'queue_in_use', status: 409 })
      expect(refused.message).toBe(`The queue leads has jobs that have not ended: ${said}.`)
    }
    expect((await store.queues.get('leads')).preset).toBe('default')
    await expectHealthy(store)
  })

  it('takes another preset while all its jobs wait for their first attempt, and they keep to its order', async () => {
    const first = await enqueue('leads', { priority: 1 })
    const urgent = await enqueue('leads', { priority: 90, target: 'a' })
    const later = await enqueue('leads', { delayMs: 60_000 })
    expect(await refusal(store.queues.remove('leads'))).toMatchObject({ code: 'queue_in_use' })
    await store.queues.update('leads', { preset: 'harvest' })
    expect(await store.read.job(later.jobId)).toMatchObject({ preset: 'harvest', state: 'scheduled' })
    const newest = await enqueue()
    await expectHealthy(store)
    for (const { jobId } of [first, urgent, newest]) expect((await runOne()).jobId).toBe(jobId)
    await store.queues.update('leads', { preset: 'crawl' })
    await expectHealthy(store)
  })

  it('keeps its preset while a job has a target or a subject that the new preset would treat otherwise', async () => {
    await store.queues.create('leads', { preset: 'catalog' })
    await enqueue('leads', { target: 'a' })
    expect((await refusal(store.queues.update('leads', { preset: 'target' }))).message).toContain('a target')
    await store.queues.update('leads', { preset: 'harvest' })
    await enqueue('leads', { subject: 's' })
    expect((await refusal(store.queues.update('leads', { preset: 'crawl' }))).message).toContain('a subject')
    await expectHealthy(store)
  })

  it('is renamed with its live jobs, its history and its schedules', async () => {
    await enqueue()
    const done = await runOne()
    const { jobId } = await enqueue()
    await store.schedules.create({ name: 'daily', queue: 'leads', kind: 'k', expression: '@daily' })
    await store.queues.rename('leads', 'people', { actor: 'ada', reason: 'clearer' })
    expect(await refusal(store.queues.get('leads'))).toMatchObject({ code: 'unknown_queue' })
    expect((await store.read.job(done.jobId)).queue).toBe('people')
    expect((await store.schedules.get('daily')).queue).toBe('people')
    expect((await runOne('people')).jobId).toBe(jobId)
    expect(await refusal(store.queues.rename('people', 'no name!'))).toMatchObject({ code: 'invalid_input' })
    await enqueue('other')
    expect(await refusal(store.queues.rename('people', 'other'))).toMatchObject({ code: 'queue_exists' })
    expect(await refusal(store.queues.rename('nowhere', 'x'))).toMatchObject({ code: 'unknown_queue' })
    await expectHealthy(store)
  })

  it('is removed with its history; its name is free for a new one', async () => {
    await enqueue()
    const { jobId } = await runOne()
    await store.queues.remove('leads', { actor: 'ada' })
    expect(await refusal(store.queues.get('leads'))).toMatchObject({ code: 'unknown_queue' })
    expect(await refusal(store.read.job(jobId))).toMatchObject({ code: 'unknown_job' })
    expect(await refusal(store.commands.retry(jobId))).toMatchObject({ code: 'unknown_job' })
    await store.queues.create('leads', { preset: 'harvest' })
    await enqueue()
    expect((await runOne()).attempt).toBe(1)
    await expectHealthy(store)
  })

  it('stays while a schedule enqueues into it, and while it has items that nobody asked to delete', async () => {
    await store.queues.create('leads', { preset: 'harvest' })
    await store.schedules.create({ name: 'daily', queue: 'leads', kind: 'k', expression: '@daily' })
    expect((await refusal(store.queues.remove('leads'))).message).toBe(
      'The schedule daily enqueues into the queue leads.',
    )
    await store.schedules.remove('daily')
    await enqueue()
    const [job] = await store.work.claim({ worker: 'w', queues: ['leads'] })
    if (job === undefined) throw new Error('nothing was claimed')
    await store.work.report({ ...job, items: [{ phone: '1' }], done: true })
    expect(await refusal(store.queues.remove('leads'))).toMatchObject({ code: 'queue_in_use' })
    expect(await store.read.items({ queue: 'leads' })).toHaveLength(1)
    await store.queues.remove('leads', { withItems: true })
    expect(await store.queues.list()).toEqual([])
  })

  it('of the right preset is found or made, of another refused', async () => {
    expect(await store.queues.ensure('leads', 'harvest')).toMatchObject({ preset: 'harvest' })
    expect(await store.queues.ensure('leads', 'harvest')).toMatchObject({ preset: 'harvest' })
    expect(await refusal(store.queues.ensure('leads', 'crawl'))).toMatchObject({
      code: 'wrong_preset',
      message: 'The queue "leads" has the preset harvest, not the preset crawl.',
    })
  })

  it('is made with the preset that its first job names; a job that names another is refused', async () => {
    await enqueue('leads', { preset: 'harvest' })
    expect(await store.queues.get('leads')).toMatchObject({ preset: 'harvest' })
    await enqueue('leads', { preset: 'harvest', key: 'a' })
    expect(await refusal(enqueue('leads', { preset: 'crawl' }))).toMatchObject({ code: 'wrong_preset' })
    expect(await refusal(enqueue('leads', { preset: 'harvst' }))).toMatchObject({ code: 'invalid_input' })
    expect(await store.work.depth(['leads'])).toBe(2)
    await store.enqueueMany([
      { queue: 'a', kind: 'k', preset: 'catalog' },
      { queue: 'b', kind: 'k' },
    ])
    expect((await store.queues.list()).map(({ name, preset }) => [name, preset])).toEqual([
      ['a', 'catalog'],
      ['b', 'default'],
      ['leads', 'harvest'],
    ])
  })
})

describe('meeting', () => {
  const at = (store: Store, name: string) => `${store.schema}.${name}`

  it.each(['remove', 'update'] as const)(
    '%s waits for an enqueue that has not committed, and is refused by its job, which is pending',
    async (verb) => {
      const store = await freshStore()
      await store.queues.create('leads')
      const other = await secondStore(store, 1)
      let change: Promise<unknown> = Promise.resolve()
      await store.database.transaction(async (session) => {
        await session.query(`select ${at(store, 'enqueue')}('leads', 'k', p_options => '{"pending": true}')`)
        change =
          verb === 'remove' ? other.queues.remove('leads') : other.queues.update('leads', { preset: 'crawl' })
        change.catch(() => {})
        const waits = async () =>
          (
            await session.query(
              `select from pg_locks where not granted and relation = '${at(store, 'queue')}'::regclass`,
            )
          ).length === 1
        await expect.poll(waits, { interval: 5 }).toBe(true)
      })
      expect(await refusal(change)).toMatchObject({ code: 'queue_in_use' })
      expect((await store.list.jobs({ queue: 'leads' })).rows).toHaveLength(1)
      await expectHealthy(store)
    },
  )

  it('a change gives up after a quarter of a second if a transaction stays open, and nothing has changed', async () => {
    const store = await freshStore()
    await store.queues.create('leads')
    const other = await secondStore(store, 1)
    await store.database.transaction(async (session) => {
      await session.query(`select ${at(store, 'enqueue')}('mail', 'k')`)
      for (const change of [
        () => other.queues.remove('leads'),
        () => other.queues.rename('leads', 'x'),
        () => other.queues.update('leads', { preset: 'crawl' }),
      ])
        expect(await refusal(change())).toMatchObject({ code: 'conflict', status: 409 })
    })
    expect((await store.queues.list()).map(({ name, preset }) => [name, preset])).toEqual([
      ['leads', 'default'],
      ['mail', 'default'],
    ])
  })

  it('an enqueue that comes while a queue is removed makes a new one, and its job can be claimed', async () => {
    const store = await freshStore()
    const other = await secondStore(store, 1)
    const old = await store.queues.create('leads', { preset: 'harvest' })
    let enqueued: Promise<unknown> = Promise.resolve()
    await store.database.transaction(async (session) => {
      await session.query(`select ${at(store, 'remove_queue')}($1)`, [old])
      enqueued = other.enqueue({ queue: 'leads', kind: 'k' })
      const waits = async () =>
        (
          await session.query(
            `select from pg_locks where not granted and relation = '${at(store, 'queue')}'::regclass`,
          )
        ).length === 1
      await expect.poll(waits, { interval: 5 }).toBe(true)
    })
    await enqueued
    expect((await store.queues.get('leads')).id).not.toBe(old)
    expect(await store.work.claim({ worker: 'w', queues: ['leads'] })).toHaveLength(1)
    await expectHealthy(store)
  })

  it('enqueues and claims that go on while a queue is renamed lose no job', async () => {
    const store = await freshStore()
    const [producer, worker] = [await secondStore(store, 2), await secondStore(store, 2)]
    await store.queues.create('a')
    const made = new Set<number>()
    const taken = new Set<number>()
    let isOver = false
    const enqueueing = (async () => {
      for (let n = 0; n < 200; n += 1) made.add((await producer.enqueue({ queue: 'a', kind: 'k' })).jobId)
      isOver = true
    })()
    const claiming = (async () => {
      for (;;) {
        const last = isOver
        const jobs = await worker.work.claim({ worker: 'w', queues: ['a', 'b'], limit: 10 })
        for (const { jobId } of jobs) taken.add(jobId)
        if (last && jobs.length === 0) return
      }
    })()
    const renaming = (async () => {
      while (!isOver) {
        await store.queues.rename('a', 'b').catch(() => {})
        await store.queues.remove('b').catch(() => {})
      }
    })()
    await Promise.all([enqueueing, renaming])
    await claiming
    // What the last rename has hidden from the worker's names.
    for (const name of ['a', 'b'])
      for (const { jobId } of await store.work.claim({ worker: 'w', queues: [name], limit: 1_000 }))
        taken.add(jobId)
    expect(taken.size).toBe(made.size)
    await expectHealthy(store)
  })

  it('a worker follows a queue that was removed and made again, and one that was renamed', async () => {
    const store = await freshStore()
    const other = await secondStore(store, 1)
    const claim = () => store.work.claim({ worker: 'w', queues: ['leads'] })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await claim()).toEqual([])
    await other.queues.remove('leads')
    vi.advanceTimersByTime(30_001)
    expect(await claim(), 'it does not make it again').toEqual([])
    expect(await other.queues.list()).toEqual([])
    await other.enqueue({ queue: 'leads', kind: 'k' })
    vi.advanceTimersByTime(30_001)
    expect(await claim()).toHaveLength(1)
    await other.queues.rename('leads', 'people')
    await other.enqueue({ queue: 'leads', kind: 'k' })
    await other.enqueue({ queue: 'people', kind: 'k' })
    vi.advanceTimersByTime(30_001)
    expect(await claim(), 'by its name').toMatchObject([{ jobId: 2 }])
  })
})

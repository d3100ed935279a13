/** The sentences, each where it belongs. That no reason is missing and none too many is shown in claimable.slow.test.ts. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { ChoreNotes } from '../../../src/app/chores/notes.js'
import { PRESENCE } from '../../support/presence.js'
import { onEachDriver, pinnedStore } from '../../support/world.js'

async function enqueue(store: Store, more: object = {}): Promise<number> {
  return (await store.enqueue({ queue: 'q', kind: 'k', ...more })).jobId
}

const claim = (store: Store, limit = 1) => store.work.claim({ worker: 'w', queues: ['q'], limit })

/** What is said of a job, without what is said of its workers. */
async function said(
  store: Store,
  id: number,
): Promise<{ code: string; blocking: boolean; sentence: string; data: object }[]> {
  return (await store.read.explain(id)).filter(({ code }) => code !== 'no_worker')
}

onEachDriver('who would take it', (driver) => {
  it('no live worker takes jobs of the queue, or none that stays, or none that knows the kind', async () => {
    const store = await pinnedStore(driver)
    const id = await enqueue(store)
    const sentence = async () => (await store.read.explain(id)).map((reason) => reason.sentence)
    expect(await store.read.explain(id)).toMatchObject([
      { code: 'no_worker', blocking: false, data: { workers: 0 } },
    ])
    expect(await sentence()).toEqual(['No live worker claims from the queue q.'])
    await store.work.heartbeat({ ...PRESENCE, worker: 'a', kinds: ['other'] })
    expect(await sentence()).toEqual([
      'No live worker of the queue q handles the kind k (1 handles other kinds).',
    ])
    await store.work.heartbeat({ ...PRESENCE, worker: 'a', kinds: ['k'], draining: true })
    expect(await sentence()).toEqual(['Every live worker of the queue q is draining.'])
    await store.work.heartbeat({ ...PRESENCE, worker: 'b', kinds: ['k'], queues: ['r'] })
    expect(await sentence()).toEqual([
      'Every live worker of the queue q is draining. These handle it and claim from other queues: b (r).',
    ])
    await store.work.heartbeat({ ...PRESENCE, worker: 'c', kinds: ['k'] })
    expect(await store.read.explain(id)).toMatchObject([
      { code: 'undeclared_kind', blocking: false, data: { kind: 'k', workers: ['a', 'c'] } },
    ])
    await store.kinds.declare([{ kind: 'k', queue: 'q' }])
    expect(await sentence()).toEqual([])
    await store.clock.advance(31_000)
    expect(await sentence(), 'nobody has heard of them for a while').toEqual([
      'No live worker claims from the queue q.',
    ])
  })

  it('a job of a kind of our own needs only a worker', async () => {
    const store = await pinnedStore(driver)
    const id = await enqueue(store, { kind: 'holdfast.cancel' })
    await store.work.heartbeat({ ...PRESENCE, worker: 'a', kinds: ['other'] })
    expect(await store.read.explain(id)).toEqual([])
  })
})

onEachDriver('its turn', (driver) => {
  it('behind so many of its priority or more, with when its turn comes by the last five minutes, or unknown', async () => {
    const store = await pinnedStore(driver)
    await enqueue(store, { priority: 50 })
    await enqueue(store)
    await enqueue(store, { priority: 5 })
    const id = await enqueue(store, { priority: 5 })
    const [unknown] = await said(store, id)
    expect(unknown).toMatchObject({
      code: 'behind',
      blocking: false,
      data: { jobs: 2, more: false, priority: 5, per_minute: null, estimate_ms: null },
    })
    expect(unknown?.sentence).toBe(
      '2 jobs are before it in the queue q, of priority 5 or more; how long that takes is unknown, because no job of the queue was claimed in the last five minutes.',
    )
    await claim(store)
    await store.clock.advance(60_000)
    // one in five minutes
    const [known] = await said(store, id)
    expect(known).toMatchObject({ data: { jobs: 1, per_minute: 0.2, estimate_ms: 300_000 } })
    expect(known?.sentence).toBe(
      '1 job is before it in the queue q, of priority 5 or more; at the rate of the last five minutes (0.2 per minute) that takes about 5 min.',
    )
    await store.clock.advance(240_000)
    expect((await said(store, id))[0], 'five minutes ago is not of late').toMatchObject({
      data: { per_minute: null },
    })
  })

  it('what other queues start does not count', async () => {
    const store = await pinnedStore(driver)
    await store.enqueue({ queue: 'r', kind: 'k' })
    await store.work.claim({ worker: 'w', queues: ['r'] })
    await enqueue(store)
    const id = await enqueue(store)
    expect((await said(store, id))[0]).toMatchObject({ code: 'behind', data: { per_minute: null } })
  })

  it('in a queue that is first come first served, nothing is said of priority', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('q', { preset: 'catalog' })
    await enqueue(store)
    const id = await enqueue(store, { priority: 100 })
    expect((await said(store, id))[0]?.sentence).toContain(
      '1 job is before it in the queue q, first come first served with the other queues of this order;',
    )
  })
})

it('jobs in front are counted up to 10,000, and then there are more', { timeout: 120_000 }, async () => {
  const store = await pinnedStore()
  for (let batch = 0; batch < 11; batch += 1)
    await store.enqueueMany(Array.from({ length: batch < 10 ? 1_000 : 2 }, () => ({ queue: 'q', kind: 'k' })))
  const jobs = async (id: number) => (await said(store, id))[0]?.data
  expect(await jobs(10_000)).toMatchObject({ jobs: 9_999, more: false })
  expect(await jobs(10_001)).toMatchObject({ jobs: 10_000, more: false })
  expect(await jobs(10_002)).toMatchObject({ jobs: 10_000, more: true })
  expect((await said(store, 10_002))[0]?.sentence).toMatch(/^More than 10000 jobs are before it/)
})

onEachDriver('rates of each key', (driver) => {
  const policy = { rateLimit: 1, ratePeriodMs: 10_000, ratePerKey: true, serializeTargets: false }

  it('a job whose key has no token, one that was put off for it, and one that must let those pass it', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('q', { policy })
    const [first, second, third] = [
      await enqueue(store, { subject: 'a' }),
      await enqueue(store, { subject: 'a' }),
      await enqueue(store, { subject: 'a' }),
    ]
    expect(await said(store, first)).toEqual([])
    expect((await claim(store, 3)).map(({ jobId }) => jobId)).toEqual([first])
    const held = await said(store, third)
    expect(held).toMatchObject([{ code: 'rate_reached', blocking: true, data: { key: 'a' } }])
    expect(held[0]?.sentence).toContain(
      'The rate limit of the queue q is used up for its key a; it may start at 2030-01-01 00:00:20',
    )
    const fresh = await enqueue(store, { subject: 'a' })
    expect(await said(store, fresh), 'no token').toMatchObject([{ code: 'rate_reached' }])
    await store.clock.advance(11_000)
    expect(await said(store, second), 'its token has come').toEqual([])
    expect(await said(store, fresh), 'the next tokens are promised').toMatchObject([
      { code: 'rate_reached', data: { key: 'a' } },
    ])
    expect((await claim(store, 3)).map(({ jobId }) => jobId)).toEqual([second])
  })
})

onEachDriver('what upkeep should have done', (driver) => {
  it('is said of a job that fell due and was not brought in, and of one that waits and was not raised', async () => {
    const store = await pinnedStore(driver)
    const due = await enqueue(store, { delayMs: 1_000 })
    await store.clock.advance(61_001)
    expect(await said(store, due)).toMatchObject([
      { code: 'upkeep_asleep', blocking: false, data: { last_run_at: null } },
    ])
    await store.upkeep.promoteDueWork()
    expect(await said(store, due)).toEqual([])
    await store.clock.advance(3_600_000 + 3 * 300_000 + 61_000)
    expect(await said(store, due)).toMatchObject([{ code: 'upkeep_asleep' }])
    await store.upkeep.age()
    expect(await said(store, due)).toEqual([])
  })

  it('is said of the chore that should have come: when it last ran, that it failed, or that it has not got so far', async () => {
    const store = await pinnedStore(driver)
    const due = await enqueue(store, { delayMs: 1_000 })
    const pass = { name: 'promote', everyMs: 1_000, durationMs: 1, rows: 0, error: null }
    // A process that has said nothing yet says it at once.
    const ran = (more: object = {}) => new ChoreNotes(store).note({ ...pass, ...more })
    await ran()
    await store.clock.advance(61_001)
    // Another chore that runs is no sign that this one does.
    await ran({ name: 'prune' })
    const asleep = async () => (await said(store, due))[0]
    expect(await asleep()).toMatchObject({
      code: 'upkeep_asleep',
      data: { chore: 'promote', failed: false },
    })
    // A moment before it was said.
    const at = expect.stringMatching(/^(2029-12-31T23:59:59|2030-01-01T00:00:00)/)
    expect(await asleep()).toMatchObject({ data: { last_run_at: at } })
    expect((await asleep())?.sentence).toContain('is one running?')
    await ran({ error: 'deadlock detected' })
    expect(await asleep()).toMatchObject({ data: { failed: true } })
    expect((await asleep())?.sentence).toMatch(/and failed: `holdfast upkeep` shows why\.$/)
    await ran()
    expect(await asleep()).toMatchObject({ data: { failed: false } })
    expect((await asleep())?.sentence).toMatch(/runs, last at .*, and has not reached this job yet\.$/)
  })

  it('is said of a job whose worker died, with what it will be', async () => {
    const store = await pinnedStore(driver)
    const id = await enqueue(store)
    await claim(store)
    expect(await said(store, id)).toMatchObject([{ code: 'assigned', blocking: true }])
    await store.clock.advance(30_000 + 60_001)
    const reasons = await said(store, id)
    expect(reasons).toMatchObject([
      { code: 'lease_over', blocking: false, data: { becomes: 'queued' } },
      { code: 'upkeep_asleep', blocking: false },
    ])
    expect(reasons[0]?.sentence).toMatch(
      /^The lease of worker w expired at .*; the next claim takes the job back and makes it queued\.$/,
    )
  })
})

describe('what keeps it', () => {
  it('the queue is paused: by whom, since when and why', async () => {
    const store = await pinnedStore()
    const id = await enqueue(store)
    await store.queues.pause('q', { actor: 'ann', reason: 'the bank is closed' })
    expect(await said(store, id)).toMatchObject([
      { code: 'queue_paused', blocking: true, data: { by: 'ann', reason: 'the bank is closed' } },
    ])
    expect((await said(store, id))[0]?.sentence).toBe(
      'The queue q has been paused since 2030-01-01 00:00:00+00 by ann (the bank is closed).',
    )
  })

  it('a job that ended says how, a retry says when', async () => {
    const store = await pinnedStore()
    const id = await enqueue(store)
    const [job] = await claim(store)
    if (job === undefined) throw new Error('nothing to claim')
    await store.work.finish([{ ...job, outcome: 'failed', error: new Error('no') }])
    expect((await said(store, id))[0]?.sentence).toMatch(/^It failed once and will be retried at 2030-01-01 /)
    await store.commands.cancel(id)
    expect((await said(store, id))[0]?.sentence).toMatch(/^The job was canceled at 2030-01-01 /)
  })
})

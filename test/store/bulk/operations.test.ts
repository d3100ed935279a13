import { expect, it } from 'vitest'
import { BULK_COMMANDS, bulkApplies } from '../../../src/domain/bulk.js'
import { STATES } from '../../../src/domain/states/states.js'
import { carryOut } from '../../../src/store/bulk/carry-out.js'
import { expectHealthy, freshStore, onEachDriver, pinnedStore } from '../../support/world.js'
import { failedJobs, statesOf } from './failed-jobs.js'

onEachDriver('bulk operations', (driver) => {
  it('retries every job that the search finds, with actor and reason in each history', async () => {
    const store = await freshStore(driver)
    const ids = await failedJobs(store, 7)
    const others = await failedJobs(store, 2, { kind: 'other' })
    const preview = await store.bulk.preview({ command: 'retry', q: 'state:failed kind:send' })
    expect(preview).toMatchObject({
      matched: 7,
      matchedCapped: false,
      applicable: 7,
      states: [{ state: 'failed', matched: 7, applicable: 7 }],
    })
    expect(preview.samples).toHaveLength(5)
    const { operation, created } = await store.bulk.start({
      command: 'retry',
      q: 'state:failed kind:send',
      actor: 'ada',
      reason: 'the bank is back',
    })
    expect(created).toBe(true)
    expect(operation).toMatchObject({ state: 'waiting', expected: 7, progress: 0, createdBy: 'ada' })
    expect(await carryOut(store.bulk, { runner: 'a' })).toEqual({ id: operation.id, jobs: 7, more: true })
    expect(await store.bulk.get(operation.id)).toMatchObject({
      state: 'done',
      matched: 7,
      done: 7,
      failed: 0,
      progress: 1,
      runner: null,
      reason: 'the bank is back',
    })
    expect(await statesOf(store, ids)).toEqual({ queued: 7 })
    expect(await statesOf(store, others)).toEqual({ failed: 2 })
    const results = await store.bulk.results(operation.id)
    expect(results.map(({ jobId }) => jobId)).toEqual(ids.toReversed())
    expect(results[0]).toMatchObject({ ok: true, state: 'queued', code: null })
    const { events } = await store.read.history(ids[0] as number)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'retried', actor: 'ada', reason: 'the bank is back' }),
    )
    expect(await carryOut(store.bulk, { runner: 'a' })).toEqual({ jobs: 0, more: false })
    await expectHealthy(store)
  })

  it('records for each job that refuses why, and changes the others', async () => {
    const store = await freshStore(driver)
    const failed = await failedJobs(store, 6, { fields: (i) => (i % 2 === 0 ? { key: `k${i}` } : {}) })
    // Two of the keys are taken by live jobs.
    await store.enqueueMany([
      { queue: 'mail', kind: 'send', key: 'k0' },
      { queue: 'mail', kind: 'send', key: 'k4' },
    ])
    const { operation } = await store.bulk.start({ command: 'retry', q: 'kind:send' })
    await carryOut(store.bulk, { runner: 'a' })
    expect(await store.bulk.get(operation.id)).toMatchObject({
      state: 'done',
      matched: 8,
      done: 4,
      failed: 4,
    })
    const refused = await store.bulk.results(operation.id, { ok: false })
    expect(refused.map(({ code, state }) => [code, state])).toEqual([
      ['wrong_state', 'queued'],
      ['wrong_state', 'queued'],
      ['key_taken', 'failed'],
      ['key_taken', 'failed'],
    ])
    expect(refused.at(-1)).toMatchObject({ jobId: failed[0], detail: expect.stringContaining('key') })
    expect(await statesOf(store, failed)).toEqual({ queued: 4, failed: 2 })
    await expectHealthy(store)
  })

  it('applies to the jobs of the moment it was previewed, not to later ones', async () => {
    const store = await pinnedStore(driver)
    const before = await failedJobs(store, 2)
    const [running] = await store.enqueueMany([{ queue: 'mail', kind: 'send' }])
    const { until, matched } = await store.bulk.preview({ command: 'retry', q: 'state:failed' })
    expect(matched).toBe(2)
    await store.clock.advance(1_000)
    // One is created later, one was there but failed later.
    const later = await failedJobs(store, 1)
    const { operation } = await store.bulk.start({ command: 'retry', q: 'state:failed', until })
    await carryOut(store.bulk, { runner: 'a' })
    expect(await store.bulk.get(operation.id)).toMatchObject({ state: 'done', matched: 2, done: 2 })
    expect(await statesOf(store, before)).toEqual({ queued: 2 })
    expect(await statesOf(store, [...later, running?.jobId as number])).toEqual({ failed: 2 })
  })

  it('returns the same operation for the same idempotency key, and refuses another body', async () => {
    const store = await freshStore(driver)
    const ask = (q: string) => store.bulk.start({ command: 'retry', q, idempotencyKey: 'k' })
    const first = await ask('state:failed')
    expect(await ask('state:failed')).toEqual({ operation: first.operation, created: false })
    await expect(ask('state:canceled')).rejects.toMatchObject({ code: 'idempotency_mismatch' })
    expect(await store.bulk.list()).toHaveLength(1)
  })

  it('aborts between pages: what is done stays, and no further job changes', async () => {
    const store = await freshStore(driver)
    const ids = await failedJobs(store, 4)
    const { operation } = await store.bulk.start({ command: 'retry', q: 'state:failed' })
    const taken = await store.bulk.take('a')
    expect(taken).toMatchObject({ id: operation.id, page: 0, cursor: null })
    if (taken === undefined) throw new Error('not taken')
    expect(await store.bulk.apply(taken, 'a', ids.slice(2), 'more')).toEqual({
      state: 'running',
      jobs: 2,
      applied: true,
      queues: ['mail'],
    })
    const aborted = await store.bulk.abort(operation.id, { actor: 'ada', reason: 'wrong search' })
    expect(aborted).toMatchObject({
      state: 'aborted',
      done: 2,
      abortedBy: 'ada',
      abortReason: 'wrong search',
    })
    expect(await store.bulk.apply({ ...taken, page: 1 }, 'a', ids.slice(0, 2), null)).toBeUndefined()
    expect(await statesOf(store, ids)).toEqual({ queued: 2, failed: 2 })
    await expect(store.bulk.abort(operation.id)).rejects.toMatchObject({ code: 'bulk_ended' })
    await expect(store.bulk.abort(99)).rejects.toMatchObject({ code: 'unknown_bulk' })
  })

  it('gives an operation to one process at a time, and to the next once that one is gone', async () => {
    const store = await pinnedStore(driver)
    const ids = await failedJobs(store, 4)
    await store.bulk.start({ command: 'retry', q: 'state:failed' })
    const first = await store.bulk.take('a')
    if (first === undefined) throw new Error('not taken')
    expect(await store.bulk.take('b')).toBeUndefined()
    await store.bulk.apply(first, 'a', ids.slice(2), 'somewhere')
    // Each page prolongs the time.
    await store.clock.advance(14_999)
    expect(await store.bulk.take('b')).toBeUndefined()
    await store.clock.advance(1)
    const second = await store.bulk.take('b')
    expect(second).toMatchObject({ page: 1, cursor: 'somewhere', matched: 2 })
    if (second === undefined) throw new Error('not taken')
    // The first one is back, with the page that the second one has.
    expect(await store.bulk.apply({ ...first, page: 1 }, 'a', ids.slice(0, 2), null)).toBeUndefined()
    expect(await store.bulk.apply(second, 'b', ids, null)).toMatchObject({ state: 'done', jobs: 2 })
    // A page that is sent again changes nothing.
    expect(await store.bulk.apply(second, 'b', ids, null)).toBeUndefined()
    const [{ n } = { n: 0 }] = await store.database.query<{ n: number }>(
      "select count(*)::int as n from holdfast.event where type = 'retried'",
    )
    expect(n).toBe(4)
    await expectHealthy(store)
  })

  it('acts for its tenant only, whatever ids a page has', async () => {
    const store = await freshStore(driver)
    const own = await failedJobs(store, 2)
    const foreign = await failedJobs(store, 2, { tenant: 'other' })
    expect(await store.bulk.preview({ command: 'retry', q: 'state:failed' })).toMatchObject({ matched: 2 })
    const { operation } = await store.bulk.start({ command: 'retry', q: 'state:failed' })
    const taken = await store.bulk.take('a')
    if (taken === undefined) throw new Error('not taken')
    await store.bulk.apply(taken, 'a', [...own, ...foreign], null)
    expect(await statesOf(store, foreign)).toEqual({ failed: 2 })
    expect(await store.bulk.get(operation.id)).toMatchObject({ matched: 2, done: 2 })
    expect(await store.bulk.list({ tenant: 'other' })).toEqual([])
  })

  it('counts up to its limit and says so: one below, at it, one above', async () => {
    const store = await freshStore(driver)
    await failedJobs(store, 4)
    const count = async (max: number) => {
      const { matched, matchedCapped } = await store.bulk.preview(
        { command: 'retry', q: 'state:failed' },
        max,
      )
      return [matched, matchedCapped]
    }
    expect(await count(5)).toEqual([4, false])
    expect(await count(4)).toEqual([4, false])
    expect(await count(3)).toEqual([3, true])
  })

  it('ends at the limit of jobs and says that more may match', async () => {
    const store = await freshStore(driver)
    const ids = await failedJobs(store, 4)
    const run = async (jobsMax: number, next: string | null) => {
      const { operation } = await store.bulk.start({ command: 'cancel', q: 'state:failed' })
      const taken = await store.bulk.take('a')
      if (taken === undefined) throw new Error('not taken')
      await store.database.query('select holdfast.apply_bulk($1, $2, 0, $3::bigint[], $4, $5)', [
        operation.id,
        'a',
        ids,
        next,
        jobsMax,
      ])
      const { state, matched, limitReached } = await store.bulk.get(operation.id)
      if (state === 'running') await store.bulk.abort(operation.id)
      return [state, matched, limitReached]
    }
    expect(await run(5, 'more')).toEqual(['running', 4, false])
    expect(await run(4, 'more')).toEqual(['done', 4, true])
    expect(await run(4, null)).toEqual(['done', 4, false])
    expect(await run(3, null)).toEqual(['done', 3, true])
  })

  it('refuses one more open operation than its limit', async () => {
    const store = await freshStore(driver)
    const start = () => store.bulk.start({ command: 'retry', q: 'state:failed' })
    for (let i = 0; i < 20; i++) await start()
    await expect(start()).rejects.toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'bulkOpenMax' },
    })
    await carryOut(store.bulk, { runner: 'a' })
    await start()
  })

  it('knows the states to which a command never applies as the rules have them', async () => {
    const store = await freshStore(driver)
    const rows = await store.database.query<{ command: string; state: string; may: boolean }>(
      `select c as command, s::text as state, holdfast.bulk_may_apply(c, s::text::holdfast.state) as may
       from unnest($1::text[]) c cross join unnest($2::text[]) s`,
      [BULK_COMMANDS, STATES],
    )
    for (const { command, state, may } of rows) {
      const applies = [true, false].some((attempted) =>
        [true, false].some((strict) =>
          bulkApplies(command as 'retry', { state: state as 'failed', attempted, strict }),
        ),
      )
      expect([command, state, may]).toEqual([command, state, applies])
    }
  })

  it('does to a job what the single command does, for every command', async () => {
    const store = await freshStore(driver)
    await store.queues.create('lane', { preset: 'target' })
    await store.queues.create('strict', { preset: 'pipeline' })
    const [head, behind] = await store.enqueueMany([
      { queue: 'lane', kind: 'x', target: 't' },
      { queue: 'lane', kind: 'x', target: 't' },
    ])
    const claimed = await store.work.claim({ queues: ['lane'], worker: 'w', limit: 1 })
    await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'failed', retryable: false })))
    const run = async (command: (typeof BULK_COMMANDS)[number], q: string, more = {}) => {
      const { operation } = await store.bulk.start({ command, q, ...more })
      await carryOut(store.bulk, { runner: 'a' })
      return store.bulk.results(operation.id)
    }
    expect(await run('resume', 'queue:lane state:errored')).toMatchObject([
      { jobId: head?.jobId, ok: true, state: 'queued' },
    ])
    expect(await run('skip', 'queue:lane state:waiting')).toMatchObject([
      { jobId: behind?.jobId, ok: true, state: 'canceled' },
    ])
    expect(await run('boost', 'queue:lane state:queued', { by: 7 })).toMatchObject([{ ok: true }])
    expect((await store.read.job(head?.jobId as number)).priority).toBe(7)
    expect(await run('priority', 'queue:lane state:queued', { priority: 42 })).toMatchObject([{ ok: true }])
    expect((await store.read.job(head?.jobId as number)).priority).toBe(42)
    expect(await run('discard', 'queue:lane state:queued')).toMatchObject([{ ok: true, state: 'failed' }])
    const [strict] = await store.enqueueMany([{ queue: 'strict', kind: 'x' }])
    const [asked] = await run('cancel', 'queue:strict kind:x')
    expect(asked).toMatchObject({ jobId: strict?.jobId, ok: true, state: 'queued' })
    expect(await store.read.job(asked?.newJobId as number)).toMatchObject({ kind: 'holdfast.cancel' })
    await expect(store.bulk.start({ command: 'priority', q: '' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/priority' },
    })
    await expectHealthy(store)
  })

  it('lets go of operations and results that ended longer ago than AUDIT_DAYS', async () => {
    const store = await pinnedStore(driver)
    await failedJobs(store, 3)
    const { operation } = await store.bulk.start({ command: 'retry', q: 'state:failed' })
    await carryOut(store.bulk, { runner: 'a' })
    const { operation: open } = await store.bulk.start({ command: 'retry', q: 'state:failed' })
    await store.clock.advance(90 * 86_400_000)
    await store.upkeep.pruneRecords()
    expect(await store.bulk.results(operation.id)).toHaveLength(3)
    await store.clock.advance(1_000)
    await store.upkeep.pruneRecords({ limit: 2 })
    expect(await store.bulk.results(operation.id)).toHaveLength(1)
    await store.upkeep.pruneRecords({ limit: 2 })
    expect((await store.bulk.list()).map(({ id }) => id)).toEqual([open.id])
  })
})

/** A worker that could not renew its lease gives it up: what had begun is lost, as when the lease has expired. So it is for any reason but a shutdown. */
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, onEachDriver, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 10_000
const GIVEN_UP = 'lease given up'

/** As after a restart of the server at this moment. */
async function restarted({ database, clock }: World): Promise<void> {
  const at = (await clock.now()).toISOString()
  await database.script(`create or replace function holdfast.accepting_writes_since() returns timestamptz language sql stable
    as $$ select '${at}'::timestamptz $$`)
}

type Kind = 'target' | 'default' | 'counted'

/** Two jobs of a worker: it has begun the first, and holds the second. */
async function holding(store: World, kind: Kind) {
  const counted = { preset: 'default', policy: { onLeaseLost: 'count' } } as const
  await store.queues.create('q', kind === 'counted' ? counted : { preset: kind })
  await store.enqueueMany(['a', 'b'].map((target) => ({ queue: 'q', kind: 'k', target })))
  const { lease } = await store.work.openLease('w', LEASE_MS)
  const jobs = await store.work.claim({ worker: 'w', lease, queues: ['q'], limit: 2, startNow: 1 })
  expect(jobs.map(({ unstarted }) => unstarted)).toEqual([false, true])
  const [begun, unstarted] = jobs as [ClaimedJob, ClaimedJob]
  return { lease, begun: begun.jobId, unstarted: unstarted.jobId }
}

const lastOf = async (store: World, id: number) => (await store.read.attempts(id)).at(-1)

onEachDriver('a lease that its worker gives up', (driver) => {
  it.each<[Kind, object, object]>([
    ['target', { state: 'errored', reason: GIVEN_UP, losses: 1 }, { movedTo: 'errored' }],
    ['default', { state: 'queued', losses: 1, failures: 0 }, { movedTo: 'queued' }],
    ['counted', { state: 'queued', losses: 1, failures: 1 }, { movedTo: 'queued' }],
  ])('what had begun is lost, and what had not is released uncharged: queue %s', async (kind, job, row) => {
    for (const listed of [true, false]) {
      const store = await pinnedStore(driver)
      const { lease, begun, unstarted } = await holding(store, kind)
      expect(await store.work.closeLease(lease, GIVEN_UP, ...(listed ? [[begun]] : []))).toBe(2)
      expect(await store.read.job(begun)).toMatchObject(job)
      expect(await lastOf(store, begun)).toMatchObject({ outcome: 'lost', reason: GIVEN_UP, ...row })
      expect(await store.read.job(unstarted)).toMatchObject({ state: 'queued', losses: 0, failures: 0 })
      expect(await lastOf(store, unstarted)).toMatchObject({ outcome: 'released', reason: GIVEN_UP })
      await expectHealthy(store)
    }
  })

  it('the loss that used up the retries or the crash budget has an error that says the lease was given up', async () => {
    for (const [kind, change, reason, message] of [
      ['counted', { maxRetries: 0 }, 'exhausted', 'The lease was given up on attempt 1 of 1.'],
      [
        'default',
        { crashBudget: 1 },
        'crashed',
        'The lease was lost 1 times in a row, which is the crash budget of the queue.',
      ],
    ] as const) {
      const store = await pinnedStore(driver)
      const { lease, begun } = await holding(store, kind)
      await store.queues.setPolicy('q', change)
      await store.work.closeLease(lease, GIVEN_UP, [begun])
      expect(await store.read.job(begun)).toMatchObject({ state: 'failed', reason })
      expect(await lastOf(store, begun)).toMatchObject({
        outcome: 'lost',
        reason,
        errorClass: 'LeaseGivenUp',
        errorMessage: message,
      })
      await expectHealthy(store)
    }
  })

  it('a cancel that was requested decides over the loss, and only a shutdown pauses without one', async () => {
    const canceled = await pinnedStore(driver)
    const asked = await holding(canceled, 'target')
    await canceled.commands.cancel(asked.begun)
    await canceled.work.closeLease(asked.lease, GIVEN_UP, [asked.begun])
    const interrupted = { state: 'paused', reason: 'Job was interrupted by user', losses: 0 }
    expect(await canceled.read.job(asked.begun)).toMatchObject(interrupted)

    const stopped = await pinnedStore(driver)
    const held = await holding(stopped, 'target')
    await stopped.work.closeLease(held.lease, 'shutdown', [held.begun])
    expect(await stopped.read.job(held.begun)).toMatchObject({ state: 'paused', reason: 'shutdown' })
    expect(await lastOf(stopped, held.begun)).toMatchObject({ outcome: 'released' })
    for (const store of [canceled, stopped]) await expectHealthy(store)
  })

  it.each<[Kind, string | undefined, object, object]>([
    [
      'target',
      undefined,
      { state: 'paused', reason: 'shutdown' },
      { outcome: 'released', reason: 'shutdown' },
    ],
    [
      'target',
      'shutdown',
      { state: 'paused', reason: 'shutdown' },
      { outcome: 'released', reason: 'shutdown' },
    ],
    [
      'target',
      'by hand',
      { state: 'errored', reason: 'by hand', losses: 1 },
      { outcome: 'lost', reason: 'by hand' },
    ],
    ['default', 'shutdown', { state: 'queued', losses: 0 }, { outcome: 'released', reason: 'shutdown' }],
    ['default', 'by hand', { state: 'queued', losses: 1 }, { outcome: 'lost', reason: 'by hand' }],
    ['counted', 'by hand', { failures: 1 }, { errorMessage: 'The lease was closed on attempt 1 of 5.' }],
  ])(
    'a shutdown pauses or releases, any other reason to close a lease is a loss: queue %s, reason %s',
    async (kind, reason, job, row) => {
      const store = await pinnedStore(driver)
      const { lease, begun, unstarted } = await holding(store, kind)
      expect(await store.work.closeLease(lease, reason, [begun])).toBe(2)
      expect(await store.read.job(begun)).toMatchObject(job)
      expect(await lastOf(store, begun)).toMatchObject(row)
      expect(await store.read.job(unstarted)).toMatchObject({ state: 'queued', losses: 0, failures: 0 })
      await expectHealthy(store)
    },
  )

  it.each<[Kind, object]>([
    ['default', { state: 'queued', losses: 0, failures: 0 }],
    ['counted', { state: 'queued', losses: 0, failures: 0 }],
    ['target', { state: 'errored', reason: GIVEN_UP }],
  ])('right after an outage of the database no loss is counted: queue %s', async (kind, job) => {
    const store = await pinnedStore(driver)
    const { lease, begun } = await holding(store, kind)
    await restarted(store)
    await store.clock.advance(LEASE_MS - 1)
    await store.work.closeLease(lease, GIVEN_UP, [begun])
    expect(await store.read.job(begun)).toMatchObject(job)
    await expectHealthy(store)
  })
})

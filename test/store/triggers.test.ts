// The outbox: which moves of a job are told outside, by whom it is taken, and what becomes of rows that nobody needs.
import { beforeEach, describe, expect, it } from 'vitest'
import { onEachDriver, pinnedStore, secondStore, type World } from '../support/world.js'

const QUEUE = 'images'
const OF = { trigger: 'sqs' }
const MINUTE = 60_000

onEachDriver('the outbox', (driver) => {
  let store: World
  beforeEach(async () => {
    store = await pinnedStore(driver)
    await store.queues.create(QUEUE, {
      policy: { externalTrigger: 'sqs', maxRetries: 1, retryBaseMs: MINUTE },
    })
  })

  const enqueue = async (more: object = {}) =>
    (await store.enqueue({ queue: QUEUE, kind: 'k', ...more })).jobId
  /** Takes what is due and forgets it, so that the next look shows only what came after. */
  const told = async () => {
    const rows = await store.triggers.takeOutbox(OF)
    await store.triggers.settleSent(rows.map(({ id }) => ({ id, dueInMs: null })))
    return rows.filter(({ message }) => message !== null).map(({ jobId, message }) => [jobId, message])
  }
  const claim = async () => {
    const [job] = await store.work.claim({ worker: 'w', queues: [QUEUE] })
    if (job === undefined) throw new Error('there was nothing to claim')
    return job
  }
  const end = (outcome: 'succeeded' | 'failed' | 'released', more: object = {}) =>
    claim().then((job) => store.work.finish([{ ...job, outcome, ...more }]))

  it('tells of a job when it is made, when it comes back from its retry, and when it has failed for good', async () => {
    const jobId = await enqueue()
    expect(await told()).toEqual([[jobId, 'claimable']])
    await end('failed')
    expect(await told()).toEqual([])
    await store.clock.advance(2 * MINUTE)
    await store.upkeep.promote()
    expect(await told()).toEqual([[jobId, 'claimable']])
    await end('failed')
    expect(await told()).toEqual([[jobId, 'failed']])
    await store.commands.retry(jobId)
    expect(await told()).toEqual([[jobId, 'claimable']])
  })

  it('tells of a job that was given back, and of one whose lease ran out', async () => {
    const jobId = await enqueue()
    await told()
    await end('released')
    expect(await told()).toEqual([[jobId, 'claimable']])
    await claim()
    await store.clock.advance(2 * MINUTE)
    await store.upkeep.reclaim()
    expect(await told()).toEqual([[jobId, 'claimable']])
  })

  it.each([1, 2])(
    'tells of the next job of a target when it is let go, where %i may run at once',
    async (most) => {
      await store.queues.setPolicy(QUEUE, { maxRunningPerTarget: most })
      const jobs: number[] = []
      for (let n = 0; n <= most; n++) jobs.push(await enqueue({ target: 't' }))
      expect(await told()).toEqual(jobs.slice(0, most).map((jobId) => [jobId, 'claimable']))
      await end('succeeded')
      expect(await told()).toEqual([[jobs[most], 'claimable']])
    },
  )

  it('tells of a job that an operator discards while it waits for its retry', async () => {
    const jobId = await enqueue()
    await told()
    await end('failed')
    await store.commands.discard(jobId)
    expect(await told()).toEqual([[jobId, 'failed']])
  })

  it('says nothing of jobs that are set aside, of queues without a trigger, or of those of another', async () => {
    await store.queues.create('other', { policy: { externalTrigger: 'other' } })
    await enqueue({ pending: true })
    await enqueue({ delayMs: MINUTE })
    await store.enqueue({ queue: 'plain', kind: 'k' })
    await store.enqueue({ queue: 'other', kind: 'k' })
    expect(await told()).toEqual([])
    expect(await store.triggers.takeOutbox({ trigger: 'other' })).toHaveLength(1)
    expect(await store.triggers.takeOutbox({ ...OF, tenant: 'another' })).toEqual([])
  })

  it('drops what needs no word any more, and says a job once that stands there twice', async () => {
    const first = await enqueue()
    await end('succeeded')
    const second = await enqueue()
    await end('released')
    const rows = await store.triggers.takeOutbox(OF)
    expect(rows.filter(({ message }) => message !== null).map(({ jobId }) => jobId)).toEqual([second])
    expect(rows.filter(({ message }) => message === null).map(({ jobId }) => jobId)).toEqual([first, second])
    expect(await store.triggers.depth(OF)).toMatchObject({ unsent: 1, sent: 0 })
  })

  it('gives a row to one taker for its time, and again to anybody when that is over', async () => {
    await enqueue()
    expect(await store.triggers.takeOutbox(OF, { holdMs: MINUTE })).toHaveLength(1)
    await store.clock.advance(MINUTE - 1)
    expect(await store.triggers.takeOutbox(OF)).toHaveLength(0)
    await store.clock.advance(1)
    expect(await store.triggers.takeOutbox(OF)).toMatchObject([{ sends: 0 }])
  })

  it('looks at what was sent once more after its time, as long as the job waits', async () => {
    const jobId = await enqueue()
    const again = async () => {
      const rows = await store.triggers.takeOutbox(OF)
      await store.triggers.settleSent(rows.map(({ id }) => ({ id, dueInMs: MINUTE })))
      return rows.map(({ sends, message }) => [sends, message])
    }
    expect(await again()).toEqual([[0, 'claimable']])
    expect(await again()).toEqual([])
    expect(await store.triggers.depth(OF)).toEqual({ unsent: 0, sent: 1, oldestAt: null })
    await store.clock.advance(MINUTE)
    expect(await again()).toEqual([[1, 'claimable']])
    await end('succeeded')
    await store.clock.advance(MINUTE)
    expect(await again()).toEqual([[null, null]])
    expect(await store.triggers.requeue([jobId])).toEqual([])
  })

  it('says once that a job has failed, also where an earlier word of it is looked at again', async () => {
    const jobId = await enqueue({ maxRetries: 0 })
    const [first] = await store.triggers.takeOutbox(OF)
    await store.triggers.settleSent([{ id: first?.id as number, dueInMs: MINUTE }])
    await end('failed')
    expect(await told()).toEqual([[jobId, 'failed']])
    await store.clock.advance(MINUTE)
    expect(await store.triggers.takeOutbox(OF)).toMatchObject([{ jobId, message: null }])
    expect(await store.triggers.depth(OF)).toMatchObject({ unsent: 0, sent: 0 })
  })

  it('keeps the words of a paused queue until it goes on', async () => {
    await store.queues.pause(QUEUE)
    const jobId = await enqueue()
    expect(await told()).toEqual([])
    await store.queues.resume(QUEUE)
    expect(await told()).toEqual([[jobId, 'claimable']])
  })

  it('has claimable jobs told again when asked, also those whose row is gone, and no others', async () => {
    const [waits, runs] = [await enqueue(), await enqueue()]
    await store.work.claimById(runs, { worker: 'w' })
    await told()
    expect(await store.triggers.requeue([waits, runs, 999], MINUTE)).toEqual([waits])
    expect(await told()).toEqual([])
    await store.clock.advance(MINUTE)
    expect(await told()).toEqual([[waits, 'claimable']])
  })

  it('writes down jobs that waited when their queue got its trigger, each once', async () => {
    await store.queues.create('late')
    const { jobId } = await store.enqueue({ queue: 'late', kind: 'k' })
    await store.queues.setPolicy('late', { externalTrigger: 'sqs' })
    expect(await store.triggers.backfill(OF)).toBe(1)
    expect(await store.triggers.backfill(OF)).toBe(0)
    expect(await told()).toEqual([[jobId, 'claimable']])
  })

  it('forgets words that nobody took for as long as events are kept', async () => {
    await enqueue()
    await store.upkeep.pruneRecords({ eventsMs: MINUTE })
    expect(await store.triggers.depth(OF)).toMatchObject({ unsent: 1 })
    await store.clock.advance(MINUTE + 1)
    await store.upkeep.pruneRecords({ eventsMs: MINUTE })
    expect(await store.triggers.depth(OF)).toMatchObject({ unsent: 0 })
  })
})

onEachDriver('of failed jobs', (driver) => {
  it('those want a dead letter that failed long enough ago, were not made again, and have no row', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create(QUEUE, {
      preset: 'pipeline',
      policy: { externalTrigger: 'sqs', maxRetries: 0 },
    })
    const make = async () => (await store.enqueue({ queue: QUEUE, kind: 'k' })).jobId
    const ids = [await make(), await make(), await make(), await make()]
    const [untold, waits, again, alive] = ids as [number, number, number, number]
    const jobs = await store.work.claim({ worker: 'w', queues: [QUEUE], limit: 3 })
    await store.work.finish(jobs.map((job) => ({ ...job, outcome: 'failed' as const })))
    const rows = await store.triggers.takeOutbox(OF)
    const sent = rows.filter(({ jobId }) => jobId !== waits)
    await store.triggers.settleSent(sent.map(({ id }) => ({ id, dueInMs: null })))
    // What was sent before it failed says nothing of that.
    await store.database.query(
      `insert into holdfast.outbox (job_id, queue_id, created_at, trigger, sends, due_at)
       select j.id, j.queue_id, holdfast.now(), 'sqs', 1, 'infinity' from holdfast.job j where j.id = $1`,
      [untold],
    )
    await store.commands.retry(again)
    const found = () => store.triggers.failedWithoutDeadLetter([...ids, untold, 999], MINUTE)
    await store.clock.advance(MINUTE - 1)
    expect(await found()).toEqual([])
    await store.clock.advance(1)
    expect(await found()).toEqual([untold])
    await store.clock.advance(1)
    expect(await found()).toEqual([untold])
    expect(await store.read.job(alive)).toMatchObject({ state: 'queued' })
  })
})

onEachDriver('the turn to compare dead letters', (driver) => {
  const EVERY = 10 * MINUTE

  it('is one caller’s for as long as it has it, and then anybody’s when the time it has set is over', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create(QUEUE, { policy: { externalTrigger: 'sqs' } })
    expect(await store.triggers.claimReconcileTurn(OF, MINUTE)).toBe(0)
    await store.clock.advance(MINUTE - 1)
    expect(await store.triggers.claimReconcileTurn(OF, MINUTE)).toBe(1)
    await store.clock.advance(1)
    expect(await store.triggers.claimReconcileTurn(OF, MINUTE)).toBe(0)
    await store.triggers.setReconcileTurn(OF, EVERY)
    expect(await store.triggers.claimReconcileTurn(OF, MINUTE)).toBe(EVERY)
    await store.clock.advance(EVERY)
    expect(await store.triggers.claimReconcileTurn(OF, MINUTE)).toBe(0)
  })

  it('is of one tenant and trigger, and of nobody where no queue has it', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create(QUEUE, { policy: { externalTrigger: 'sqs' } })
    await store.queues.create(QUEUE, { policy: { externalTrigger: 'sqs' }, tenant: 'acme' })
    expect(await store.triggers.claimReconcileTurn(OF, MINUTE)).toBe(0)
    expect(await store.triggers.claimReconcileTurn({ ...OF, tenant: 'acme' }, MINUTE)).toBe(0)
    expect(await store.triggers.claimReconcileTurn({ trigger: 'other' }, MINUTE)).toBe(MINUTE)
  })
})

describe('two relays at once', () => {
  it('never both have the turn to compare dead letters', async () => {
    const store = await pinnedStore()
    await store.queues.create(QUEUE, { policy: { externalTrigger: 'sqs' } })
    const other = await secondStore(store)
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        [store, other, store, other].map((each) => each.triggers.claimReconcileTurn(OF, MINUTE)),
      )
      expect(answers.filter((ms) => ms === 0)).toHaveLength(1)
      await store.clock.advance(MINUTE)
    }
  })

  it('never take the same row', async () => {
    const store = await pinnedStore()
    await store.queues.create(QUEUE, { policy: { externalTrigger: 'sqs' } })
    await store.enqueueMany(Array.from({ length: 300 }, () => ({ queue: QUEUE, kind: 'k' })))
    const other = await secondStore(store)
    const taken = await Promise.all(
      [store, other, store, other].map((each) => each.triggers.takeOutbox(OF, { limit: 100 })),
    )
    const ids = taken.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

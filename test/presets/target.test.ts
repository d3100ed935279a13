// The target preset: targets, one claim at a time each, cancel and resume.
import type { ClaimedJob, Outcome, Store } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { taken } from '../support/claims.js'
import { type Served, serve } from '../support/http.js'
import { readJob } from '../support/readings.js'
import { expectHealthy, pinnedStore, secondStore, type World } from '../support/world.js'

const QUEUE = 'conversations'
const SECOND = 1_000
const INTERRUPTED = 'Job was interrupted by user'

let store: World
let served: Served<World>
beforeEach(async () => {
  store = await pinnedStore()
  served = await serve(store)
  await store.queues.create(QUEUE, { preset: 'target' })
})

const makeJob = async (target: string, more = {}) =>
  (await store.enqueue({ queue: QUEUE, kind: 'converse', target, ...more })).jobId

const claim = async (from: Store = store, worker = 'w1'): Promise<ClaimedJob | undefined> =>
  (await from.work.claim({ worker, queues: [QUEUE] }))[0]

const claimOne = async () => taken(await claim())

const end = async (job: ClaimedJob, outcome: Outcome, more = {}) => {
  const [ended] = await store.work.finish([{ ...job, outcome, ...more }])
  expect(ended?.accepted).toBe(true)
}

const status = async (jobId: number) => (await readJob(served, jobId)).status

/** A job of its own target in each status, with the claim where it is running. */
async function oneOfEach() {
  const begun = async (target: string) => {
    await makeJob(target)
    return claimOne()
  }
  const paused = await begun('paused')
  await store.commands.cancel(paused.jobId)
  await end(paused, 'canceled')
  const errored = await begun('errored')
  await end(errored, 'failed', { error: new Error('model refused') })
  const succeeded = await begun('succeeded')
  await end(succeeded, 'succeeded')
  const running = await begun('running')
  return {
    running,
    ids: {
      RUNNING: running.jobId,
      PAUSED: paused.jobId,
      ERROR: errored.jobId,
      SUCCESS: succeeded.jobId,
      PENDING: await makeJob('pending', { pending: true }),
      QUEUED: await makeJob('queued'),
    },
  }
}

it('S3.01 the seven statuses; an exception is ERROR at once, with its reason and without a retry', async () => {
  const { ids } = await oneOfEach()
  for (const [word, jobId] of Object.entries(ids)) expect(await status(jobId)).toBe(word)
  expect(await store.read.job(ids.ERROR)).toMatchObject({
    state: 'errored',
    reason: 'model refused',
    attempt: 1,
  })
  expect(await store.read.job(ids.PAUSED)).toMatchObject({ reason: INTERRUPTED })
  await store.clock.advance(48 * 3_600 * SECOND)
  await store.upkeep.promote()
  expect(await status(ids.ERROR)).toBe('ERROR')
  await expectHealthy(store)
})

it('S3.01 cancel: PENDING, QUEUED, PAUSED and ERROR → CANCELED, RUNNING → PAUSED, SUCCESS stays', async () => {
  const { ids, running } = await oneOfEach()
  for (const word of ['PENDING', 'QUEUED', 'PAUSED', 'ERROR'] as const) {
    expect(await store.commands.cancel(ids[word])).toMatchObject({ result: 'canceled' })
    expect(await status(ids[word])).toBe('CANCELED')
  }
  expect(await store.commands.cancel(ids.RUNNING)).toMatchObject({ result: 'requested' })
  expect(await status(ids.RUNNING)).toBe('RUNNING')
  await end(running, 'canceled')
  expect(await status(ids.RUNNING)).toBe('PAUSED')
  expect(await store.read.job(ids.RUNNING)).toMatchObject({ reason: INTERRUPTED })
  expect(await store.commands.cancel(ids.SUCCESS)).toMatchObject({ result: 'already_ended' })
  expect(await status(ids.SUCCESS)).toBe('SUCCESS')
  await expectHealthy(store)
})

it('S3.02 a job is created PENDING and cannot be claimed; enqueue_job makes it QUEUED, once', async () => {
  const jobId = await makeJob('alice', { pending: true })
  expect(await status(jobId)).toBe('PENDING')
  expect(await claim()).toBeUndefined()
  expect(await store.work.claimById(jobId, { worker: 'w1' })).toBeUndefined()
  expect(await store.publish(jobId)).toBe('queued')
  expect(await status(jobId)).toBe('QUEUED')
  await expect(store.publish(jobId)).rejects.toMatchObject({
    code: 'wrong_state',
    details: { state: 'queued' },
  })
  await expect(store.publish(404)).rejects.toMatchObject({ code: 'unknown_job' })
  expect(await claimOne()).toMatchObject({ jobId })
})

it('S3.02 a PENDING job does not block its target: it takes its place when it is enqueued', async () => {
  const [made, first] = [await makeJob('alice', { pending: true }), await makeJob('alice')]
  expect(await store.publish(made)).toBe('waiting')
  expect(await status(made)).toBe('QUEUED')
  const job = await claimOne()
  expect(job.jobId).toBe(first)
  await end(job, 'succeeded')
  expect(await claimOne()).toMatchObject({ jobId: made })
})

it('S3.03 a claim takes the oldest QUEUED job whose target has no RUNNING, PAUSED or ERROR job', async () => {
  const alice = [await makeJob('alice'), await makeJob('alice')]
  const bob = [await makeJob('bob'), await makeJob('bob')]
  const a = await claimOne()
  const b = await claimOne()
  expect([a.jobId, b.jobId]).toEqual([alice[0], bob[0]])
  expect(await claim(), 'both targets are RUNNING').toBeUndefined()
  await end(a, 'failed', { error: new Error('no') })
  await store.commands.cancel(b.jobId)
  await end(b, 'canceled')
  expect(await claim(), 'one target is ERROR, the other PAUSED').toBeUndefined()
  const carol = await makeJob('carol')
  expect(await claimOne(), 'other targets go on').toMatchObject({ jobId: carol })
  await store.commands.resume(b.jobId)
  expect(await claimOne(), 'resumed: ahead of the one behind it').toMatchObject({ jobId: bob[0], attempt: 2 })
  await store.commands.skip(a.jobId)
  expect(await claimOne(), 'skipped: the next one').toMatchObject({ jobId: alice[1] })
  await expectHealthy(store)
})

it('S3.03 two processes never run two jobs of a target at once, and each target keeps its order', async () => {
  const other = await secondStore(store)
  const targets = ['a', 'b', 'c', 'd', 'e']
  const jobs = Array.from({ length: 100 }, (_, n) => ({
    queue: QUEUE,
    kind: 'converse',
    target: targets[n % 5] as string,
  }))
  await store.enqueueMany(jobs)
  const running = new Map<string, number>()
  const order: [string, number][] = []
  const work = async (from: Store, worker: string) => {
    while (order.length < jobs.length) {
      for (const job of await from.work.claim({ worker, queues: [QUEUE], limit: 3 })) {
        const target = job.target as string
        expect(running.get(target), `${target} is claimed twice`).toBeUndefined()
        running.set(target, job.jobId)
        order.push([target, job.jobId])
        // Let the others try before this one ends.
        await from.work.start([job])
        running.delete(target)
        await from.work.finish([{ ...job, outcome: 'succeeded' }])
      }
    }
  }
  await Promise.all([store, store, other, other].map((from, n) => work(from, `w${n}`)))
  for (const target of targets) {
    const ids = order.filter(([name]) => name === target).map(([, id]) => id)
    expect(ids).toEqual([...ids].sort((left, right) => left - right))
    expect(ids).toHaveLength(20)
  }
  await expectHealthy(store)
})

it('S3.03 a second RUNNING job of a target is refused by the table itself, whatever the verbs do', async () => {
  await makeJob('alice')
  await makeJob('alice')
  const { jobId } = await claimOne()
  const again = store.database.query(
    `insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures, losses, keyed, own_lease)
     select job_id + 1, lane, ord + 1, lease, claimed_at, queue_id, attempt, 0, worker_id, priority, 0, 0, false, own_lease from holdfast.running where job_id = $1`,
    [jobId],
  )
  await expect(again).rejects.toMatchObject({ code: 'invalid_input', message: /running_lane/ })
})

it('S3.04 a claim sets owner and lease, and cancel_requested reads false, also after an earlier cancel', async () => {
  const jobId = await makeJob('alice')
  expect(await store.read.job(jobId)).toMatchObject({ leaseOwner: null, leaseExpiresAt: null })
  const { lease } = await store.work.openLease('w1', 10 * SECOND)
  const claimUnder = () => store.work.claim({ worker: 'w1', lease, queues: [QUEUE] })
  const claimed = {
    leaseOwner: 'w1',
    cancelRequested: false,
    leaseExpiresAt: new Date('2030-01-01T00:00:10Z'),
  }
  const [first] = await claimUnder()
  expect(await store.read.job(jobId)).toMatchObject(claimed)
  await store.commands.cancel(jobId)
  expect(await store.read.job(jobId)).toMatchObject({ cancelRequested: true })
  await end(first as ClaimedJob, 'canceled')
  expect(await store.read.job(jobId)).toMatchObject({
    state: 'paused',
    leaseOwner: null,
    leaseExpiresAt: null,
  })
  await store.commands.resume(jobId)
  expect(await claimUnder()).toMatchObject([{ jobId, attempt: 2 }])
  expect(await store.read.job(jobId)).toMatchObject(claimed)
  expect(await store.work.renew([lease])).toMatchObject([{ alive: true, cancel: [] }])
})

it('S3.04 a cancel during a claim becomes a cancel request; a claim during a cancel gets nothing', async () => {
  const other = await secondStore(store)
  const first = await makeJob('alice')
  let cancel: Promise<unknown> | undefined
  await store.database.transaction(async (session) => {
    const queue = 'array[(select id from holdfast.queue where name = $1)]'
    await session.query(`select job_id from holdfast.claim('w1', null, ${queue})`, [QUEUE])
    cancel = other.commands.cancel(first)
    await cancelWaits()
  })
  expect(await cancel).toMatchObject({ result: 'requested' })
  expect(await store.read.job(first)).toMatchObject({ state: 'assigned', cancelRequested: true })

  const second = await makeJob('bob')
  await store.database.transaction(async (session) => {
    await session.query('select holdfast.cancel($1)', [second])
    expect(await claim(other)).toBeUndefined()
  })
  expect(await status(second)).toBe('CANCELED')
  expect(await claim()).toBeUndefined()
})

/** Asked outside the transaction, which would see the sessions as they were when it first looked. */
async function cancelWaits(): Promise<void> {
  for (;;) {
    const waiting = await store.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%holdfast.cancel%'`,
    )
    if (waiting.length > 0) return
  }
}

it('S3.04 of forty concurrent cancels and claims none is lost', async () => {
  const other = await secondStore(store)
  for (let round = 0; round < 40; round++) {
    const jobId = await makeJob(`t${round}`)
    const [answer, job] = await Promise.all([store.commands.cancel(jobId), claim(other)])
    if (answer.result === 'canceled') {
      expect(job, 'a canceled job never starts').toBeUndefined()
      expect(await status(jobId)).toBe('CANCELED')
    } else {
      expect(answer.result).toBe('requested')
      await end(job as ClaimedJob, 'failed', { error: new Error('late') })
      expect(await status(jobId), 'the cancel wins over a failure').toBe('PAUSED')
    }
  }
  await expectHealthy(store)
})

it('S3.08 an expired lease makes a RUNNING job ERROR, which blocks its target until an operator acts', async () => {
  const [first, second] = [await makeJob('alice'), await makeJob('alice')]
  const { lease } = await store.work.openLease('w1', 10 * SECOND)
  await store.work.claim({ worker: 'w1', lease, queues: [QUEUE] })
  await store.clock.advance(10 * SECOND - 1)
  expect(await store.upkeep.reclaim()).toBe(0)
  expect(await status(first)).toBe('RUNNING')
  await store.clock.advance(1)
  expect(await store.upkeep.reclaim()).toBe(1)
  expect(await store.read.job(first)).toMatchObject({
    state: 'errored',
    reason: 'lease expired',
    attempt: 1,
  })
  expect(await claim()).toBeUndefined()
  await store.commands.resume(first)
  const again = await claimOne()
  expect(again).toMatchObject({ jobId: first, attempt: 2, losses: 0 })
  await end(again, 'succeeded')
  expect(await claimOne()).toMatchObject({ jobId: second })
  await expectHealthy(store)
})

it('S3.08 a RUNNING job whose lease no longer exists becomes ERROR, too; in other presets it is queued again', async () => {
  const blocked = await makeJob('alice')
  await claimOne()
  const { jobId: elsewhere } = await store.enqueue({ queue: 'other', kind: 'converse' })
  await store.work.claim({ worker: 'w1', queues: ['other'] })
  await store.database.query('delete from holdfast.lease')
  expect(await store.upkeep.reclaim()).toBe(2)
  expect(await status(blocked)).toBe('ERROR')
  expect(await store.read.job(elsewhere)).toMatchObject({ state: 'queued', losses: 1 })
  await expectHealthy(store)
})

// The pipeline preset: who may do what to a job, and that the database refuses the rest. With roles installed.

import { LeaseLost } from 'holdfast'
import { type ClaimedJob, type Outcome, roleName, stateWord } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { taken } from '../support/claims.js'
import { type Login, login, sealedStore } from '../support/roles/sealed.js'
import { possessions } from '../support/roles/two-tenants.js'
import type { World } from '../support/world.js'

const QUEUE = 'images'
const PLACES = ['job', 'held', 'delayed', 'ready', 'running', 'attempt']
const DENIED = { code: 'forbidden' }

let store: World
let producer: Login
let worker: Login
let operator: Login
beforeEach(async () => {
  store = await sealedStore()
  await store.queues.create(QUEUE, { preset: 'pipeline' })
  producer = await login(store, 'producer', ['default'])
  worker = await login(store, 'worker', ['default'])
  operator = await login(store, 'operator', ['default'])
})

const makeJob = async () => (await producer.enqueue({ queue: QUEUE, kind: 'thumbnail' })).jobId

const claimOne = async (jobId: number) => taken(await worker.work.claimById(jobId, { worker: 'w1' }))

const end = async (job: ClaimedJob, outcome: Outcome, more = {}) => {
  const [ended] = await worker.work.finish([{ ...job, outcome, ...more }])
  expect(ended).toMatchObject({ accepted: true })
}

const wordOf = async (jobId: number) => {
  const job = await producer.read.job(jobId)
  return stateWord('pipeline', job.state, { attempted: job.attempt > 0 })
}

async function madeCompleted(): Promise<ClaimedJob> {
  const job = await claimOne(await makeJob())
  await end(job, 'succeeded')
  return job
}

async function madeFailed(): Promise<ClaimedJob> {
  const job = await claimOne(await makeJob())
  await end(job, 'failed', { retryable: false })
  return job
}

/** Every act that comes near a move of this job, with what it must hear. The fence is the one the worker once had, or a made-up one. */
function nearestVerbs(fence: {
  jobId: number
  attempt: number
  lease: number
}): [string, () => Promise<unknown>, unknown][] {
  const { jobId } = fence
  const refused = { code: 'wrong_state' }
  const ending = (outcome: Outcome) => async () => {
    const [answer] = await worker.work.finish([{ ...fence, outcome, retryable: outcome !== 'canceled' }])
    if (answer?.accepted === false) throw answer.error
  }
  const endings = (['succeeded', 'failed', 'canceled', 'snoozed', 'released', 'parked'] as const).map(
    (outcome): [string, () => Promise<unknown>, unknown] => [
      `finish ${outcome}`,
      ending(outcome),
      expect.any(LeaseLost),
    ],
  )
  return [
    ...endings,
    ['report done', () => worker.work.report({ ...fence, done: true }), expect.any(LeaseLost)],
    ['discard', () => worker.commands.discard(jobId), refused],
    ['cancel', () => producer.commands.cancel(jobId), { code: 'strict_queue' }],
    ['publish', () => producer.publish(jobId), refused],
    ['resume', () => operator.commands.resume(jobId), refused],
    ['skip', () => operator.commands.skip(jobId), refused],
    ['force_finish', () => operator.commands.forceFinish(jobId, 'failed'), { code: 'strict_queue' }],
  ]
}

async function expectRefused(
  acts: [string, () => Promise<unknown>, unknown][],
  jobId: number,
): Promise<void> {
  const before = await possessions(store)
  const word = await wordOf(jobId)
  for (const [name, act, refusal] of acts) {
    await expect(act(), name).rejects.toEqual(
      refusal instanceof Object && 'code' in refusal ? expect.objectContaining(refusal) : refusal,
    )
    expect(await wordOf(jobId), name).toBe(word)
  }
  expect(await possessions(store)).toEqual(before)
}

it.each(PLACES)('S2.02 no producer and no worker touches the table %s', async (place) => {
  const jobId = await makeJob()
  await claimOne(await makeJob())
  await madeCompleted()
  const before = await possessions(store)
  const id = place === 'job' ? 'id' : 'job_id'
  const [columns] = await store.database.query<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = $1::regclass and attnum > 0`,
    [`${store.schema}.${place}`],
  )
  for (const user of [producer, worker]) {
    for (const statement of [
      `select ${id} from holdfast.${place}`,
      `insert into holdfast.${place} select ${columns?.names} from holdfast.${place}`,
      `insert into holdfast.${place} (${id}) values (${jobId})`,
      `update holdfast.${place} set ${id} = ${id}`,
      `delete from holdfast.${place} where ${id} = ${jobId}`,
      `delete from holdfast.${place}`,
      `truncate holdfast.${place}`,
      `copy holdfast.${place} to stdout`,
      `alter table holdfast.${place} disable row level security`,
    ])
      await expect(user.database.query(statement), `${user.user}: ${statement}`).rejects.toMatchObject(DENIED)
  }
  expect(await possessions(store)).toEqual(before)
})

it('S2.02 completed -> any is refused by the nearest verb and changes no row', async () => {
  const fence = await madeCompleted()
  const again: [string, () => Promise<unknown>, unknown] = [
    'retry',
    () => operator.commands.retry(fence.jobId),
    { code: 'wrong_state' },
  ]
  // The very same end said again is no move: it is answered as before.
  const acts = nearestVerbs(fence).filter(([name]) => name !== 'finish succeeded')
  await expectRefused([...acts, again], fence.jobId)
  expect(await worker.work.claimById(fence.jobId, { worker: 'w2' })).toBeUndefined()
})

it('S2.02 failed -> any is refused by the nearest verb and changes no row; a retry is a new job', async () => {
  const fence = await madeFailed()
  const acts = nearestVerbs(fence).filter(([name]) => name !== 'finish failed')
  await expectRefused(acts, fence.jobId)
  expect(await worker.work.claimById(fence.jobId, { worker: 'w2' })).toBeUndefined()
  const again = await operator.commands.retry(fence.jobId)
  expect(again.jobId).not.toBe(fence.jobId)
  expect(await wordOf(fence.jobId)).toBe('failed')
})

it('S2.02 queued -> failed_retryable, failed or completed is refused by the nearest verb and changes no row', async () => {
  const jobId = await makeJob()
  for (const attempt of [0, 1]) await expectRefused(nearestVerbs({ jobId, attempt, lease: 1 }), jobId)
  const { lease } = await worker.work.openLease('w1', 60_000)
  await expectRefused(nearestVerbs({ jobId, attempt: 1, lease }), jobId)
})

it('S2.02 the connections that were refused make every legal move', async () => {
  const moves: string[] = []
  const move = async (jobId: number, act: () => Promise<unknown>) => {
    const from = await wordOf(jobId)
    await act()
    moves.push(`${from} -> ${await wordOf(jobId)}`)
  }
  await expect(worker.database.query('delete from holdfast.ready')).rejects.toMatchObject(DENIED)
  await expect(producer.database.query('delete from holdfast.ready')).rejects.toMatchObject(DENIED)
  const [done, dead, tried, given] = [await makeJob(), await makeJob(), await makeJob(), await makeJob()]
  let job: ClaimedJob | undefined
  const claim = (jobId: number) => async () => {
    job = await claimOne(jobId)
  }
  const say =
    (outcome: Outcome, more = {}) =>
    () =>
      end(job as ClaimedJob, outcome, more)
  await move(done, claim(done))
  await move(done, say('succeeded'))
  await move(dead, claim(dead))
  await move(dead, say('failed', { retryable: false }))
  for (const jobId of [tried, given]) {
    await move(jobId, claim(jobId))
    await move(jobId, say('failed'))
  }
  await store.clock.advance(3_600_000)
  await move(tried, claim(tried))
  await move(given, () => worker.commands.discard(given))
  expect(new Set(moves)).toEqual(
    new Set([
      'queued -> processing',
      'processing -> completed',
      'processing -> failed',
      'processing -> failed_retryable',
      'failed_retryable -> processing',
      'failed_retryable -> failed',
    ]),
  )
  await expect(store.read.violations()).resolves.toEqual([])
})

/** The document's words for what each may do, and the verbs that are needed for it. */
const verbs = (names: string) => names.split(' ')
const MAY = {
  producer: {
    create: verbs('create_queue declare_kinds enqueue enqueue_many publish wake'),
    read: verbs(
      'explain find_jobs search_ids read_keyword found_jobs facets_of queue_counts state_counts live_kinds find_targets related_jobs job_history all_levels state_word visible_queues visible_tenants now queue_of setting_number',
    ),
    'ask for cancellation': verbs('cancel'),
  },
  worker: {
    claim: verbs('claim claim_batch claim_by_id close_lease create_queue open_lease renew start'),
    'complete, fail': verbs('complete finish finish_succeeded locked_claims log_lines report'),
    // Going about it: that it is there, whether there is work, what it no longer knows of.
    'be one of many': verbs(
      'declare_kinds depth depth_by_kind has_work queue_ids record_scale release_unlisted remove_worker setting_number unpark wake work_terms worker_heartbeat',
    ),
    // Being told of jobs from outside, and passing it on.
    'be told': verbs(
      'outbox_settle outbox_counts states_of take_outbox outbox_requeue outbox_backfill triggered_queues',
    ),
    // A retry is a claim of a job that was tried before.
    retry: verbs('claim'),
    // Somebody asked for the end of a job: is it one of this queue?
    'give up': verbs('discard queue_of'),
  },
}

it.each(['producer', 'worker'] as const)(
  'S2.03 a %s may execute its verbs and nothing else',
  async (role) => {
    const found = await store.database.query<{ name: string; may: boolean }>(
      `select p.proname as name, has_function_privilege($2::name, p.oid, 'execute') as may from pg_proc p
     where p.pronamespace = $1::regnamespace order by 1`,
      [store.schema, roleName(role, store.schema)],
    )
    const allowed = [...new Set(Object.values(MAY[role]).flat())].sort()
    expect(found.filter(({ may }) => may).map(({ name }) => name)).toEqual(allowed)
    expect(found.filter(({ may }) => !may).length).toBeGreaterThan(20)
  },
)

it('S2.03 a producer enqueues, reads and requests cancellation; it cannot mark a job processing, completed or failed', async () => {
  const jobId = await makeJob()
  expect(await producer.read.job(jobId)).toMatchObject({ state: 'queued' })
  const job = await claimOne(jobId)
  const acts = [
    () => producer.work.claimById(jobId, { worker: 'api' }),
    () => producer.work.claim({ worker: 'api', queues: [QUEUE] }),
    () => producer.work.openLease('api', 60_000),
    () => producer.work.finish([{ ...job, outcome: 'succeeded' as const }]),
    () => producer.work.finish([{ ...job, outcome: 'failed' as const }]),
    () => producer.work.report({ ...job, done: true }),
    () => producer.commands.discard(jobId),
    () => producer.commands.retry(jobId),
    () => producer.commands.setPriority(jobId, 9),
    () => producer.upkeep.promote(),
    () => producer.queues.pause(QUEUE),
  ]
  for (const act of acts) await expect(act(), act.toString()).rejects.toMatchObject(DENIED)
  expect(await wordOf(jobId)).toBe('processing')

  const other = (await producer.enqueue({ queue: 'other', kind: 'k' })).jobId
  expect(await producer.commands.cancel(other)).toMatchObject({ result: 'canceled' })
  const running = (await producer.enqueue({ queue: 'other', kind: 'k' })).jobId
  await claimOne(running)
  expect(await producer.commands.cancel(running)).toMatchObject({ result: 'requested' })
  const asked = await producer.enqueue({ queue: QUEUE, kind: 'holdfast.cancel', input: { jobId } })
  expect(await wordOf(asked.jobId)).toBe('queued')
})

it('S2.03 a worker claims, completes, fails, retries and gives up; it cannot enqueue, cancel, read or operate', async () => {
  const jobId = await makeJob()
  const acts = [
    () => worker.enqueue({ queue: QUEUE, kind: 'k' }),
    () => worker.publish(jobId),
    () => worker.commands.cancel(jobId),
    () => worker.commands.retry(jobId),
    () => worker.commands.resume(jobId),
    () => worker.commands.skip(jobId),
    () => worker.commands.boost(jobId, 5),
    () => worker.read.job(jobId),
    () => worker.read.feed('all'),
    () => worker.upkeep.reclaim(),
    () => worker.upkeep.age(),
    () => worker.database.query(`select holdfast.grant_tenant(session_user::name, '*')`),
    () => worker.database.query('select holdfast.end_attempts(null, null, null, null, null, null)'),
    () => worker.database.query('select holdfast.withdraw($1)', [jobId]),
  ]
  for (const act of acts) await expect(act(), act.toString()).rejects.toMatchObject(DENIED)
  const job = await claimOne(jobId)
  await end(job, 'failed')
  expect(await wordOf(jobId)).toBe('failed_retryable')
  await store.clock.advance(3_600_000)
  await end(await claimOne(jobId), 'failed')
  expect(await worker.commands.discard(jobId)).toBe('failed')
  await madeCompleted()
})

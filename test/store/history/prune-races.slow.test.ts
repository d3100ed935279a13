import { expect, it } from 'vitest'
import {
  answerOf,
  type HandSession,
  openSession,
  openSessions,
  race,
  untilBlockedBy,
  waitsBehind,
} from '../../support/sessions.js'
import { expectHealthy, type World } from '../../support/world.js'
import { failedJob, fillAndAge, narrowWorld, oldJobs, runningJob, tables, WIDTH } from './old-range.js'

const prune = (session: HandSession) => session.upkeep.prune()

/** Prune as patient as a test needs it: who comes first is decided by the test, not by a tenth of a second. */
async function patient(world: World): Promise<void> {
  await world.database.script("alter function holdfast.prune() set lock_timeout = '30s'")
}

/**
 * Lets `act` happen and commit while prune stands between the list of what may go, which it has made, and its first lock, which
 * a writer of the range keeps from it.
 */
async function whilePruning(world: World, act: () => Promise<unknown>): Promise<unknown> {
  await patient(world)
  const [writer, pruner] = await openSessions(world, 2)
  await writer.begin()
  await writer.client.query(`lock table ${world.schema}.job_1 in row exclusive mode`)
  const pruned = answerOf(pruner.upkeep.prune())
  await untilBlockedBy(world, writer)
  await act()
  await writer.commit()
  return pruned
}

it('says itself that it waits a tenth of a second for its locks and no longer', async () => {
  const world = await narrowWorld()
  const [row] = await world.database.query<{ settings: string[] }>(
    "select proconfig as settings from pg_proc where oid = 'holdfast.prune()'::regprocedure",
  )
  expect(row?.settings).toContain('lock_timeout=100ms')
})

it('gives up when a reader keeps a transaction open, leaves all as it was, and succeeds once the reader is gone', async () => {
  const world = await narrowWorld()
  const running = await runningJob(world)
  await fillAndAge(world)
  const reader = await openSession(world)
  const before = await tables(world)
  for (const table of ['job', 'attempt', 'job_1', 'attempt_1']) {
    await reader.begin()
    await reader.client.query(`select count(*) from ${world.schema}.${table}`)
    // The answer comes while the reader is still there; waiting for it would wait for ever.
    expect(await world.upkeep.prune()).toBe(0)
    await reader.commit()
    expect(await tables(world)).toEqual(before)
    expect(await oldJobs(world)).toHaveLength(WIDTH)
  }
  expect(await world.upkeep.prune()).toBe(WIDTH - 1)
  expect(await oldJobs(world)).toEqual([running.jobId])
  await expectHealthy(world)
})

it('gives up while a retry of an old job is not committed, and drops the job only if it was rolled back', async () => {
  for (const end of ['commit', 'rollback'] as const) {
    const world = await narrowWorld()
    const failed = await failedJob(world, { key: 'k' })
    await fillAndAge(world)
    const operator = await openSession(world)
    await operator.begin()
    await operator.commands.retry(failed)
    expect(await world.upkeep.prune()).toBe(0)
    await operator[end]()
    expect((await world.read.job(failed)).state).toBe(end === 'commit' ? 'queued' : 'failed')
    await expectHealthy(world)
    expect(await world.upkeep.prune()).toBe(end === 'commit' ? WIDTH - 1 : WIDTH)
    await expectHealthy(world)
  }
})

it('keeps the job when it has waited for the retry to commit', async () => {
  const world = await narrowWorld()
  const failed = await failedJob(world, { key: 'k' })
  await fillAndAge(world)
  await patient(world)
  const { second, waited } = await race(world, (session) => session.commands.retry(failed), prune)
  expect({ second, waited }).toEqual({ second: WIDTH - 1, waited: true })
  expect((await world.read.job(failed)).state).toBe('queued')
  await expectHealthy(world)
})

it('tells a retry that came second that the job is not known; after a rollback the retry finds it', async () => {
  for (const end of ['commit', 'rollback'] as const) {
    const world = await narrowWorld()
    const failed = await failedJob(world, { key: 'k' })
    await fillAndAge(world)
    const { first, second, waited } = await race(world, prune, (session) => session.commands.retry(failed), {
      end,
    })
    expect({ first, waited }).toEqual({ first: WIDTH, waited: true })
    expect(second).toMatchObject(end === 'commit' ? { code: 'unknown_job' } : { state: 'queued' })
    await expectHealthy(world)
  }
})

it('keeps a job that came back after the list of what may go was made, with its progress', async () => {
  const world = await narrowWorld()
  const job = await runningJob(world, { maxRetries: 0, key: 'k' })
  await world.work.report({ ...job, cursor: { page: 3 } })
  await world.work.finish([{ ...job, outcome: 'failed', error: { message: 'no' } }])
  await fillAndAge(world)
  const pruned = await whilePruning(world, () => world.commands.retry(job.jobId))
  expect(pruned).toBe(WIDTH - 1)
  expect(await world.read.job(job.jobId)).toMatchObject({ state: 'queued', lastCursor: { page: 3 } })
  expect(await world.read.attempts(job.jobId)).toHaveLength(1)
  await expectHealthy(world)
})

it('keeps a job that came back and failed once more after the list was made: it ended lately', async () => {
  const world = await narrowWorld()
  const failed = await failedJob(world)
  await fillAndAge(world)
  const pruned = await whilePruning(world, async () => {
    await world.commands.retry(failed)
    const { lease } = await world.work.openLease('w2', 60_000)
    const job = await world.work.claimById(failed, { worker: 'w2', lease })
    await world.work.finish([{ ...(job as NonNullable<typeof job>), outcome: 'failed', retryable: false }])
  })
  expect(pruned).toBe(WIDTH - 1)
  expect((await world.read.attempts(failed)).map(({ attempt, final }) => [attempt, final])).toEqual([
    [1, false],
    [2, true],
  ])
  await expectHealthy(world)
})

it('keeps the end of an old job that finished after the list was made', async () => {
  const world = await narrowWorld()
  const running = await runningJob(world, { key: 'k', target: 't' })
  await fillAndAge(world)
  const pruned = await whilePruning(world, () =>
    world.work.finish([{ ...running, outcome: 'succeeded', result: { n: 1 } }]),
  )
  expect(pruned).toBe(WIDTH - 1)
  expect(await world.read.job(running.jobId)).toMatchObject({ state: 'succeeded', result: { n: 1 } })
  await expectHealthy(world)
})

it('never loses the end of an old job that finishes at the same time, in either order', async () => {
  for (const order of ['finish first', 'prune first']) {
    const world = await narrowWorld()
    const running = await runningJob(world, { key: 'k', target: 't' })
    await fillAndAge(world)
    await patient(world)
    const finish = (session: HandSession) => session.work.finish([{ ...running, outcome: 'succeeded' }])
    const { first, second, waited } =
      order === 'finish first' ? await race(world, finish, prune) : await race(world, prune, finish)
    const [pruned, ended] = order === 'finish first' ? [second, first] : [first, second]
    expect(ended).toMatchObject([{ accepted: true, state: 'succeeded' }])
    expect({ pruned, waited }).toEqual({ pruned: WIDTH - 1, waited: true })
    expect((await world.read.job(running.jobId)).state).toBe('succeeded')
    await expectHealthy(world)
  }
})

it('keeps a job whose producer took its id long ago and commits late', async () => {
  const world = await narrowWorld()
  await world.upkeep.makePartitions()
  const producer = await openSession(world)
  await producer.begin()
  const { jobId } = await world.enqueue({ queue: 'special', kind: 'late' }, { tx: producer.client })
  await fillAndAge(world)
  expect(await world.upkeep.prune()).toBe(0)
  await producer.commit()
  expect(await world.upkeep.prune()).toBe(WIDTH - 1)
  expect((await world.read.job(jobId)).state).toBe('queued')
  await expectHealthy(world)
})

it('is done by one of two nodes; the other does not wait', async () => {
  const world = await narrowWorld()
  await fillAndAge(world)
  const { first, second, waited } = await race(world, prune, prune)
  expect({ first, second, waited }).toEqual({ first: WIDTH, second: 0, waited: false })
  await expectHealthy(world)
})

it('refuses to run on an old snapshot, which could not see what others write meanwhile', async () => {
  const world = await narrowWorld()
  await fillAndAge(world)
  const session = await openSession(world)
  for (const level of ['repeatable read', 'serializable']) {
    await session.client.query(`begin isolation level ${level}`)
    await expect(session.upkeep.prune()).rejects.toThrow('read committed')
    await session.rollback()
  }
  expect(await oldJobs(world)).toHaveLength(WIDTH)
})

/** Whoever had to wait for the swap must find a job that was kept, although the rows it reads are younger than its question. */
const QUESTIONS: Record<string, (session: HandSession, job: Running) => Promise<unknown>> = {
  'read.job': (session, { jobId }) => session.read.job(jobId),
  'read.history': (session, { jobId }) => session.read.history(jobId),
  'read.explain': (session, { jobId }) => session.read.explain(jobId),
  'read.attempts': async (session, { jobId }) => expect(await session.read.attempts(jobId)).toHaveLength(1),
  'work.report': (session, job) => session.work.report({ ...job, cursor: 2 }),
  'work.finish': async (session, job) =>
    expect(await session.work.finish([{ ...job, outcome: 'released' }])).toMatchObject([{ accepted: true }]),
  'work.claim': async (session) =>
    expect(await session.work.claim({ worker: 'w2', queues: ['waits'] })).toMatchObject([{ kind: 'kept' }]),
  'operate.cancel': (session, { jobId }) => session.commands.cancel(jobId),
  'operate.boost': (session, { jobId }) => session.commands.boost(jobId, 1),
}
type Running = Awaited<ReturnType<typeof runningJob>>

/** Running, for the second time. */
async function runningAgain(world: World, key: string): Promise<Running> {
  await world.enqueue({ queue: 'waits', kind: 'kept' })
  const { jobId, lease, ...first } = await runningJob(world, { key })
  await world.work.finish([{ ...first, jobId, lease, outcome: 'released' }])
  return (await world.work.claimById(jobId, { worker: 'w', lease })) as Running
}

it.each(Object.entries(QUESTIONS))(
  'does not hide a job it kept from %s that waited for the swap',
  async (_name, ask) => {
    const world = await narrowWorld()
    const [other, job] = [await runningAgain(world, 'k1'), await runningAgain(world, 'k2')]
    await fillAndAge(world)
    const [pruner, asker] = await openSessions(world, 2)
    // A session that has its plans takes its locks at another moment than one that is new.
    await ask(asker, other)
    await pruner.begin()
    expect(await pruner.upkeep.prune()).toBe(WIDTH - 4)
    const asked = answerOf(ask(asker, job))
    expect(await waitsBehind(world, asker, pruner, asked)).toBe(true)
    await pruner.commit()
    expect(await asked).not.toBeInstanceOf(Error)
    await expectHealthy(world)
  },
)

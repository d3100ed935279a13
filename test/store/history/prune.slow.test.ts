import { expect, it } from 'vitest'
import { expectHealthy, onEachDriver, type World } from '../../support/world.js'
import {
  DAY_MS,
  failedJob,
  fillAndAge,
  finishAll,
  lastId,
  narrowWorld,
  oldJobs,
  runningJob,
  tables,
  WIDTH,
} from './old-range.js'

/** A live job in every state, in the range that will be old. */
async function oneOfEachState(world: World): Promise<Record<string, number>> {
  await world.queues.create('strict-order', { preset: 'target', policy: { maxRetries: 0 } })
  const enqueue = async (more: object) =>
    (await world.enqueue({ queue: 'special', kind: 'any', ...more })).jobId
  const retrying = await runningJob(world)
  await world.work.finish([{ ...retrying, outcome: 'failed', error: { message: 'again' } }])
  const parked = await runningJob(world)
  await world.work.finish([{ ...parked, outcome: 'parked' }])
  const errored = await runningJob(world, { queue: 'strict-order', target: 't1' })
  await world.work.finish([{ ...errored, outcome: 'failed', error: { message: 'no' } }])
  const paused = await runningJob(world, { queue: 'strict-order', target: 't2' })
  await world.work.finish([{ ...paused, outcome: 'released' }])
  const running = await runningJob(world, { target: 't3', key: 'mine' })
  await world.work.start([running])
  await world.work.report({ ...running, cursor: { page: 7 }, tokens: 5 })
  return {
    retrying: retrying.jobId,
    parked: parked.jobId,
    errored: errored.jobId,
    paused: paused.jobId,
    running: running.jobId,
    assigned: (await runningJob(world)).jobId,
    waiting: await enqueue({ target: 't3' }),
    pending: await enqueue({ pending: true }),
    scheduled: await enqueue({ delayMs: 20 * DAY_MS }),
    queued: await enqueue({ key: 'other' }),
  }
}

async function storyOf(world: World, jobId: number): Promise<unknown> {
  return {
    job: await world.read.job(jobId),
    attempts: await world.read.attempts(jobId),
    report: await world.read.history(jobId),
  }
}

onEachDriver('prune', (driver) => {
  it('keeps a job in every live state, with its attempts, progress and key, and drops the rest', async () => {
    const world = await narrowWorld(driver)
    const live = await oneOfEachState(world)
    await fillAndAge(world)
    const before = await Promise.all(Object.values(live).map((id) => storyOf(world, id)))
    expect(await world.upkeep.prune()).toBe(WIDTH - Object.keys(live).length)
    expect(await oldJobs(world)).toEqual(Object.values(live).sort((a, b) => a - b))
    for (const [state, id] of Object.entries(live)) expect((await world.read.job(id)).state).toBe(state)
    expect(await Promise.all(Object.values(live).map((id) => storyOf(world, id)))).toEqual(before)
    expect(await world.enqueue({ queue: 'special', kind: 'any', key: 'mine' })).toEqual({
      jobId: live.running,
      deduplicated: true,
    })
    await expectHealthy(world)
  })

  it('lets every job it kept go on to its end', async () => {
    const world = await narrowWorld(driver)
    const live = await oneOfEachState(world)
    await fillAndAge(world)
    await world.upkeep.prune()
    for (const state of ['parked', 'errored', 'paused']) await world.commands.resume(live[state] as number)
    await world.publish(live.pending as number)
    await world.clock.advance(21 * DAY_MS)
    while ((await world.upkeep.reclaim()) + (await world.upkeep.promote()) > 0);
    const ended: number[] = []
    for (;;) {
      const { lease } = await world.work.openLease('w2', 60_000)
      const queues = ['special', 'strict-order']
      const claimed = await world.work.claim({ worker: 'w2', lease, queues, limit: 50 })
      if (claimed.length === 0) break
      const answers = await world.work.finish(
        claimed.map((job) => ({ ...job, outcome: 'succeeded' as const })),
      )
      ended.push(...answers.map(({ jobId }) => jobId))
    }
    expect(ended.sort((a, b) => a - b)).toEqual(Object.values(live).sort((a, b) => a - b))
    await expectHealthy(world)
    await world.clock.advance(8 * DAY_MS)
    expect(await world.upkeep.prune()).toBe(ended.length)
    expect(await oldJobs(world)).toEqual([])
    await expectHealthy(world)
  })

  it('keeps what ended lately, and what belongs to a queue that keeps for ever or for longer', async () => {
    const world = await narrowWorld(driver)
    await world.queues.create('ever', { policy: { retentionMs: null } })
    await world.queues.create('aeons', { policy: { retentionMs: Number.MAX_SAFE_INTEGER } })
    await world.queues.create('month', { policy: { retentionMs: 30 * DAY_MS } })
    await world.queues.create('hour', { policy: { retentionMs: DAY_MS / 24 } })
    const kept = await finishAll(world, ['ever', 'aeons', 'month'])
    const short = await finishAll(world, ['hour'])
    const lately = await runningJob(world)
    await fillAndAge(world)
    await world.work.finish([{ ...lately, outcome: 'succeeded' }])
    expect(await world.upkeep.prune()).toBe(WIDTH - 4)
    expect(await oldJobs(world)).toEqual([...kept, lately.jobId])
    await expect(world.read.job(short[0] as number)).rejects.toMatchObject({ code: 'unknown_job' })
    await world.clock.advance(30 * DAY_MS)
    expect(await world.upkeep.prune()).toBe(2)
    expect(await oldJobs(world)).toEqual(kept.slice(0, 2))
    await expectHealthy(world)
  })

  it('leaves no trace of a job it dropped, and every verb says that it does not know it', async () => {
    const world = await narrowWorld(driver)
    const failed = await failedJob(world, { key: 'again' })
    const reported = await runningJob(world)
    await world.work.report({ ...reported, cursor: 1, tokens: 1 })
    await world.work.finish([{ ...reported, outcome: 'succeeded' }])
    await fillAndAge(world)
    expect(await world.upkeep.prune()).toBe(WIDTH)
    const unknown = { code: 'unknown_job' }
    for (const jobId of [failed, reported.jobId]) {
      await expect(world.read.job(jobId)).rejects.toMatchObject(unknown)
      await expect(world.read.history(jobId)).rejects.toMatchObject(unknown)
      await expect(world.read.explain(jobId)).rejects.toMatchObject(unknown)
      await expect(world.commands.retry(jobId)).rejects.toMatchObject(unknown)
      await expect(world.commands.cancel(jobId)).rejects.toMatchObject(unknown)
      expect(await world.read.attempts(jobId)).toEqual([])
    }
    expect(await world.database.query('select job_id from holdfast.progress')).toEqual([])
    const again = await world.enqueue({ queue: 'special', kind: 'any', key: 'again' })
    expect(again.deduplicated).toBe(false)
    await expectHealthy(world)
  })

  it('drops a range of which nothing stays, and never gives out its ids again', async () => {
    const world = await narrowWorld(driver)
    await fillAndAge(world)
    const last = await lastId(world)
    expect(await world.upkeep.prune()).toBe(WIDTH)
    expect((await tables(world)).filter((name) => /(job|attempt|pruned)_1(_|$)/.test(name))).toEqual([])
    expect(await world.upkeep.prune()).toBe(0)
    const made = await world.enqueueMany(
      Array.from({ length: 3 * WIDTH }, () => ({ queue: 'special', kind: 'any' })),
    )
    expect(made.map(({ jobId }) => jobId)).toEqual(made.map((_, index) => last + 1 + index))
    await expectHealthy(world)
  })

  it('does nothing to a range that is not full, is too young, or of which more than a fifth must stay', async () => {
    const world = await narrowWorld(driver)
    await finishAll(world, Array(50).fill('filler'))
    await world.clock.advance(8 * DAY_MS)
    expect(await world.upkeep.prune()).toBe(0)
    await world.enqueueMany(Array.from({ length: 21 }, () => ({ queue: 'special', kind: 'any' })))
    await finishAll(world, Array(30).fill('filler'))
    expect(await world.upkeep.prune()).toBe(0)
    await world.clock.advance(8 * DAY_MS)
    const before = await tables(world)
    expect(await world.upkeep.prune()).toBe(0)
    expect(await tables(world)).toEqual(before)
    expect(await oldJobs(world)).toHaveLength(WIDTH)
    // One fewer must stay, and the pass after next looks again.
    await world.commands.cancel(51)
    await world.clock.advance(8 * DAY_MS)
    expect(await world.upkeep.prune()).toBe(WIDTH - 20)
    await expectHealthy(world)
  })

  it('takes one range at a time, oldest first, and passes over young ones without a pass for each', async () => {
    const world = await narrowWorld(driver)
    await fillAndAge(world)
    await finishAll(world, Array(WIDTH).fill('filler'))
    await world.clock.advance(DAY_MS)
    await finishAll(world, Array(3 * WIDTH).fill('filler'))
    expect(await world.upkeep.prune()).toBe(WIDTH)
    expect(await world.upkeep.prune()).toBe(0)
    await world.clock.advance(6.5 * DAY_MS)
    expect(await world.upkeep.prune()).toBe(WIDTH)
    expect(await world.upkeep.prune()).toBe(0)
    await world.clock.advance(DAY_MS)
    expect([await world.upkeep.prune(), await world.upkeep.prune()]).toEqual([WIDTH, WIDTH])
    await expectHealthy(world)
  })

  it('prunes what a prune has left as that ends, once a fifth of it can go', async () => {
    const world = await narrowWorld(driver)
    const kept = []
    for (let i = 0; i < 11; i += 1) kept.push(await runningJob(world))
    await fillAndAge(world)
    expect(await world.upkeep.prune()).toBe(WIDTH - 11)
    const pruned: number[] = []
    for (const job of kept) {
      await world.work.finish([{ ...job, outcome: 'succeeded' }])
      await world.clock.advance(8 * DAY_MS)
      pruned.push(await world.upkeep.prune())
    }
    expect(pruned).toEqual([0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    expect(await oldJobs(world)).toEqual([])
    await expectHealthy(world)
  })
})

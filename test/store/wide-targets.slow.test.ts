/** Targets that may run several jobs at once: never more, in the order they came, and nobody is left behind. */
import type { ClaimedJob, Ending, Policy, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { type HandSession, openSession, openSessions, race, seeded } from '../support/sessions.js'
import { expectHealthy, freshStore, onEachDriver, pinnedStore, type World } from '../support/world.js'

const take = (store: Store, limit = 100) =>
  store.work.claim({ worker: 'w', queues: ['q'], limit, leaseMs: 600_000 })
const succeed = (store: Store, ...jobs: ClaimedJob[]) =>
  store.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))
const ids = (jobs: readonly { jobId: number }[]) => jobs.map(({ jobId }) => jobId)

async function wide(
  width: number,
  driver?: 'postgres' | 'pglite',
  policy: Partial<Policy> = {},
): Promise<World> {
  const store = await pinnedStore(driver)
  await store.queues.create('q', { policy: { order: 'fifo', maxRunningPerTarget: width, ...policy } })
  return store
}

async function fill(store: Store, count: number, target = 't'): Promise<number[]> {
  return ids(
    await store.enqueueMany(Array.from({ length: count }, () => ({ queue: 'q', kind: 'k', target }))),
  )
}

onEachDriver('a target that may run three at once', (driver) => {
  it('runs three, and each end lets the next in line go', async () => {
    const store = await wide(3, driver)
    const made = await fill(store, 7)
    const running = await take(store)
    expect(ids(running)).toEqual(made.slice(0, 3))
    const order: number[] = []
    for (const next of [1, 0, 0, 1, 2]) {
      const [ended] = running.splice(next, 1)
      if (ended !== undefined) await succeed(store, ended)
      const came = await take(store)
      order.push(...ids(came))
      running.push(...came)
    }
    expect(order).toEqual(made.slice(3))
    await succeed(store, ...running)
    expect(await store.database.query('select from holdfast.lane')).toEqual([])
    await expectHealthy(store)
  })

  it('runs more at once when the limit is raised, also where it was one', async () => {
    const store = await wide(1, driver)
    const made = await fill(store, 8)
    expect(ids(await take(store))).toEqual(made.slice(0, 1))
    await store.queues.setPolicy('q', { maxRunningPerTarget: 3 })
    expect(ids(await take(store))).toEqual(made.slice(1, 3))
    await store.queues.setPolicy('q', { maxRunningPerTarget: 5 })
    expect(ids(await take(store))).toEqual(made.slice(3, 5))
    await expectHealthy(store)
  })

  it('starts nothing after the limit is lowered until enough have ended, and what comes new goes to the end', async () => {
    const store = await wide(4, driver)
    const made = await fill(store, 6)
    const running = (await take(store)) as [ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob]
    await store.queues.setPolicy('q', { maxRunningPerTarget: 2 })
    await succeed(store, running[0])
    await succeed(store, running[1])
    made.push(...(await fill(store, 1)))
    expect(await take(store)).toEqual([])
    await succeed(store, running[3])
    expect(ids(await take(store))).toEqual([made[4]])
    await store.queues.setPolicy('q', { maxRunningPerTarget: 1 })
    await succeed(store, running[2])
    expect(await take(store)).toEqual([])
    await expectHealthy(store)
  })

  it('an errored, paused or retrying job keeps its slot; the others go on', async () => {
    const store = await wide(3, driver, { onError: 'block', onShutdown: 'pause', maxRetries: 1 })
    const made = await fill(store, 6)
    const [first, second, third] = (await take(store)) as [ClaimedJob, ClaimedJob, ClaimedJob]
    await store.work.finish([
      { ...first, outcome: 'failed', retryable: false },
      { ...second, outcome: 'released' },
    ])
    expect(await take(store)).toEqual([])
    await succeed(store, third)
    const [fourth] = (await take(store)) as [ClaimedJob]
    expect(fourth.jobId).toBe(made[3])
    await store.work.finish([{ ...fourth, outcome: 'failed' }])
    expect(await take(store)).toEqual([])
    await store.commands.skip(first.jobId)
    await store.commands.resume(second.jobId)
    expect(ids(await take(store))).toEqual([second.jobId, made[4]])
    await expectHealthy(store)
  })

  it('a job that waits is told who holds its target, whichever slot that is', async () => {
    const store = await wide(2, driver)
    const made = await fill(store, 3)
    const [first, second] = (await take(store)) as [ClaimedJob, ClaimedJob]
    await store.queues.setPolicy('q', { maxRunningPerTarget: 1 })
    await succeed(store, first)
    const [reason] = await store.read.explain(made[2] as number)
    expect(reason).toMatchObject({
      code: 'target_held',
      blocking: true,
      data: { job_id: second.jobId, state: 'assigned' },
    })
  })
})

describe('a wide target whose next in line is in somebody’s hands', () => {
  it('a finish does not wait for it and lets nobody pass; after the cancel the one behind it goes', async () => {
    const store = await wide(2)
    const made = (await fill(store, 4)) as [number, number, number, number]
    const [first] = (await take(store)) as [ClaimedJob]
    const met = await race(
      store,
      (session) => session.commands.cancel(made[2]),
      (session) => session.work.finish([{ ...first, outcome: 'succeeded' }]),
    )
    expect(met).toMatchObject({ waited: false, second: [{ accepted: true }] })
    expect(ids(await take(store))).toEqual([made[3]])
    await expectHealthy(store)
  })

  it('and if the cancel is undone, that job goes', async () => {
    const store = await wide(2)
    const made = (await fill(store, 4)) as [number, number, number, number]
    const [first] = (await take(store)) as [ClaimedJob]
    await race(
      store,
      (session) => session.commands.cancel(made[2]),
      (session) => session.work.finish([{ ...first, outcome: 'succeeded' }]),
      { end: 'rollback' },
    )
    expect(ids(await take(store))).toEqual([made[2]])
    await expectHealthy(store)
  })

  it('a note for a lane that is busy is kept until it can be settled', async () => {
    const store = await wide(1)
    const made = await fill(store, 3)
    await take(store)
    const other = await openSession(store)
    await other.begin()
    await other.database.query('select from holdfast.lane for update')
    await store.queues.setPolicy('q', { maxRunningPerTarget: 2 })
    expect(await take(store)).toEqual([])
    await other.rollback()
    expect(ids(await take(store))).toEqual([made[1]])
  })
})

const TARGETS = 12
const JOBS = 1_500

/** What runs now by target, and when each job first began and first ended, as our own clock ticks. */
class Watched {
  readonly running = new Map<string, Set<number>>()
  readonly seen = new Map<number, { target: string; began: number; ended: number }>()
  ended = 0
  #tick = 0

  begin({ jobId, target }: ClaimedJob): void {
    const name = target as string
    const set = this.running.get(name) ?? new Set()
    this.running.set(name, set.add(jobId))
    expect(set.size, `target ${name}`).toBeLessThanOrEqual(3)
    if (!this.seen.has(jobId)) this.seen.set(jobId, { target: name, began: this.#next(), ended: Infinity })
  }

  /** Before the finish is sent: once it is, the next may begin. */
  end({ jobId, target }: ClaimedJob): void {
    this.running.get(target as string)?.delete(jobId)
    const seen = this.seen.get(jobId)
    if (seen?.ended === Infinity) seen.ended = this.#next()
  }

  /** Jobs that began while more than two that came before them to their target had not ended once. */
  tooEarly(): number[] {
    const jobs = [...this.seen].sort(([one], [other]) => one - other)
    const early = jobs.filter(([, { target, began }], index) => {
      const before = jobs
        .slice(0, index)
        .filter(([, other]) => other.target === target && other.ended > began)
      return before.length > 2
    })
    return early.map(([jobId]) => jobId)
  }

  #next(): number {
    this.#tick += 1
    return this.#tick
  }
}

function endingOf(job: ClaimedJob, chance: number): Ending {
  if (chance < 0.8 || job.attempt > 2) return { ...job, outcome: 'succeeded' }
  if (chance < 0.87) return { ...job, outcome: 'failed', retryable: chance < 0.84 }
  if (chance < 0.94) return { ...job, outcome: 'snoozed', delayMs: 0 }
  return { ...job, outcome: 'released' }
}

async function work(session: HandSession, seed: number, watched: Watched): Promise<void> {
  const random = seeded(seed)
  let mine: ClaimedJob[] = []
  while (watched.ended < JOBS) {
    const came = await take(session, 1 + Math.floor(random() * 10))
    for (const job of came) watched.begin(job)
    mine.push(...came)
    const ending = mine.filter(() => random() < 0.6).map((job) => endingOf(job, random()))
    if (ending.length === 0) continue
    const over = new Set(ending.map(({ jobId }) => jobId))
    for (const job of mine) if (over.has(job.jobId)) watched.end(job)
    mine = mine.filter(({ jobId }) => !over.has(jobId))
    const ended = await session.work.finish(ending)
    watched.ended += ended.filter(({ state }) => state === 'succeeded' || state === 'failed').length
  }
}

describe('eight sessions at twelve targets of three', () => {
  it('never run four of one, let jobs go in the order they came, and every job ends', async () => {
    const store = await freshStore()
    await store.queues.create('q', {
      policy: { order: 'fifo', maxRunningPerTarget: 3, retryBaseMs: 0, retryCapMs: 0 },
    })
    const sessions = await openSessions(store, 9)
    const [producer, ...workers] = sessions as [HandSession, ...HandSession[]]
    const watched = new Watched()
    const produce = async () => {
      const random = seeded(3)
      for (let made = 0; made < JOBS; made += 50) {
        const jobs = Array.from({ length: 50 }, () => ({
          queue: 'q',
          kind: 'k',
          target: `t${Math.floor(random() * TARGETS)}`,
        }))
        await producer.enqueueMany(jobs)
      }
    }
    await Promise.all([produce(), ...workers.map((session, index) => work(session, 1 + index, watched))])
    expect(watched.tooEarly()).toEqual([])
    expect(watched.ended).toBe(JOBS)
    expect(await store.database.query('select from holdfast.lane')).toEqual([])
    await expectHealthy(store)
  })
})

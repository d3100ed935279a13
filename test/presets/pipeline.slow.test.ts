// The pipeline preset: a strict lifecycle.
import type { ClaimedJob, Outcome } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { type Served, serve } from '../support/http.js'
import { readJob } from '../support/readings.js'
import { expectHealthy, pinnedStore, secondStore, type World } from '../support/world.js'

const QUEUE = 'images'
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

// The document's transitions; everything else is forbidden.
const LEGAL = [
  'queued -> processing',
  'processing -> completed',
  'processing -> failed_retryable',
  'processing -> failed',
  'failed_retryable -> processing',
  'failed_retryable -> failed',
]

let store: World
let served: Served<World>
beforeEach(async () => {
  store = await pinnedStore()
  served = await serve(store)
  await store.queues.create(QUEUE, { preset: 'pipeline' })
})

const makeJob = async (more = {}) =>
  (await store.enqueue({ queue: QUEUE, kind: 'thumbnail', input: { image: 7 }, ...more })).jobId

const claimById = (jobId: number, worker = 'w1') => store.work.claimById(jobId, { worker })

const wordOf = async (jobId: number) => (await readJob(served, jobId)).status

/** One job whose word is looked at after each thing that happens to it. */
class Life {
  readonly moves: string[] = []
  #word = 'queued'
  #claimed: ClaimedJob | undefined

  private constructor(readonly jobId: number) {}

  static async begin(more = {}): Promise<Life> {
    const life = new Life(await makeJob(more))
    expect(await wordOf(life.jobId), 'a job begins queued').toBe('queued')
    return life
  }

  async after(act: Promise<unknown>): Promise<this> {
    await act
    return this.look()
  }

  /** A verb that must be refused, and must change nothing. */
  async refused(act: Promise<unknown>, code: string): Promise<this> {
    const before = this.#word
    await expect(act).rejects.toMatchObject({ code })
    await this.look()
    expect(this.#word).toBe(before)
    return this
  }

  async claim(): Promise<this> {
    this.#claimed = await claimById(this.jobId)
    expect(this.#claimed, `job ${this.jobId} could not be claimed`).toBeDefined()
    return this.look()
  }

  end(outcome: Outcome, more = {}): Promise<this> {
    return this.after(store.work.finish([{ ...(this.#claimed as ClaimedJob), outcome, ...more }]))
  }

  start(): Promise<this> {
    return this.after(store.work.start([this.#claimed as ClaimedJob]))
  }

  report(): Promise<this> {
    return this.after(store.work.report({ ...(this.#claimed as ClaimedJob), progress: 0.5 }))
  }

  wait(ms: number): Promise<this> {
    return this.after(store.clock.advance(ms))
  }

  async look(): Promise<this> {
    const word = await wordOf(this.jobId)
    if (word !== this.#word) this.moves.push(`${this.#word} -> ${word}`)
    this.#word = word
    return this
  }
}

async function theirLives(): Promise<Life[]> {
  const { commands, upkeep, queues } = store
  const lives: Life[] = []
  const born = async (more = {}) => {
    const life = await Life.begin(more)
    lives.push(life)
    return life
  }
  const plain = await born()
  await plain.after(commands.boost(plain.jobId, 5)).then((l) => l.after(queues.pause(QUEUE)))
  await plain.after(queues.resume(QUEUE)).then((l) => l.after(upkeep.promote()))
  await plain.refused(commands.cancel(plain.jobId), 'strict_queue')
  await plain.refused(commands.discard(plain.jobId), 'wrong_state')
  await plain.refused(commands.skip(plain.jobId), 'wrong_state')
  await plain.refused(commands.resume(plain.jobId), 'wrong_state')
  await plain.claim().then((l) => l.start())
  await plain.report().then((l) => l.after(commands.setPriority(plain.jobId, 9)))
  await plain.refused(commands.cancel(plain.jobId), 'strict_queue')
  await plain.refused(commands.retry(plain.jobId), 'wrong_state')
  await plain.refused(commands.discard(plain.jobId), 'wrong_state')
  await plain.end('succeeded')
  await plain.refused(commands.retry(plain.jobId), 'wrong_state')
  await plain.refused(commands.boost(plain.jobId, 1), 'wrong_state')

  const mended = await born()
  await mended.claim().then((l) => l.end('failed'))
  await mended.refused(commands.skip(mended.jobId), 'wrong_state')
  await mended.wait(HOUR).then((l) => l.after(upkeep.promote()))
  await mended.claim().then((l) => l.end('failed'))
  await mended.after(commands.retry(mended.jobId)).then((l) => l.claim())
  await mended.end('succeeded')

  const hopeless = await born()
  await hopeless.claim().then((l) => l.end('failed', { retryable: false }))
  await hopeless.after(commands.retry(hopeless.jobId))
  await hopeless.refused(commands.discard(hopeless.jobId), 'wrong_state')
  return lives
}

async function livesOfTheUnlucky(): Promise<Life[]> {
  const { commands, upkeep } = store
  const exhausted = await Life.begin({ maxRetries: 1 })
  await exhausted.claim().then((l) => l.end('failed'))
  await exhausted.wait(HOUR).then((l) => l.claim())
  await exhausted.end('failed').then((l) => l.after(commands.retry(exhausted.jobId)))

  const crashing = await Life.begin()
  for (let loss = 1; loss <= 3; loss++) {
    await crashing.claim().then((l) => l.wait(10 * MINUTE))
    await crashing.after(upkeep.reclaim())
  }
  const givenUp = await Life.begin()
  await givenUp.claim().then((l) => l.end('failed'))
  await givenUp.after(commands.discard(givenUp.jobId))

  const interrupted = await Life.begin()
  await interrupted.claim().then((l) => l.end('snoozed', { delayMs: SECOND }))
  await interrupted.wait(SECOND).then((l) => l.claim())
  await interrupted.end('released').then((l) => l.claim())
  await interrupted.end('parked').then((l) => l.after(commands.resume(interrupted.jobId)))
  await interrupted.claim().then((l) => l.end('parked'))
  await interrupted.after(commands.skip(interrupted.jobId))

  const stopped = await Life.begin()
  await stopped.claim().then((l) => l.end('canceled'))

  const later = await Life.begin({ delayMs: HOUR })
  await later.refused(commands.cancel(later.jobId), 'strict_queue')
  await later.wait(HOUR).then((l) => l.claim())
  const made = await Life.begin({ pending: true })
  await made.refused(commands.cancel(made.jobId), 'strict_queue')
  await made.after(store.publish(made.jobId)).then((l) => l.claim())
  return [exhausted, crashing, givenUp, interrupted, stopped, later, made]
}

it('S2.01 a job makes only the six moves of the lifecycle, checked after every verb', async () => {
  const lives = [...(await theirLives()), ...(await livesOfTheUnlucky())]
  const moves = lives.flatMap((life) => life.moves)
  expect(moves.filter((move) => !LEGAL.includes(move))).toEqual([])
  expect([...new Set(moves)].sort()).toEqual([...LEGAL].sort())
  await expectHealthy(store)
})

it('S2.01 retrying a failed job creates a new job and leaves the old one failed', async () => {
  const life = await Life.begin()
  await life.claim().then((l) => l.end('failed', { retryable: false }))
  const again = await store.commands.retry(life.jobId)
  expect(again.jobId).not.toBe(life.jobId)
  expect(await wordOf(life.jobId)).toBe('failed')
  expect(await wordOf(again.jobId)).toBe('queued')
  expect(await store.read.job(again.jobId)).toMatchObject({ retryOf: life.jobId, input: { image: 7 } })
})

it('S2.04 a lock younger than 10 minutes is not claimable, an older one is: 9:59 no, 10:01 yes', async () => {
  const jobId = await makeJob()
  const first = (await claimById(jobId, 'w1')) as ClaimedJob
  const lockedAt = await store.clock.now()
  expect(await store.read.job(jobId)).toMatchObject({ claimedAt: lockedAt, leaseOwner: 'w1' })
  // Nothing renews it, neither beats nor reports: the lock is a hard limit.
  await store.clock.advance(5 * MINUTE)
  await store.work.renew([first.lease])
  await store.work.report({ ...first, progress: 'half' })
  await store.clock.set(new Date(lockedAt.getTime() + 9 * MINUTE + 59 * SECOND))
  expect(await claimById(jobId, 'w2')).toBeUndefined()
  await store.clock.set(new Date(lockedAt.getTime() + 10 * MINUTE + SECOND))
  expect(await claimById(jobId, 'w2')).toMatchObject({ jobId, attempt: 2 })
  expect(await store.read.job(jobId)).toMatchObject({ leaseOwner: 'w2', claimedAt: await store.clock.now() })
  const [late] = await store.work.finish([{ ...first, outcome: 'succeeded' }])
  expect(late).toMatchObject({ accepted: false })
  await expectHealthy(store)
})

it('S2.04 queued and failed_retryable jobs are claimable; completed, failed and unknown jobs never are', async () => {
  const done = await Life.begin()
  await done.claim().then((l) => l.end('failed'))
  await done.wait(HOUR).then((l) => l.claim())
  await done.end('succeeded')
  const failed = await Life.begin()
  await failed.claim().then((l) => l.end('failed', { retryable: false }))
  await store.clock.advance(HOUR)
  for (const jobId of [done.jobId, failed.jobId, 404]) expect(await claimById(jobId)).toBeUndefined()
})

it('S2.04 of two sessions that claim one job at once exactly one gets it', async () => {
  const other = await secondStore(store)
  for (let round = 0; round < 20; round++) {
    const jobId = await makeJob()
    const claims = await Promise.all(
      [store, other, store, other].map((from, n) => from.work.claimById(jobId, { worker: `w${n}` })),
    )
    const [winner, ...losers] = claims.filter((claim) => claim !== undefined)
    expect(losers).toEqual([])
    expect(winner).toMatchObject({ jobId, attempt: 1 })
  }
  await expectHealthy(store)
})

/**
 * Ten thousand jobs for a hundred targets, from eight sessions at once: producers in transactions of their own and in callers'
 * open ones (some roll back), workers with every kind of outcome, an operator who cancels. Nothing is tried again here, so a
 * deadlock anywhere fails the test.
 */
import type { ClaimedJob, Ending, Enqueued } from 'holdfast/store'
import { expect, it } from 'vitest'
import { type HandSession, openSessions, seeded } from '../../support/sessions.js'
import { expectHealthy, freshStore } from '../../support/world.js'

const JOBS = 10_000
const TARGETS = 100
const PER_BATCH = 50
const PER_CLAIM = 25
const LEASE_MS = 600_000

/** What everybody saw, in the order it happened. */
class Record {
  /** By producer, then target: the jobs in the order they were accepted. */
  readonly placed = new Map<string, number[]>()
  readonly claims = new Map<string, { jobId: number; ord: number }[]>()
  readonly busy = new Map<string, number>()
  readonly made: number[] = []
  producing = 0

  accept(producer: string, jobs: readonly { target: string }[], answers: readonly Enqueued[]): void {
    answers.forEach(({ jobId }, n) => {
      this.made.push(jobId)
      append(this.placed, `${producer} ${jobs[n]?.target}`, jobId)
    })
  }

  begin({ target, jobId }: ClaimedJob): void {
    expect(this.busy.get(target as string), `target ${target} runs two jobs`).toBeUndefined()
    this.busy.set(target as string, jobId)
  }

  /** Called before the finish is sent: once it is, the next of the target may begin. */
  end({ target, jobId }: ClaimedJob, ord: number): void {
    this.busy.delete(target as string)
    append(this.claims, target as string, { jobId, ord })
  }
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

async function produce(session: HandSession, name: string, record: Record, share: number): Promise<void> {
  const random = seeded(name.length * 7_919 + share)
  const inCallers = name.startsWith('caller')
  for (let made = 0; made < share; ) {
    const jobs = Array.from({ length: PER_BATCH }, () => ({
      queue: 'q',
      kind: 'k',
      target: `t${Math.floor(random() * TARGETS)}`,
    }))
    if (inCallers) await session.begin()
    const answers = await session.enqueueMany(jobs, inCallers ? { tx: session.client } : {})
    if (inCallers && random() < 0.2) {
      await session.rollback()
      continue
    }
    if (inCallers) await session.commit()
    record.accept(name, jobs, answers)
    made += PER_BATCH
  }
  record.producing -= 1
}

function endingOf(job: ClaimedJob, chance: number): Ending {
  if (chance < 0.8 || job.attempt > 2) return { ...job, outcome: 'succeeded' }
  if (chance < 0.85) return { ...job, outcome: 'failed' }
  if (chance < 0.9) return { ...job, outcome: 'failed', retryable: false }
  if (chance < 0.95) return { ...job, outcome: 'snoozed', delayMs: 0 }
  return { ...job, outcome: 'released' }
}

async function work(session: HandSession, name: string, record: Record): Promise<void> {
  const random = seeded(name.length * 104_729)
  const { lease } = await session.work.openLease(name, LEASE_MS)
  for (;;) {
    const noMoreToCome = record.producing === 0
    const jobs = await session.work.claim({ worker: name, queues: ['q'], lease, limit: PER_CLAIM })
    if (jobs.length === 0) {
      if (noMoreToCome && (await live(session)) === 0) return
      continue
    }
    for (const job of jobs) record.begin(job)
    const rows = await session.database.query<{ job_id: number; ord: number }>(
      'select job_id, ord from holdfast.running where job_id = any ($1)',
      [jobs.map(({ jobId }) => jobId)],
    )
    const ords = new Map(rows.map((row) => [row.job_id, row.ord]))
    for (const job of jobs) record.end(job, ords.get(job.jobId) as number)
    const ended = await session.work.finish(jobs.map((job) => endingOf(job, random())))
    expect(ended.every(({ accepted }) => accepted)).toBe(true)
  }
}

async function operate(session: HandSession, record: Record): Promise<Set<number>> {
  const random = seeded(5)
  const canceled = new Set<number>()
  while (record.producing > 0) {
    const jobId = record.made[Math.floor(random() * record.made.length)]
    if (jobId !== undefined && (await session.commands.cancel(jobId)).result === 'canceled')
      canceled.add(jobId)
    const twice = await session.database.query(
      'select lane from holdfast.running where lane is not null group by lane having count(*) > 1',
    )
    expect(twice).toEqual([])
  }
  return canceled
}

async function live(session: HandSession): Promise<number> {
  const [row] = await session.database.query<{ n: number }>(
    `select (select count(*) from holdfast.job) - (select count(*) from holdfast.attempt where final) as n`,
  )
  return row?.n as number
}

function expectInOrder(record: Record): void {
  for (const [target, claims] of record.claims) {
    const ords = claims.map(({ ord }) => ord)
    expect(ords, `claims of ${target}`).toEqual([...ords].sort((a, b) => a - b))
    const turns = [...new Set(claims.map(({ jobId }) => jobId))]
    for (const [line, jobIds] of record.placed) {
      if (line.split(' ')[1] !== target) continue
      const ran = new Set(turns)
      const asPlaced = jobIds.filter((jobId) => ran.has(jobId))
      const own = new Set(jobIds)
      expect(
        turns.filter((jobId) => own.has(jobId)),
        `jobs of ${line}`,
      ).toEqual(asPlaced)
    }
  }
}

it('runs one job per target at a time, in the order they came, loses none and never deadlocks', async () => {
  const store = await freshStore()
  await store.queues.create('q', { policy: { retryBaseMs: 0, retryCapMs: 0 } })
  const [a, b, c, d, w1, w2, w3, operator] = await openSessions(store, 8)
  const record = new Record()
  record.producing = 4
  const share = JOBS / 4
  const [, , , , , , , canceled] = await Promise.all([
    produce(a, 'own1', record, share),
    produce(b, 'own-2', record, share),
    produce(c, 'caller1', record, share),
    produce(d, 'caller-2', record, share),
    work(w1, 'w1', record),
    work(w2, 'w-2', record),
    work(w3, 'w--3', record),
    operate(operator, record),
  ])
  expect(record.made).toHaveLength(JOBS)
  expectInOrder(record)
  const ran = new Set([...record.claims.values()].flat().map(({ jobId }) => jobId))
  const neverRan = record.made.filter((jobId) => !ran.has(jobId))
  expect(neverRan.every((jobId) => canceled.has(jobId))).toBe(true)
  expect(await live(operator)).toBe(0)
  const lanes = await store.database.query('select id from holdfast.lane')
  expect(lanes).toEqual([])
  await expectHealthy(store)
})

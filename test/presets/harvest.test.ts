// The harvest preset: lease, progress, backoff, attempts.

import { LeaseLost } from 'holdfast'
import type { ClaimedJob } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { expectHealthy, pinnedStore, type World } from '../support/world.js'

const QUEUE = 'leads'
const SECOND = 1_000

let store: World
beforeEach(async () => {
  store = await pinnedStore()
  await store.queues.create(QUEUE, { preset: 'harvest' })
})

const makeJob = async (more = {}) =>
  (await store.enqueue({ queue: QUEUE, kind: 'scrape', input: { city: 'Riga' }, ...more })).jobId

const pull = async (worker: string, leaseMs?: number) => {
  const [job] = await store.work.claim({ worker, queues: [QUEUE], ...(leaseMs ? { leaseMs } : {}) })
  return job
}

const pullOne = async (worker: string): Promise<ClaimedJob> => {
  const job = await pull(worker)
  expect(job, 'a job was due and nobody got it').toBeDefined()
  return job as ClaimedJob
}

const lead = (phone: unknown, more = {}) => ({ phone, ...more })

const textOf = async (pieces: AsyncIterable<string>) => {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

it('S0.03 a job under a live lease is not pulled; a pull after its 60 s gets the job although no sweep has run', async () => {
  const jobId = await makeJob()
  const first = await pullOne('w1')
  expect(first.expiresAt).toEqual(new Date((await store.clock.now()).getTime() + 60 * SECOND))
  await store.clock.advance(60 * SECOND - 1)
  expect(await pull('w2')).toBeUndefined()
  await store.clock.advance(1)
  expect(await pullOne('w2')).toMatchObject({ jobId, attempt: 2, losses: 1, failures: 1 })
  const [late] = await store.work.finish([{ ...first, outcome: 'succeeded' }])
  expect(late).toMatchObject({ accepted: false, error: expect.any(LeaseLost) })
  expect(await store.read.job(jobId)).toMatchObject({ state: 'assigned', leaseOwner: 'w2' })
  await expectHealthy(store)
})

it('S0.03 the lease has the length that the pull requests, and a report extends it but never shortens it', async () => {
  await makeJob()
  const job = (await pull('w1', 120 * SECOND)) as ClaimedJob
  await store.clock.advance(100 * SECOND)
  const long = await store.work.report({ ...job, extendMs: 90 * SECOND })
  const short = await store.work.report({ ...job, extendMs: 1 * SECOND, cursor: 2 })
  expect(short.expiresAt).toEqual(long.expiresAt)
  await store.clock.advance(90 * SECOND - 1)
  expect(await pull('w2')).toBeUndefined()
  await store.clock.advance(1)
  expect(await pull('w2')).toMatchObject({ attempt: 2 })
})

it('S0.06 a reclaimed job hands the last cursor and the counts to the next worker', async () => {
  const jobId = await makeJob()
  const first = await pullOne('w1')
  expect(first.progress).toBeNull()
  const sent = { ...first, items: [lead('1'), lead('2'), lead('2')], cursor: { page: 3 } }
  await store.work.report(sent)
  await store.clock.advance(60 * SECOND)
  const second = await pullOne('w2')
  await expect(store.work.report(sent), 'a stale repetition is stale').rejects.toThrow(LeaseLost)
  expect(second.progress).toMatchObject({ cursor: { page: 3 }, progressCount: 3, resultCount: 2 })
  const more = await store.work.report({ ...second, items: [lead('2'), lead('3')], cursor: { page: 4 } })
  expect(more).toMatchObject({ newItems: 1, duplicateItems: 1, progressCount: 5, resultCount: 3 })
  await expect(store.work.report({ ...first, items: [lead('9')], cursor: { page: 9 } })).rejects.toThrow(
    LeaseLost,
  )
  expect(await store.read.job(jobId)).toMatchObject({
    lastCursor: { page: 4 },
    progressCount: 5,
    resultCount: 3,
    lastProgressAt: await store.clock.now(),
  })
  await expectHealthy(store)
})

it('S0.07 items are stored once per phone across reports, attempts and jobs of the collection', async () => {
  const [one, two, elsewhere] = [await makeJob(), await makeJob(), await makeJob({ collection: 'oslo' })]
  const a = await pullOne('w1')
  await store.work.report({ ...a, items: [lead('+371 1', { name: 'Ana' }), lead('+371 2')] })
  const again = await store.work.report({ ...a, items: [lead('+371 1', { name: 'Anna' }), lead('+371 3')] })
  expect(again).toMatchObject({ newItems: 1, duplicateItems: 1 })
  await store.work.finish([{ ...a, outcome: 'failed', error: new Error('blocked') }])
  const b = await pullOne('w2')
  expect(b.jobId).toBe(two)
  expect(await store.work.report({ ...b, items: [lead('+371 3'), lead('+371 4')] })).toMatchObject({
    newItems: 1,
    resultCount: 1,
  })
  const c = await pullOne('w3')
  expect(c.jobId).toBe(elsewhere)
  expect(await store.work.report({ ...c, items: [lead('+371 1')] })).toMatchObject({ newItems: 1 })
  await store.clock.advance(40 * SECOND)
  const a2 = await pullOne('w1')
  expect(a2).toMatchObject({ jobId: one, attempt: 2 })
  expect(await store.work.report({ ...a2, items: [lead('+371 2'), lead('+371 4')] })).toMatchObject({
    newItems: 0,
    duplicateItems: 2,
    resultCount: 3,
  })
  const kept = await store.read.items({ queue: QUEUE })
  expect(kept.map(({ jobId, key }) => [jobId, key])).toEqual([
    [one, '+371 1'],
    [one, '+371 2'],
    [one, '+371 3'],
    [two, '+371 4'],
  ])
  expect(kept[0]?.data).toEqual({ phone: '+371 1', name: 'Ana' })
  expect(await store.read.items({ queue: QUEUE, collection: 'oslo' })).toHaveLength(1)
  expect(await store.read.items({ jobId: two })).toHaveLength(1)
  await expectHealthy(store)
})

it('S0.07 items are exported as JSON and as CSV, of the collection or of one job; a wrong name is refused', async () => {
  const jobId = await makeJob()
  const items = [lead('+371 1', { name: 'Ana "A", B' }), lead('+371 2', { name: '=1+1' })]
  await store.work.report({ ...(await pullOne('w1')), items })
  const at = (await store.clock.now()).toISOString()
  const json = await textOf(store.read.exportItems({ queue: QUEUE }, 'json'))
  expect(JSON.parse(json)).toMatchObject(
    items.map((data) => ({ jobId, key: data.phone, data, createdAt: at })),
  )
  const csv = await textOf(store.read.exportItems({ jobId }, 'csv'))
  expect(csv.split('\r\n')).toEqual([
    'name,phone,item_id,job_id,created_at,other_fields',
    `"Ana ""A"", B",+371 1,1,${jobId},${at},`,
    `"'=1+1",+371 2,2,${jobId},${at},`,
    '',
  ])
  await expect(textOf(store.read.exportItems({ queue: 'leeds' }, 'csv'))).rejects.toMatchObject({
    code: 'unknown_queue',
  })
})

it('S0.08 a failed attempt is retried after 30, 60, 120, 240, 480 … 3600 s, plus up to 20 %', async () => {
  const table = [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]
  const ids = await store.enqueueMany(
    Array.from({ length: 20 }, () => ({ queue: QUEUE, kind: 'scrape', maxAttempts: 11 })),
  )
  for (const [n, baseSec] of table.entries()) {
    const jobs = await store.work.claim({ worker: 'w1', queues: [QUEUE], limit: 100 })
    expect(jobs).toHaveLength(ids.length)
    expect(jobs.every(({ failures }) => failures === n)).toBe(true)
    const now = (await store.clock.now()).getTime()
    const failed = await store.work.finish(
      jobs.map((job) => ({ ...job, outcome: 'failed', error: new Error(`try ${n}`), log: `log ${n}` })),
    )
    const waits = failed.map(({ dueAt }) => ((dueAt?.getTime() ?? 0) - now) / SECOND)
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(baseSec)
      expect(wait).toBeLessThanOrEqual(baseSec * 1.2)
    }
    expect(new Set(waits).size, 'the jitter spreads them').toBeGreaterThan(1)
    await store.clock.advance(Math.min(...waits) * SECOND - 1)
    expect(await pull('w2'), 'never before its time').toBeUndefined()
    await store.clock.advance((Math.max(...waits) - Math.min(...waits)) * SECOND + 1)
  }
  const attempts = await store.read.attempts(ids[0]?.jobId as number)
  expect(attempts.map(({ errorMessage, logExcerpt }) => [errorMessage, logExcerpt])).toEqual(
    table.map((_, n) => [`try ${n}`, `log ${n}`]),
  )
})

it('S0.08 base and cap are the settings BACKOFF_BASE_SEC and BACKOFF_MAX_SEC as they are at the failure', async () => {
  await makeJob()
  await store.database.query(
    "insert into holdfast.setting (name, value, updated_at) values ('BACKOFF_BASE_SEC', '7', now()), ('BACKOFF_MAX_SEC', '10', now())",
  )
  for (const [least, most] of [
    [7, 8.4],
    [10, 12],
  ] as const) {
    const job = await pullOne('w1')
    const [failed] = await store.work.finish([{ ...job, outcome: 'failed' }])
    const wait = ((failed?.dueAt?.getTime() ?? 0) - (await store.clock.now()).getTime()) / SECOND
    expect(wait).toBeGreaterThanOrEqual(least)
    expect(wait).toBeLessThanOrEqual(most)
    await store.clock.set(failed?.dueAt as Date)
  }
})

const failUntilItEnds = async (jobId: number): Promise<string[]> => {
  const states: string[] = []
  for (;;) {
    const job = await pull('w1')
    if (job === undefined) return states
    expect(job.jobId).toBe(jobId)
    const [failed] = await store.work.finish([
      { ...job, outcome: 'failed', error: new Error(`no ${job.attempt}`) },
    ])
    states.push(failed?.state as string)
    const { state, visibleAt, lastError } = await store.read.job(jobId)
    expect(state === 'retrying' ? visibleAt : null).toEqual(failed?.dueAt)
    expect(lastError).toBe(`no ${job.attempt}`)
    await store.clock.advance(2 * 3_600 * SECOND)
  }
}

it.each([
  [1, {}, ['failed']],
  [3, {}, ['retrying', 'retrying', 'failed']],
  [undefined, {}, ['retrying', 'retrying', 'retrying', 'retrying', 'failed']],
  [undefined, { MAX_ATTEMPTS_DEFAULT: 2 }, ['retrying', 'failed']],
])(
  'S0.09 max_attempts %s with settings %o: the next attempt would exceed it → failed',
  async (maxAttempts, settings, states) => {
    for (const [name, value] of Object.entries(settings)) {
      await store.database.query('insert into holdfast.setting values ($1, to_jsonb($2::int), now())', [
        name,
        value,
      ])
    }
    const jobId = await makeJob(maxAttempts === undefined ? {} : { maxAttempts })
    expect(await failUntilItEnds(jobId)).toEqual(states)
    expect(await store.read.job(jobId)).toMatchObject({
      state: 'failed',
      reason: 'exhausted',
      lastError: `no ${states.length}`,
      attempt: states.length,
      maxRetries: states.length - 1,
    })
    await expectHealthy(store)
  },
)

it('S0.09 max_attempts 0 is refused: a job runs at least once', async () => {
  await expect(makeJob({ maxAttempts: 0 })).rejects.toMatchObject({
    code: 'invalid_input',
    details: { path: '/maxAttempts', limit: 'maxAttempts' },
  })
})

const attemptsLog = () =>
  store.database.query<Record<string, unknown>>(
    'select id, job_id, worker_id, started_at, finished_at, success, log_excerpt from holdfast.job_attempts order by finished_at',
  )

it('S0.10 the attempts log has a row for each ended attempt, also for a lost lease', async () => {
  const jobId = await makeJob()
  const begin = await store.clock.now()
  const at = (seconds: number) => new Date(begin.getTime() + seconds * SECOND)
  await pullOne('w1')
  expect(await attemptsLog(), 'an attempt under way is not in it').toEqual([])
  await store.clock.set(at(60))
  const second = await pullOne('w2')
  await store.clock.set(at(70))
  await store.work.finish([
    { ...second, outcome: 'failed', startedAgoMs: 8 * SECOND, error: new Error('captcha'), log: 'page 7' },
  ])
  await store.clock.set(at(200))
  const third = await pullOne('w3')
  await store.work.start([third])
  await store.clock.set(at(230))
  await store.work.report({ ...third, items: [lead('1')], done: true })
  const row = { job_id: jobId, success: 0, log_excerpt: null, id: expect.any(Number) }
  const log = await attemptsLog()
  expect(log).toEqual([
    { ...row, worker_id: 'w1', started_at: at(0), finished_at: at(60) },
    { ...row, worker_id: 'w2', started_at: at(62), finished_at: at(70), log_excerpt: 'page 7' },
    { ...row, worker_id: 'w3', started_at: at(200), finished_at: at(230), success: 1 },
  ])
  expect(new Set(log.map(({ id }) => id)).size).toBe(3)
})

it('S0.10 ids of the attempts log stay unique after many attempts; ending an unclaimed job is not an attempt', async () => {
  const [one, two] = [await makeJob(), await makeJob()]
  await store.commands.cancel(two)
  expect(await attemptsLog()).toEqual([])
  const job = await pullOne('w1')
  // A job that snoozes every ten seconds reaches this within a day and a bit.
  await store.database.query('update holdfast.running set attempt = 10002 where job_id = $1', [one])
  await store.work.finish([{ ...job, attempt: 10_002, outcome: 'succeeded' }])
  const three = await makeJob()
  await store.commands.retry(two)
  await store.work.finish(
    (await store.work.claim({ worker: 'w1', queues: [QUEUE], limit: 2 })).map((next) => ({
      ...next,
      outcome: 'succeeded',
    })),
  )
  const log = await attemptsLog()
  expect(log.map(({ job_id }) => job_id).sort()).toEqual([one, two, three])
  expect(new Set(log.map(({ id }) => id)).size).toBe(3)
})

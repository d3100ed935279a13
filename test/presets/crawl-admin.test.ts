// The crawl preset over HTTP: the admin API.
import { beforeEach, expect, it } from 'vitest'
import { expectHealthy } from '../support/world.js'
import { admin, claim, claimed, HOUR, MADE, makeJob, openCrawls, store, wordOf } from './crawl-jobs.js'

beforeEach(openCrawls)

it('S1.09 stats counts exactly queued, running, failed and completed', async () => {
  expect((await admin('GET', '/stats')).body).toEqual({ queued: 0, running: 0, failed: 0, completed: 0 })
  for (const make of Object.values(MADE)) await make()
  await store.enqueue({ queue: 'elsewhere', kind: 'k' })
  expect((await admin('GET', '/stats')).body).toEqual({ queued: 7, running: 2, failed: 2, completed: 1 })
  expect((await admin('GET', '/stats?queue=crawls')).body.queued).toBe(7)
  expect((await admin('GET', '/stats?queue=nowhere')).status).toBe(404)
})

it('S1.10 jobs are listed by status with limit and offset, 100 and 0 by default', async () => {
  const ids = (
    await store.enqueueMany(
      Array.from({ length: 130 }, (_, n) => ({ queue: 'crawls', kind: 'crawl', subject: `${n}` })),
    )
  ).map(({ jobId }) => jobId)
  await claim(ids[0] as number)
  const list = async (query: string) => (await admin('GET', query)).body
  const first = await list('?status=queued')
  expect(first).toMatchObject({ limit: 100, offset: 0 })
  expect(first.jobs).toHaveLength(100)
  const rest = await list('?status=queued&limit=100&offset=100')
  const seen = [...first.jobs, ...rest.jobs].map(({ id }: { id: number }) => id)
  expect(seen).toEqual([...ids.slice(1)].reverse())
  expect((await list('?status=crawling')).jobs).toMatchObject([{ id: ids[0], status: 'crawling' }])
  expect((await list('?status=success')).jobs).toEqual([])
  expect((await list('?limit=500')).jobs).toHaveLength(130)
  const wrong = await admin('GET', '?status=running')
  expect(wrong.status).toBe(400)
  expect(wrong.body.detail).toContain('queued, crawling, success, failed')
  for (const query of ['?limit=0', '?offset=-1']) expect((await admin('GET', query)).status).toBe(400)
})

it('S1.12 priority and boost work in every live state, stop at 100 and survive a retry', async () => {
  for (const [state, make] of Object.entries(MADE)) {
    const id = await make()
    const set = await admin('PUT', `/${id}/priority`, { priority: 50 })
    if (['succeeded', 'failed', 'canceled'].includes(state)) {
      expect([state, set.status]).toEqual([state, 409])
      expect(set.body.detail).toContain(`"${wordOf(state)}"`)
      continue
    }
    expect(set.body).toMatchObject({ id, priority: 50 })
    expect((await admin('POST', `/${id}/boost`, { boost: 20 })).body.priority).toBe(70)
    expect((await admin('POST', `/${id}/boost`, { boost: 40 })).body.priority).toBe(100)
  }
  const job = await claimed({ maxRetries: 3 })
  await admin('POST', `/${job.jobId}/boost`, { boost: 20 })
  await store.work.finish([{ ...job, outcome: 'failed' }])
  await store.clock.advance(2 * 60_000)
  expect((await claim(job.jobId)).priority).toBe(20)
  for (const body of [{ priority: 101 }, { priority: -1 }, { priority: 1.5 }, {}])
    expect((await admin('PUT', `/${job.jobId}/priority`, body)).status).toBe(400)
  for (const body of [{ boost: 0 }, { boost: -1 }, {}])
    expect((await admin('POST', `/${job.jobId}/boost`, body)).status).toBe(400)
})

it('S1.13 retry resets a failed job to queued with retry_count 0; nothing else can be retried', async () => {
  const job = await claimed({ maxRetries: 1 })
  await store.work.finish([{ ...job, outcome: 'failed' }])
  await store.clock.advance(HOUR)
  await store.work.finish([{ ...(await claim(job.jobId)), outcome: 'failed' }])
  const [before] = (await admin('GET', '?status=failed')).body.jobs
  expect(before).toMatchObject({ id: job.jobId, retry_count: 1, max_retries: 1 })
  const { status, body } = await admin('POST', `/${job.jobId}/retry`)
  expect([status, body.status, body.retry_count]).toEqual([200, 'queued', 0])
  expect(await claim(job.jobId)).toMatchObject({ failures: 0, attempt: 3 })
  for (const state of ['queued', 'retrying', 'running', 'succeeded'] as const) {
    const refused = await admin('POST', `/${await MADE[state]()}/retry`)
    expect([state, refused.status, refused.body.code]).toEqual([state, 409, 'wrong_state'])
  }
})

it('S1.14 bulk status and bulk retry return a result for each of up to 1,000 ids', async () => {
  const [queued, running, failed] = [await MADE.queued(), await MADE.running(), await MADE.failed()]
  const foreign = (await store.enqueue({ queue: 'elsewhere', kind: 'k' })).jobId
  const job_ids = [failed, running, queued, foreign, 999]
  const { status, body } = await admin('PUT', '/bulk/status', { job_ids, status: 'queued' })
  expect(status).toBe(200)
  expect(body.results).toMatchObject([
    { job_id: failed, ok: true, changed: true, status: 'queued' },
    { job_id: running, ok: false, changed: false, status: 'crawling', code: 'wrong_state' },
    { job_id: queued, ok: true, changed: false, status: 'queued' },
    { job_id: foreign, ok: false, status: null, code: 'unknown_job' },
    { job_id: 999, ok: false, status: null, code: 'unknown_job' },
  ])
  const again = [await MADE.failed(), await MADE.canceled(), queued]
  expect((await admin('POST', '/bulk/retry', { job_ids: again })).body.results).toMatchObject([
    { ok: true, status: 'queued' },
    { ok: true, status: 'queued' },
    { ok: false, status: 'queued', code: 'wrong_state' },
  ])
  const ids = (n: number) => Array.from({ length: n }, (_, index) => index + 5_000)
  expect((await admin('POST', '/bulk/retry', { job_ids: ids(1_001) })).status).toBe(400)
  expect((await admin('POST', '/bulk/retry', { job_ids: [] })).status).toBe(400)
  const most = await admin('POST', '/bulk/retry', { job_ids: ids(1_000) })
  expect(most.body.results).toHaveLength(1_000)
  await expectHealthy(store)
})

it('S1.21 rows carry every column of crawl_jobs by name', async () => {
  await makeJob({ subject: '41', priority: 7, maxRetries: 5 })
  const job = await claimed({ subject: 'ask', createdBy: 'ada' })
  const created = (await store.clock.now()).toISOString()
  await store.clock.advance(1_500)
  await store.work.finish([{ ...job, outcome: 'succeeded', startedAgoMs: 1_000 }])
  const { jobs } = (await admin('GET', '')).body
  const ended = new Date(Date.parse(created) + 1_500).toISOString()
  expect(jobs).toEqual([
    {
      id: job.jobId,
      subreddit_id: 'ask',
      status: 'success',
      priority: 0,
      retries: 0,
      last_attempt: created,
      duration_ms: 1_000,
      enqueued_by: 'ada',
      created_at: created,
      updated_at: ended,
      visible_at: created,
      retry_count: 0,
      max_retries: 0,
      next_retry_at: null,
    },
    {
      id: job.jobId - 1,
      subreddit_id: 41,
      status: 'queued',
      priority: 7,
      retries: 0,
      last_attempt: null,
      duration_ms: null,
      enqueued_by: 'system',
      created_at: created,
      updated_at: created,
      visible_at: created,
      retry_count: 0,
      max_retries: 5,
      next_retry_at: null,
    },
  ])
  const failing = await claimed({ maxRetries: 3 })
  const [failed] = await store.work.finish([{ ...failing, outcome: 'failed' }])
  const [row] = (await admin('GET', '?status=queued&limit=1')).body.jobs
  expect(row).toMatchObject({
    id: failing.jobId,
    retries: 1,
    retry_count: 1,
    next_retry_at: failed?.dueAt?.toISOString(),
  })
})

// The harvest preset: a lost lease is an attempt too, so a job is never pulled more often than max_attempts allows.
import { defineJob } from 'holdfast'
import { beforeEach, expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { holdfast as cli } from '../support/cli/child.js'
import { type Answer, type Served, servePinned } from '../support/http.js'
import { expectHealthy, postgresUrl, type World } from '../support/world.js'

const SECOND = 1_000
const LEASE_SEC = 60
const WAIT = { timeout: 100_000, interval: 20 }

let server: Served<World>
beforeEach(async () => {
  server = await servePinned()
  await server.call('POST', '/api/v1/queues', { name: 'leads', preset: 'harvest' })
})

const makeJob = async (more = {}): Promise<number> =>
  (await server.call('POST', '/api/v1/jobs', { queue: 'leads', kind: 'scrape', ...more })).body.id
const pull = (query = '') => server.call('GET', `/api/pull_job${query}`)
const report = (said: object) => server.call('POST', '/api/report_results', said)
const fence = ({ job_id, lease_token }: Answer['body']) => ({ job_id, lease_token })
const read = async (id: number) => (await server.call('GET', `/api/v1/jobs/${id}`)).body
const loseLease = () => server.store.clock.advance(LEASE_SEC * SECOND + 1)

it('S0.09 max_attempts 2: two lost leases, and never a third claim; last_error has the reason', async () => {
  const id = await makeJob({ max_attempts: 2 })
  const first = (await pull()).body
  expect(first.job).toMatchObject({ attempts: 1, max_attempts: 2, last_error: null })
  await loseLease()
  const second = (await pull()).body
  expect(second.job).toMatchObject({
    attempts: 2,
    max_attempts: 2,
    last_error: 'The lease expired on attempt 1 of 2.',
  })
  await loseLease()
  for (let n = 0; n < 3; n += 1) {
    expect((await pull()).status).toBe(204)
    await loseLease()
  }
  expect(await read(id)).toMatchObject({
    state: 'failed',
    reason: 'exhausted',
    last_error: 'The lease expired on attempt 2 of 2.',
    attempt: 2,
    max_retries: 1,
  })
  const { attempts } = (await server.call('GET', `/api/v1/jobs/${id}/attempts`)).body
  expect(attempts.map(({ outcome, moved_to }: Answer['body']) => [outcome, moved_to])).toEqual([
    ['lost', 'queued'],
    ['lost', 'failed'],
  ])
  // Whoever comes late is refused, and the job stays as it is.
  expect((await report({ ...fence(second), done: true })).body.code).toBe('lease_lost')
  await expectHealthy(server.store)
})

it.each([
  ['an error, then a lost lease', ['error', 'loss'], 'The lease expired on attempt 2 of 2.'],
  ['a lost lease, then an error', ['loss', 'error'], 'blocked'],
])('S0.09 max_attempts 2: %s', async (_title, ends, lastError) => {
  const id = await makeJob({ max_attempts: 2 })
  for (const [n, end] of ends.entries()) {
    const { body } = await pull()
    expect(body.job.attempts).toBe(n + 1)
    if (end === 'loss') await loseLease()
    else {
      const said = (await report({ ...fence(body), error: 'blocked' })).body
      expect(said).toMatchObject({ attempts: n + 1, max_attempts: 2, status: n === 0 ? 'queued' : 'failed' })
      // A lost lease counts as an earlier failure for the backoff, as the number of attempts does.
      await server.store.clock.advance(120 * SECOND)
    }
  }
  expect((await pull()).status).toBe(204)
  expect(await read(id)).toMatchObject({
    state: 'failed',
    reason: 'exhausted',
    last_error: lastError,
    attempt: 2,
  })
})

it.each([
  [1, 1],
  [2, 2],
  [5, undefined],
])('S0.09 at most %i claims if every lease is lost (max_attempts %s)', async (claims, max) => {
  const id = await makeJob(max === undefined ? {} : { max_attempts: max })
  let seen = 0
  for (; seen < 20 && (await pull()).status === 200; seen += 1) await loseLease()
  expect(seen).toBe(claims)
  expect(await read(id)).toMatchObject({
    state: 'failed',
    last_error: `The lease expired on attempt ${claims} of ${claims}.`,
  })
})

it('S0.09 a claim that is released is not an attempt: the job keeps all its attempts', async () => {
  const id = await makeJob({ max_attempts: 1 })
  // A lease of its own, closed as at a drain.
  const [job] = await server.store.work.claim({ worker: 'w1', queues: ['leads'] })
  if (job === undefined) throw new Error('nothing was claimed')
  await server.store.work.finish([{ ...job, outcome: 'released', reason: 'shutdown' }])
  expect(await read(id)).toMatchObject({ state: 'queued', failures: 0, interruptions: 1 })
  expect((await pull()).body.job).toMatchObject({ attempts: 2, max_attempts: 1, last_error: null })
  await loseLease()
  expect((await pull()).status).toBe(204)
  expect(await read(id)).toMatchObject({
    state: 'failed',
    last_error: 'The lease expired on attempt 1 of 1.',
  })
})

it('S0.09 a worker that drains releases its job without counting an attempt', async () => {
  const begun: number[] = []
  const job = defineJob({
    kind: 'scrape',
    queue: 'drained',
    maxRetries: 0,
    handler: (ctx) =>
      new Promise<void>((_, reject) => {
        begun.push(ctx.jobId)
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      }),
  })
  const app = await freshApp({ jobs: [job], queues: { drained: { preset: 'harvest' } } })
  const working = await app.work({ pollMs: 20 })
  const handle = await app.enqueue(job, undefined)
  await vi.waitFor(() => expect(begun).toEqual([handle.id]), WAIT)
  await working.drain({ graceMs: 0 })
  expect(await app.store.read.job(handle.id)).toMatchObject({
    state: 'queued',
    failures: 0,
    interruptions: 1,
  })
})

it('S0.09 an operator who retries a job that lost its last lease gives it all its attempts again', async () => {
  const id = await makeJob({ max_attempts: 2 })
  const loseAll = async () => {
    let claims = 0
    for (; claims < 20 && (await pull()).status === 200; claims += 1) await loseLease()
    return claims
  }
  expect(await loseAll()).toBe(2)
  await server.call('POST', `/api/v1/jobs/${id}/retry`)
  expect(await loseAll()).toBe(2)
  expect(await read(id)).toMatchObject({ state: 'failed', attempt: 4 })
})

it('S0.09 explain and the command line name the attempts and why the job has failed', async () => {
  const id = await makeJob({ max_attempts: 1 })
  await pull()
  const explained = async () => (await server.call('GET', `/api/v1/jobs/${id}/explain`)).body.reasons
  expect((await explained())[0].sentence).toContain('This is attempt 1 of 1; a lost lease counts as one.')
  await loseLease()
  expect((await explained())[0]).toMatchObject({ code: 'lease_over', data: { becomes: 'failed' } })
  expect((await pull()).status).toBe(204)
  const [ended] = await explained()
  expect(ended.sentence).toMatch(
    /^The job failed at .* \(exhausted\)\. The lease expired on attempt 1 of 1\.$/,
  )
  expect(ended.data).toMatchObject({ last_error: 'The lease expired on attempt 1 of 1.' })
  const flags = ['--url', postgresUrl(), '--schema', server.store.schema]
  const shown = await cli(['jobs', 'show', String(id), ...flags])
  expect(shown.stdout).toContain('The lease expired on attempt 1 of 1.')
})

it('S0.09 in other presets lost leases have their own limit, and last_error names it', async () => {
  await server.call('POST', '/api/v1/queues', { name: 'crawls', preset: 'crawl' })
  const { id } = (await server.call('POST', '/api/v1/jobs', { queue: 'crawls', kind: 'crawl' })).body
  for (let n = 0; n < 3; n += 1) {
    const claimed = await server.store.work.claim({ worker: 'w', queues: ['crawls'] })
    expect(claimed).toHaveLength(1)
    await server.store.clock.advance(16 * 60 * SECOND)
  }
  expect(await server.store.work.claim({ worker: 'w', queues: ['crawls'] })).toEqual([])
  expect(await read(id)).toMatchObject({
    state: 'failed',
    reason: 'crashed',
    failures: 0,
    last_error: 'The lease expired 3 times in a row, which is the crash budget of the queue.',
  })
})

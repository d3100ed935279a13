// The harvest preset over HTTP: pull_job and report_results.
import { beforeEach, expect, it } from 'vitest'
import { type Answer, type Served, servePinned } from '../support/http.js'
import { expectHealthy, type World } from '../support/world.js'

const SECOND = 1_000

let server: Served<World>
let store: World
beforeEach(async () => {
  server = await servePinned()
  store = server.store
  await store.queues.create('leads', { preset: 'harvest' })
})

const makeJob = async (more = {}): Promise<number> => {
  const made = await server.call('POST', '/api/v1/jobs', {
    queue: 'leads',
    kind: 'scrape',
    input: { city: 'Riga' },
    ...more,
  })
  expect(made.status).toBe(201)
  return made.body.id
}
const pull = (query = '') => server.call('GET', `/api/pull_job${query}`)
const pulled = async (query = ''): Promise<Answer['body']> => {
  const answer = await pull(query)
  expect(answer.status).toBe(200)
  return answer.body
}
const report = (said: object) => server.call('POST', '/api/report_results', said)
const fence = ({ job_id, lease_token }: Answer['body']) => ({ job_id, lease_token })
const at = async (seconds: number) =>
  new Date((await store.clock.now()).getTime() + seconds * SECOND).toISOString()

it('S0.01 a job is queued, processing, done or failed, and done for one of three reasons', async () => {
  for (const [said, reason] of [
    [{ done: true, items: [{ phone: '1' }] }, 'worker_done'],
    [{ done: true, cursor: null }, 'no_more_results'],
    [{ items: [{ phone: '2' }, { phone: '3' }] }, 'target_reached'],
  ] as const) {
    await makeJob({ item_goal: 2 })
    const job = await pulled()
    expect(job.job.status).toBe('processing')
    expect((await report({ ...fence(job), ...said })).body).toMatchObject({
      status: 'done',
      done_reason: reason,
    })
  }
  await makeJob({ max_attempts: 2 })
  const first = await report({ ...fence(await pulled()), error: 'blocked' })
  expect(first.body).toMatchObject({ status: 'queued', done_reason: null })
  expect(Date.parse(first.body.next_retry_at)).toBeGreaterThanOrEqual(Date.parse(await at(30)))
  await store.clock.advance(36 * SECOND)
  const last = await report({ ...fence(await pulled()), error: 'blocked' })
  expect(last.body).toMatchObject({ status: 'failed', next_retry_at: null })
  await expectHealthy(store)
})

it('S0.02 a pull claims one due job: processing, attempts + 1, leased for lease_sec, with last cursor and token', async () => {
  const [id] = [await makeJob(), await makeJob()]
  expect((await server.call('GET', '/api/v1/jobs/1')).body.state).toBe('queued')
  const job = await pulled('?lease_sec=120&worker_id=harvester-7')
  expect(job).toMatchObject({
    job_id: id,
    lease_token: expect.stringMatching(/^\S+$/),
    lease_expires_at: await at(120),
    last_cursor: null,
    job: { id, kind: 'scrape', status: 'processing', attempts: 1, input: { city: 'Riga' }, queue: 'leads' },
  })
  expect(await store.read.job(id)).toMatchObject({ leaseOwner: 'harvester-7', attempt: 1 })
  await report({ ...fence(job), items: [{ phone: '1' }], cursor: { page: 2 }, extend_lease_sec: 1 })
  await store.clock.advance(121 * SECOND)
  await store.commands.cancel(id + 1)
  expect(await pulled()).toMatchObject({
    job_id: id,
    last_cursor: { page: 2 },
    lease_expires_at: await at(60),
    job: { attempts: 2, progress_count: 1, result_count: 1 },
  })
  const none = await pull()
  expect([none.status, none.body]).toEqual([204, ''])
})

it.each(['lease_sec=0', 'lease_sec=86401', 'lease_sec=ten', 'wait_sec=31', 'worker_id=a%20b'])(
  'S0.02 a pull with %s is refused by name and claims nothing',
  async (query) => {
    const id = await makeJob()
    const { status, body } = await pull(`?${query}`)
    expect([status, body.code]).toEqual([400, 'invalid_input'])
    expect(body.errors[0].pointer).toBe(`/${query.split('=')[0]}`)
    expect((await store.read.job(id)).state).toBe('queued')
  },
)

it('S0.02 the bounds of lease_sec are 1 and 86,400; nothing due is 204, also after waiting', async () => {
  await makeJob()
  await makeJob()
  for (const seconds of [1, 86_400])
    expect((await pulled(`?lease_sec=${seconds}`)).lease_expires_at).toBe(await at(seconds))
  expect((await pull('?wait_sec=1')).status).toBe(204)
  await makeJob({ delay_ms: 60 * SECOND })
  expect((await pull()).status, 'not before its time').toBe(204)
  await store.clock.advance(60 * SECOND)
  expect((await pull()).status).toBe(200)
})

it('S0.02 a waiting pull gets a job that is enqueued meanwhile, from any harvest queue', async () => {
  const waiting = pull('?wait_sec=30')
  await store.queues.create('more-leads', { preset: 'harvest' })
  const id = await makeJob({ queue: 'more-leads' })
  expect(await waiting).toMatchObject({ status: 200, body: { job_id: id, job: { queue: 'more-leads' } } })
})

it('S0.02 a pull claims from the named queue, or from the queues of its preset, and from no other', async () => {
  await store.queues.create('images', { preset: 'pipeline' })
  const image = await makeJob({ queue: 'images' })
  expect((await pull()).status).toBe(204)
  expect(await pulled('?queue=images')).toMatchObject({ job_id: image, job: { status: 'processing' } })
  expect((await pull('?queue=nowhere')).body).toMatchObject({ status: 404, code: 'unknown_queue' })
})

it('S0.02 a pull is GET or POST, with or without .php; the worker’s name is in the query, body or header, or is the name of the key', async () => {
  const { secret } = await store.keys.create({ name: 'harvester', scopes: ['work', 'enqueue'] })
  const key = { authorization: `Bearer ${secret}` }
  const made = async () => {
    const { body } = await server.call('POST', '/api/v1/jobs', { queue: 'leads', kind: 'scrape' }, key)
    return body.id as number
  }
  for (const [method, path, body, headers, worker] of [
    ['GET', '/api/pull_job?worker_id=by-query', undefined, { 'x-worker-id': 'by-header' }, 'by-query'],
    [
      'POST',
      '/api/pull_job',
      { worker_id: 'by-body', lease_sec: 90 },
      { 'x-worker-id': 'by-header' },
      'by-body',
    ],
    ['GET', '/api/pull_job.php', undefined, { 'x-worker-id': 'by-header' }, 'by-header'],
    ['POST', '/api/pull_job.php', undefined, {}, 'harvester'],
  ] as const) {
    const id = await made()
    const answer = await server.call(method, path, body, { ...key, ...headers })
    expect(answer.body).toMatchObject({ job_id: id, lease_expires_at: await at(body ? 90 : 60) })
    expect((await store.read.job(id)).leaseOwner).toBe(worker)
    const done = { ...fence(answer.body), done: true }
    const path2 = path.includes('.php') ? '/api/report_results.php' : '/api/report_results'
    expect((await server.call('POST', path2, done, key)).body.status).toBe('done')
  }
  expect((await server.call('GET', '/api/pull_job')).status).toBe(401)
})

it('S0.04 items are stored once, progress and results are totals of the job, the lease is extended and never shortened', async () => {
  const id = await makeJob()
  const job = await pulled('?lease_sec=100')
  const said = {
    ...fence(job),
    items: [{ phone: '1' }, { phone: '2' }, { phone: '2' }],
    cursor: { page: 2 },
    done: false,
    extend_lease_sec: 300,
  }
  expect((await report(said)).body).toEqual({
    job_id: id,
    status: 'processing',
    done_reason: null,
    added: 2,
    duplicates: 1,
    progress_count: 3,
    result_count: 2,
    lease_expires_at: await at(300),
    next_retry_at: null,
    cancel_requested: false,
  })
  const now = await store.clock.now()
  expect(await store.read.job(id)).toMatchObject({ lastCursor: { page: 2 }, lastProgressAt: now })
  const again = await report(said)
  expect(again.body, 'the same report twice changes nothing').toMatchObject({
    added: 0,
    progress_count: 3,
    result_count: 2,
    lease_expires_at: await at(300),
  })
  const short = await report({ ...fence(job), items: [{ phone: '3' }], extend_lease_sec: 1 })
  expect(short.body).toMatchObject({ progress_count: 4, result_count: 3, lease_expires_at: await at(300) })
  await store.clock.advance(250 * SECOND)
  expect((await report(fence(job))).body.lease_expires_at, 'absent: LEASE_SEC_DEFAULT').toBe(await at(60))
  expect((await store.read.job(id)).lastCursor).toEqual({ page: 2 })
  await expectHealthy(store)
})

it('S0.04 a report without a token is refused with the remedy; a stale, wrong or foreign token changes nothing', async () => {
  const id = await makeJob()
  const first = await pulled()
  const naked = await report({ job_id: id, items: [{ phone: '1' }] })
  expect(naked.body).toMatchObject({ status: 400, code: 'lease_token_required' })
  expect(naked.body.remedy).toContain('lease_token')
  for (const token of ['', 'x', '1', '1.2.3', '-1.5'])
    expect((await report({ job_id: id, lease_token: token })).body.code).toBe('invalid_input')
  await store.clock.advance(60 * SECOND)
  const second = await pulled()
  const stale = await report({ ...fence(first), items: [{ phone: '9' }], cursor: 9 })
  expect(stale.body).toMatchObject({ status: 409, code: 'lease_lost' })
  expect((await report({ ...fence(first), error: 'too late' })).body.code).toBe('lease_lost')
  expect((await report({ ...fence(second), job_id: 999 })).body).toMatchObject({
    status: 404,
    code: 'unknown_job',
  })
  expect(await store.read.items({ queue: 'leads' })).toEqual([])
  expect((await report({ ...fence(second), error: 'x', done: true })).status).toBe(400)
  for (const seconds of [0, 86_401])
    expect((await report({ ...fence(second), extend_lease_sec: seconds })).status).toBe(400)
  const many = Array.from({ length: 1_001 }, (_, n) => ({ phone: `${n}` }))
  expect((await report({ ...fence(second), items: many })).status).toBe(400)
  expect((await report({ ...fence(second), items: many.slice(1) })).body.added).toBe(1_000)
  await expectHealthy(store)
})

it('S0.05 the target takes precedence over every other reason, items beyond it are stored, and the lease is cleared', async () => {
  const id = await makeJob({ item_goal: 2 })
  const said = { done: true, done_reason: 'tired', items: ['1', '2', '3'].map((phone) => ({ phone })) }
  expect((await report({ ...fence(await pulled()), ...said })).body).toMatchObject({
    status: 'done',
    done_reason: 'target_reached',
    result_count: 3,
    lease_expires_at: null,
  })
  expect(await store.read.items({ jobId: id })).toHaveLength(3)
  expect(await store.read.job(id)).toMatchObject({
    state: 'succeeded',
    reason: 'target_reached',
    finishedAt: await store.clock.now(),
    leaseExpiresAt: null,
  })
  expect((await pull()).status, 'a done job is never pulled').toBe(204)
})

it.each([
  [{ done: true, done_reason: 'tired', items: [] }, 'tired'],
  [{ done: true, items: [], cursor: null }, 'no_more_results'],
  [{ done: true }, 'no_more_results'],
  [{ done: true, cursor: 7 }, 'worker_done'],
  [{ done: true, items: [{ phone: '1' }] }, 'worker_done'],
  [{ items: [{ phone: '1' }] }, null],
])('S0.05 below the target, %o gives the reason %s', async (said, reason) => {
  await makeJob({ item_goal: 5 })
  const { body } = await report({ ...fence(await pulled()), ...said })
  expect([body.status, body.done_reason]).toEqual([reason === null ? 'processing' : 'done', reason])
})

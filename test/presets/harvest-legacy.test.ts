// The harvest preset, as workers written for the document's own server call it.
import { beforeEach, expect, it } from 'vitest'
import { type Answer, type Served, servePinned } from '../support/http.js'
import { expectHealthy, type World } from '../support/world.js'

const SECOND = 1_000
const WARNING = 'holdfast-warning'

let server: Served<World>
let store: World
beforeEach(async () => {
  server = await servePinned()
  store = server.store
  await store.queues.create('leads', { preset: 'harvest' })
})

const makeJob = async (more = {}): Promise<number> =>
  (await server.call('POST', '/api/v1/jobs', { queue: 'leads', kind: 'scrape', ...more })).body.id
const pulled = async (query = '') => (await server.call('GET', `/api/pull_job${query}`)).body
const report = (said: object) => server.call('POST', '/api/report_results', said)
const fence = ({ job_id, lease_token }: Answer['body']) => ({ job_id, lease_token })
const job = async (id: number) => (await server.call('GET', `/api/v1/jobs/${id}`)).body
const secondsLeft = async ({ lease_expires_at }: Answer['body']) =>
  (Date.parse(lease_expires_at) - (await store.clock.now()).getTime()) / SECOND

it('S0.08 a report with an error stores its items and cursor in the same transaction', async () => {
  const id = await makeJob()
  const first = await pulled()
  const said = {
    ...fence(first),
    items: [{ phone: '1' }, { phone: '2' }, { phone: '1' }],
    cursor: { page: 4 },
    error: 'blocked on page 5',
    log: 'GET /page/5 429',
  }
  const failed = await report(said)
  expect(failed).toMatchObject({
    status: 200,
    body: {
      status: 'queued',
      added: 2,
      duplicates: 1,
      progress_count: 3,
      result_count: 2,
      lease_expires_at: null,
    },
  })
  expect(Date.parse(failed.body.next_retry_at)).toBeGreaterThan((await store.clock.now()).getTime())
  expect(await job(id)).toMatchObject({
    status: 'queued',
    failures: 1,
    last_error: 'blocked on page 5',
    last_cursor: { page: 4 },
    result_count: 2,
  })
  const again = await report(said)
  expect(again, 'the same report twice changes nothing').toMatchObject({
    status: 200,
    body: { status: 'queued', next_retry_at: failed.body.next_retry_at },
  })
  expect(await job(id)).toMatchObject({ failures: 1, result_count: 2, progress_count: 3 })
  await store.clock.advance(40 * SECOND)
  expect(await pulled()).toMatchObject({ job_id: id, last_cursor: { page: 4 }, job: { result_count: 2 } })
  await expectHealthy(store)
})

it('S0.08 if the items of a report with an error reach the target, the job is done; a report cannot have both error and done', async () => {
  const id = await makeJob({ item_goal: 1 })
  const claimed = fence(await pulled())
  const both = await report({ ...claimed, error: 'blocked', done: true })
  expect(both).toMatchObject({ status: 400, body: { errors: [{ pointer: '/error' }] } })
  expect(await job(id), 'nothing was lost').toMatchObject({ status: 'processing' })
  const reached = await report({ ...claimed, error: 'blocked', items: [{ phone: '1' }] })
  expect(reached.body).toMatchObject({ status: 'done', done_reason: 'target_reached', added: 1 })
  const stale = await report({ ...claimed, error: 'blocked', items: [{ phone: '2' }] })
  expect(stale).toMatchObject({ status: 409, body: { code: 'lease_lost' } })
  expect(await job(id)).toMatchObject({ status: 'done', result_count: 1 })
})

it('S0.04 job_id and extend_lease_sec may be digits as text; other text is refused', async () => {
  const id = await makeJob()
  const { lease_token } = await pulled()
  const said = await report({ job_id: String(id), lease_token, extend_lease_sec: '90' })
  expect(said).toMatchObject({ status: 200, body: { job_id: id, status: 'processing' } })
  expect(await secondsLeft(said.body)).toBe(90)
  for (const job_id of ['seven', `${id}.0`, '', null, [id]])
    expect(await report({ job_id, lease_token })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/job_id' }] },
    })
})

it('S0.04 a form as the body is refused with the remedy, and changes nothing', async () => {
  const id = await makeJob()
  const { lease_token } = await pulled()
  for (const path of ['/api/report_results', '/api/report_results.php', '/api/pull_job']) {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ job_id: String(id), lease_token, done: 'true' }),
    })
    expect(answer.status).toBe(415)
    expect(await answer.json()).toMatchObject({
      code: 'unsupported_media_type',
      remedy: expect.stringContaining('Content-Type: application/json'),
    })
  }
  expect(await job(id)).toMatchObject({ status: 'processing', attempt: 1 })
})

it('S0.02 unknown query parameters are ignored with a warning', async () => {
  const id = await makeJob()
  const answer = await server.call('GET', '/api/pull_job.php?lease_sec=5&secret=x&v%C3%A9rsion=2')
  expect(answer).toMatchObject({ status: 200, body: { job_id: id } })
  expect(answer.headers.get(WARNING)).toBe('ignored unknown query parameters: secret v%C3%A9rsion')
  expect(await secondsLeft(answer.body), 'the others count').toBe(5)
  const reported = await server.call('POST', '/api/report_results?debug=1', { ...fence(answer.body) })
  expect([reported.status, reported.headers.get(WARNING)]).toEqual([
    200,
    'ignored unknown query parameters: debug',
  ])
  const many = await server.call('GET', `/api/pull_job?${'abcdefg'.split('').join('=1&')}=1`)
  expect(many.headers.get(WARNING)).toBe('ignored unknown query parameters: a b c d e and others')
  const known = await server.call('GET', '/api/pull_job?lease_sec=5')
  expect(known.headers.get(WARNING)).toBeNull()
  expect((await server.call('GET', '/api/v1/jobs?secret=x')).status, 'elsewhere they are mistakes').toBe(400)
})

it('S0.04 without extend_lease_sec a report extends the lease by LEASE_SEC_DEFAULT, and never shortens it', async () => {
  await makeJob()
  const short = await pulled('?lease_sec=10')
  expect(await secondsLeft(short)).toBe(10)
  const extended = await report(fence(short))
  expect(await secondsLeft(extended.body)).toBe(60)

  await makeJob()
  const long = await pulled('?lease_sec=300')
  await store.clock.advance(100 * SECOND)
  const kept = await report(fence(long))
  expect(await secondsLeft(kept.body), '200 are left, which is more than 60').toBe(200)
  await store.clock.advance(190 * SECOND)
  const later = await report({ ...fence(long), cursor: 2 })
  expect(await secondsLeft(later.body)).toBe(60)
})

it.each([
  [0, 400],
  [1, 200],
  [86_400, 200],
  [86_401, 400],
])('S0.04 extend_lease_sec %i: %i', async (extend_lease_sec, status) => {
  await makeJob()
  expect((await report({ ...fence(await pulled()), extend_lease_sec })).status).toBe(status)
})

it('S0.07 items are stored once per email if that is the key of the queue; two items with one phone are both stored', async () => {
  const queue = 'newsletters'
  const made = await server.call('POST', '/api/v1/queues', {
    name: queue,
    preset: 'harvest',
    policy: { items_key: 'email' },
  })
  expect(made.status).toBe(201)
  const [first, second] = [await makeJob({ queue }), await makeJob({ queue })]
  const ana = { email: 'ana@example.org', phone: '1' }
  const bob = { email: 'bob@example.org', phone: '1' }
  const one = await report({ ...fence(await pulled(`?queue=${queue}`)), items: [ana, bob, ana] })
  expect(one.body).toMatchObject({ job_id: first, added: 2, duplicates: 1 })
  const other = await report({ ...fence(await pulled(`?queue=${queue}`)), items: [{ ...ana, phone: '9' }] })
  expect(other.body, 'also across jobs').toMatchObject({ job_id: second, added: 0, duplicates: 1 })
  const { items } = (await server.call('GET', `/api/v1/items?queue=${queue}`)).body
  expect(items).toMatchObject([
    { key: 'ana@example.org', data: ana },
    { key: 'bob@example.org', data: bob },
  ])
  const csv = await fetch(`${server.url}/api/v1/items/export?queue=${queue}&format=csv`)
  expect((await csv.text()).split('\r\n').slice(0, 3)).toEqual([
    'email,phone,item_id,job_id,created_at,other_fields',
    expect.stringMatching(`^ana@example.org,1,\\d+,${first},`),
    expect.stringMatching(`^bob@example.org,1,\\d+,${first},`),
  ])
})

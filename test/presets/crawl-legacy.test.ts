// The crawl preset, as programs written for the document's own admin API call it.
import { beforeEach, expect, it } from 'vitest'
import { holdfast } from '../support/cli/child.js'
import { type Served, servePinned } from '../support/http.js'
import { postgresUrl, type World } from '../support/world.js'

const MINUTE = 60_000
const WARNING = 'holdfast-warning'
const DAILY = { name: 'daily-askreddit', cron_expression: '@daily' }

let server: Served<World>
let store: World
beforeEach(async () => {
  server = await servePinned()
  store = server.store
  await store.queues.create('crawls', { preset: 'crawl' })
})

const make = (more = {}) => server.call('POST', '/api/v1/jobs', { queue: 'crawls', kind: 'crawl', ...more })
const admin = (method: string, path: string, body?: unknown) => server.call(method, `/api/admin${path}`, body)
const rowOf = async (id: number) => {
  const { jobs } = (await admin('GET', '/jobs')).body
  return jobs.find((row: { id: number }) => row.id === id)
}
const claim = async (id: number) => {
  const { jobs } = (await server.call('POST', `/api/v1/work/claim/${id}`, { worker: 'crawler' })).body
  const { job_id, attempt, lease } = jobs[0]
  return { job_id, attempt, lease }
}
const finish = (fence: object, outcome: string) =>
  server.call('POST', '/api/v1/work/finish', { jobs: [{ ...fence, outcome }] })

it('S1.03 a new job gets 201; a duplicate gets 200 with the existing job, until that job has ended', async () => {
  const first = await make({ subreddit_id: 7 })
  expect(first).toMatchObject({ status: 201, body: { deduplicated: false, status: 'queued' } })
  const { id } = first.body
  const again = { status: 200, body: { id, deduplicated: true } }
  expect(await make({ subreddit_id: 7 })).toMatchObject(again)
  expect(await make({ subreddit_id: '7' })).toMatchObject(again)
  expect(await make({ subreddit_id: 8 })).toMatchObject({ status: 201, body: { deduplicated: false } })
  const running = await claim(id)
  expect(await make({ subreddit_id: 7 })).toMatchObject({ ...again, body: { id, status: 'crawling' } })
  await finish(running, 'succeeded')
  const next = await make({ subreddit_id: 7 })
  expect(next).toMatchObject({ status: 201, body: { deduplicated: false } })
  expect(next.body.id).not.toBe(id)
})

it('S1.03 of ten programs that enqueue a subreddit at once, one gets 201 and nine get 200', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => make({ subreddit_id: 9 })))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
})

it('S1.03 on the command line, a second enqueue returns the first job, too', async () => {
  const enqueue = async (subject: string) => {
    const flags = ['--subject', subject, '--json', '--url', postgresUrl(), '--schema', store.schema]
    const { code, stdout } = await holdfast(['enqueue', 'crawls', 'crawl', ...flags])
    expect(code).toBe(0)
    return JSON.parse(stdout).jobs[0]
  }
  const first = await enqueue('7')
  expect(first.deduplicated).toBe(false)
  expect(await enqueue('7')).toEqual({ jobId: first.jobId, deduplicated: true })
  expect((await enqueue('8')).deduplicated).toBe(false)
})

it('S1.21 a job is created with subreddit_id and visible_at, and returned with them', async () => {
  const visible_at = new Date((await store.clock.now()).getTime() + 5 * MINUTE).toISOString()
  const { body } = await make({ subreddit_id: 41, visible_at })
  expect(await rowOf(body.id)).toMatchObject({ subreddit_id: 41, visible_at, status: 'queued' })
  const none = await server.call('POST', `/api/v1/work/claim/${body.id}`, { worker: 'crawler' })
  expect(none.body).toEqual({ jobs: [] })
  await store.clock.advance(5 * MINUTE)
  await claim(body.id)
  for (const [twice, pointer] of [
    [{ subreddit_id: 1, subject: '1' }, '/subreddit_id'],
    [{ visible_at, run_at: visible_at }, '/visible_at'],
    [{ target_id: 'a', target: 'a' }, '/target_id'],
    [{ target_count: 1, item_goal: 1 }, '/target_count'],
  ] as const)
    expect(await make(twice)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
  const batch = await server.call('POST', '/api/v1/jobs/batch', {
    jobs: [
      { queue: 'crawls', kind: 'crawl' },
      { queue: 'crawls', kind: 'crawl', target: 'a', target_id: 'b' },
    ],
  })
  expect(batch).toMatchObject({ status: 400, body: { errors: [{ pointer: '/jobs/1/target_id' }] } })
})

it('S1.21 visible_at of a job that is let run at once is never later than when it became claimable', async () => {
  const now = async () => (await store.clock.now()).toISOString()
  const visible_at = new Date(Date.parse(await now()) + 60 * MINUTE).toISOString()
  const { id } = (await make({ visible_at })).body
  const { id: canceled } = (await make({ visible_at })).body
  const { id: pending } = (await make({ visible_at, pending: true })).body
  await server.call('POST', `/api/v1/jobs/${pending}/publish`)
  expect(await rowOf(pending)).toMatchObject({ visible_at, status: 'queued' })
  await store.clock.advance(MINUTE)
  const released = await now()
  for (const job of [id, pending]) {
    const row = (await admin('PUT', `/jobs/${job}/status`, { status: 'queued' })).body
    expect(row).toMatchObject({ visible_at: released, status: 'queued' })
  }
  const running = await claim(id)
  const found = (await server.call('GET', '/api/v1/jobs/search?q=kind:crawl')).body.jobs
  expect(found.find((row: { id: number }) => row.id === id).visible_at).toBe(released)
  expect(await rowOf(id)).toMatchObject({ visible_at: released, status: 'crawling' })
  await store.clock.advance(MINUTE)
  await finish(running, 'succeeded')
  expect(await rowOf(id)).toMatchObject({ visible_at: released, status: 'success' })
  await admin('PUT', `/jobs/${canceled}/status`, { status: 'failed' })
  expect((await rowOf(canceled)).visible_at).toBe(await now())
  await admin('POST', `/jobs/${canceled}/retry`)
  expect(await rowOf(canceled)).toMatchObject({ visible_at: await now(), status: 'queued' })
})

it('S1.21 target_id may be a number, and target_count is the number of items a job is done with', async () => {
  const { body } = await make({ target_id: 17, target_count: 3 })
  const job = (await server.call('GET', `/api/v1/jobs/${body.id}`)).body
  expect(job).toMatchObject({ target: '17', item_goal: 3 })
  for (const [wrong, pointer] of [
    [{ target_id: 1.5 }, '/target_id'],
    [{ target_count: 0 }, '/target_count'],
    [{ target_count: '3' }, '/target_count'],
  ] as const)
    expect(await make(wrong)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})

it('S1.12 a boost of more than 100 raises the priority to 100; a missing boost is refused', async () => {
  const { id } = (await make({ priority: 30 })).body
  expect(await admin('POST', `/jobs/${id}/boost`, { boost: 100_000 })).toMatchObject({
    status: 200,
    body: { priority: 100 },
  })
  for (const boost of [0, -5, 1.5, '20'])
    expect((await admin('POST', `/jobs/${id}/boost`, { boost })).status).toBe(400)
})

it.each(['/jobs', '/scheduled-jobs'])(
  'S1.10 a limit over 500 of %s is reduced to 500, with a warning',
  async (path) => {
    const at = async (limit: number) => {
      const { status, body, headers } = await admin('GET', `${path}?limit=${limit}`)
      return [status, body.limit, headers.get(WARNING)]
    }
    expect(await at(499)).toEqual([200, 499, null])
    expect(await at(500)).toEqual([200, 500, null])
    expect(await at(501)).toEqual([200, 500, 'limit 501 is over the maximum; 500 was used'])
    expect((await at(0))[0]).toBe(400)
    const both = await admin('GET', `${path}?limit=9000&sort=id`)
    expect(both.headers.get(WARNING)).toBe(
      'ignored unknown query parameters: sort; limit 9000 is over the maximum; 500 was used',
    )
  },
)

it('S1.07 the name of a schedule may have single spaces', async () => {
  const name = 'Daily crawl of AskReddit'
  const made = await admin('POST', '/scheduled-jobs', { ...DAILY, name })
  expect(made).toMatchObject({ status: 201, body: { name } })
  const byName = `/api/v1/schedules/${encodeURIComponent(name)}`
  expect(await server.call('GET', byName)).toMatchObject({ status: 200, body: { name } })
  expect((await server.call('POST', `${byName}/pause`)).body).toMatchObject({ changed: true })
  const longest = `a ${'b'.repeat(98)}`
  expect((await admin('PUT', `/scheduled-jobs/${made.body.id}`, { name: longest })).body.name).toBe(longest)
  for (const wrong of [' a', 'a ', 'a  b', 'a\tb', 'a/b', `a ${'b'.repeat(99)}`])
    expect(await admin('POST', '/scheduled-jobs', { ...DAILY, name: wrong })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/name' }] },
    })
})

it('S1.06 a bad expression is reported at cron_expression, with its position', async () => {
  const bad = { status: 400, body: { errors: [{ in: 'body', pointer: '/cron_expression' }] } }
  const refused = await admin('POST', '/scheduled-jobs', { ...DAILY, cron_expression: '61 * * * *' })
  expect(refused).toMatchObject(bad)
  expect(refused.body.detail).toMatch(/cron_expression.*position 1/)
  const { id } = (await admin('POST', '/scheduled-jobs', DAILY)).body
  expect(await admin('PUT', `/scheduled-jobs/${id}`, { cron_expression: '@fortnightly' })).toMatchObject(bad)
  expect((await admin('GET', `/scheduled-jobs/${id}`)).body.cron_expression).toBe('@daily')
})

it('S1.21 updated_at moves with every change of a job', async () => {
  const { id } = (await make({ subreddit_id: 3 })).body
  let last = Date.parse((await rowOf(id)).updated_at)
  const moves = async (what: string, change: () => Promise<unknown>) => {
    await store.clock.advance(MINUTE)
    await change()
    const now = Date.parse((await rowOf(id)).updated_at)
    expect(now - last, what).toBe(MINUTE)
    last = now
  }
  await moves('priority', () => admin('PUT', `/jobs/${id}/priority`, { priority: 5 }))
  await moves('boost', () => admin('POST', `/jobs/${id}/boost`, { boost: 5 }))
  let fence = {}
  await moves('claim', async () => {
    fence = await claim(id)
  })
  await moves('report', () => server.call('POST', '/api/v1/work/report', { ...fence, cursor: 1 }))
  await moves('boost while crawling', () => admin('POST', `/jobs/${id}/boost`, { boost: 1 }))
  await moves('failure', () => finish(fence, 'failed'))
  await moves('retry now', () => admin('PUT', `/jobs/${id}/status`, { status: 'queued' }))
  await moves('failed by an operator', () => admin('PUT', `/jobs/${id}/status`, { status: 'failed' }))
  await moves('retry', () => admin('POST', `/jobs/${id}/retry`))
  await store.clock.advance(MINUTE)
  expect(Date.parse((await rowOf(id)).updated_at), 'nothing happened').toBe(last)
})

it('S1.15 updated_at moves with every change of a scheduled job', async () => {
  const { id, updated_at: first } = (await admin('POST', '/scheduled-jobs', DAILY)).body
  let last = first
  for (const [method, path, body] of [
    ['PUT', '', { priority: 20 }],
    ['PUT', '', { description: 'every day' }],
    ['POST', '/toggle', { enabled: false }],
    ['POST', '/toggle', undefined],
  ] as const) {
    await store.clock.advance(MINUTE)
    const { updated_at } = (await admin(method, `/scheduled-jobs/${id}${path}`, body)).body
    expect(Date.parse(updated_at) - Date.parse(last)).toBe(MINUTE)
    last = updated_at
  }
})

it('S1.15 updated_at of a scheduled job moves with a firing, as its last and its next run do', async () => {
  const { id } = (await admin('POST', '/scheduled-jobs', DAILY)).body
  const read = async () => (await admin('GET', `/scheduled-jobs/${id}`)).body
  await store.clock.advance(24 * 60 * MINUTE)
  await store.scheduler.fireDue()
  const fired = await read()
  expect(fired.updated_at).toBe((await store.clock.now()).toISOString())
  expect(fired.last_run_at).toBe(fired.updated_at)
  await store.clock.advance(MINUTE)
  await server.call('POST', `/api/v1/schedules/${DAILY.name}/run`)
  const byHand = await read()
  expect(Date.parse(byHand.updated_at) - Date.parse(fired.updated_at)).toBe(MINUTE)
  expect(byHand.last_run_at).toBe(byHand.updated_at)
  await store.clock.advance(MINUTE)
  await store.scheduler.fireDue()
  expect((await read()).updated_at, 'nothing was due').toBe(byHand.updated_at)
})

it('S1.04 retry_count of a job that has used up its retries never exceeds max_retries', async () => {
  const { id } = (await make({ max_retries: 1 })).body
  const counts = async () => {
    const { status, retries, retry_count, max_retries } = await rowOf(id)
    return { status, retries, retry_count, max_retries }
  }
  await finish(await claim(id), 'failed')
  expect(await counts()).toEqual({ status: 'queued', retries: 1, retry_count: 1, max_retries: 1 })
  await store.clock.advance(2 * MINUTE)
  await finish(await claim(id), 'failed')
  expect(await counts()).toEqual({ status: 'failed', retries: 1, retry_count: 1, max_retries: 1 })
  const [row] = await store.database.query(
    'select retries, retry_count from holdfast.jobs_aliases where id = $1',
    [id],
  )
  expect(row).toEqual({ retries: 1, retry_count: 1 })
})

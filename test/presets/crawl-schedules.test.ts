// The crawl preset: scheduled jobs, through the library and over HTTP.
import { PRIORITIES } from 'holdfast'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectProblem, pinnedServer, type ServedWorld } from '../support/served-world.js'
import type { World } from '../support/world.js'

const HOUR = 3_600_000
const AT = '/api/admin/scheduled-jobs'

let server: ServedWorld<World>
let store: World
beforeEach(async () => {
  server = await pinnedServer()
  store = server.store
})

const call = (method: string, path: string, body?: unknown) =>
  server.call(method, `${AT}${path}`, body === undefined ? {} : { body })
const DAILY = {
  name: 'daily-askreddit',
  description: 'Daily crawl of AskReddit',
  subreddit_id: 1,
  cron_expression: '@daily',
  enabled: true,
  priority: 10,
}
const made = async (more = {}) => (await call('POST', '', { ...DAILY, ...more })).body
const firings = async (name: string) =>
  (await store.schedules.history(name)).map(({ outcome, jobId }) => ({ outcome, jobId })).reverse()

describe('S1.06', () => {
  // A Tuesday, midnight, is where the pinned clock begins.
  it.each([
    ['@yearly', 'UTC', '2031-01-01T00:00:00.000Z'],
    ['@annually', 'UTC', '2031-01-01T00:00:00.000Z'],
    ['@monthly', 'UTC', '2030-02-01T00:00:00.000Z'],
    ['@weekly', 'UTC', '2030-01-06T00:00:00.000Z'],
    ['@daily', 'UTC', '2030-01-02T00:00:00.000Z'],
    ['@hourly', 'UTC', '2030-01-01T01:00:00.000Z'],
    ['@every 1h', 'UTC', '2030-01-01T01:00:00.000Z'],
    ['@every 30m', 'UTC', '2030-01-01T00:30:00.000Z'],
    ['@every 7d', 'UTC', '2030-01-08T00:00:00.000Z'],
    ['@every 1d2h3m4s5ms6000us7000000ns', 'UTC', '2030-01-02T02:03:04.018Z'],
    ['@every 1000000µs', 'UTC', '2030-01-01T00:00:01.000Z'],
    ['15 9 * * MON-FRI', 'UTC', '2030-01-01T09:15:00.000Z'],
    ['30 15 9 * * *', 'UTC', '2030-01-01T09:15:30.000Z'],
    ['15 9 * * *', 'America/New_York', '2030-01-01T14:15:00.000Z'],
  ])('S1.06 "%s" in %s fires first at %s', async (expression, timeZone, at) => {
    const { nextRunAt } = await store.schedules.create({ name: 's', kind: 'crawl', expression, timeZone })
    expect(nextRunAt.toISOString()).toBe(at)
    await store.clock.set(nextRunAt)
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 1, failures: [] })
    expect(await firings('s')).toMatchObject([{ outcome: 'created' }])
  })

  it('S1.06 the default time zone is UTC, and @every counts from the previous slot', async () => {
    const { timeZone } = await store.schedules.create({ name: 's', kind: 'crawl', expression: '@every 1d' })
    expect(timeZone).toBe('UTC')
    await store.clock.advance(24 * HOUR + 60_000)
    await store.scheduler.fireDue()
    expect((await store.schedules.get('s')).nextRunAt.toISOString()).toBe('2030-01-03T00:00:00.000Z')
  })

  it.each([
    ['@every 999ms', 8],
    ['@every 5 minutes', 9],
    ['0 0 * * * * *', 13],
    ['0 25 * * *', 3],
    ['@fortnightly', 1],
  ])('S1.06 the error of the bad expression "%s" names position %i', async (cron_expression, position) => {
    const refused = await call('POST', '', { ...DAILY, cron_expression })
    expectProblem(refused, 400, 'invalid_input')
    expect(refused.body.detail).toContain(`position ${position}: `)
  })
})

describe('S1.07', () => {
  it('S1.07 a scheduled job has all its fields, and a next run that is never null', async () => {
    expect(await made()).toEqual({
      id: expect.any(Number),
      ...DAILY,
      last_run_at: null,
      next_run_at: '2030-01-02T00:00:00.000Z',
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:00.000Z',
      created_by: 'local',
    })
    const nulls = await store.database.query(
      "select is_nullable from information_schema.columns where table_schema = $1 and table_name = 'schedule' and column_name = 'next_run_at'",
      [store.schema],
    )
    expect(nulls).toEqual([{ is_nullable: 'NO' }])
  })

  it('S1.07 the next run is recomputed when the expression changes, and the last run is kept', async () => {
    const { id } = await made()
    await store.clock.advance(24 * HOUR)
    await store.scheduler.fireDue()
    await store.clock.advance(60_000)
    const { body } = await call('PUT', `/${id}`, { cron_expression: '@hourly' })
    expect(body).toMatchObject({
      next_run_at: '2030-01-02T01:00:00.000Z',
      last_run_at: '2030-01-02T00:00:00.000Z',
      updated_at: '2030-01-02T00:01:00.000Z',
    })
  })

  it('S1.07 a firing whose subreddit already has a live job counts as deduplicated, not missed', async () => {
    await made()
    const crawl = { queue: 'crawl', kind: 'crawl', subject: '1' }
    const { jobId } = await store.enqueue(crawl)
    await store.clock.advance(24 * HOUR)
    await store.scheduler.fireDue()
    expect(await firings(DAILY.name)).toEqual([{ outcome: 'deduplicated', jobId }])
    const [job] = await store.work.claim({ worker: 'w', queues: ['crawl'] })
    if (job !== undefined) await store.work.finish([{ ...job, outcome: 'succeeded' }])
    await store.clock.advance(24 * HOUR)
    await store.scheduler.fireDue()
    const [, second] = await firings(DAILY.name)
    expect(second?.outcome).toBe('created')
    expect(await store.read.job(second?.jobId as number)).toMatchObject({
      queue: 'crawl',
      kind: 'crawl',
      subject: '1',
      priority: 10,
      input: { subreddit_id: 1 },
    })
  })
})

describe('S1.15', () => {
  it('S1.15 creates, shows, changes, toggles and deletes a scheduled job', async () => {
    const created = await call('POST', '', DAILY)
    expect(created.status).toBe(201)
    const { id } = created.body
    expect(await call('GET', `/${id}`)).toMatchObject({ status: 200, body: created.body })
    const change = {
      name: 'hourly-worldnews',
      description: 'Hourly crawl of WorldNews',
      cron_expression: '@hourly',
      enabled: true,
      priority: 20,
    }
    expect(await call('PUT', `/${id}`, change)).toMatchObject({
      status: 200,
      body: { id, ...change, subreddit_id: 1, next_run_at: '2030-01-01T01:00:00.000Z' },
    })
    expect(await call('POST', `/${id}/toggle`, { enabled: false })).toMatchObject({
      status: 200,
      body: { enabled: false },
    })
    await store.clock.advance(5 * HOUR)
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 0 })
    expect(await call('POST', `/${id}/toggle`)).toMatchObject({
      status: 200,
      body: { enabled: true, next_run_at: '2030-01-01T06:00:00.000Z' },
    })
    expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 204, text: '' })
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', change],
      ['DELETE', '', undefined],
      ['POST', '/toggle', { enabled: true }],
    ] as const)
      expectProblem(await call(method, `/${id}${path}`, body), 404, 'unknown_schedule')
  })

  it('S1.15 lists scheduled jobs by limit and offset', async () => {
    for (let n = 0; n < 5; n++) await made({ name: `s${n}` })
    const page = async (query: string) => {
      const { body } = await call('GET', query)
      return { ...body, scheduled_jobs: body.scheduled_jobs.map(({ name }: { name: string }) => name) }
    }
    expect(await page('')).toEqual({ scheduled_jobs: ['s0', 's1', 's2', 's3', 's4'], limit: 100, offset: 0 })
    expect(await page('?limit=2&offset=3')).toEqual({ scheduled_jobs: ['s3', 's4'], limit: 2, offset: 3 })
    expectProblem(await call('GET', '?limit=0'), 400, 'invalid_input')
  })

  it('S1.15 a name that exists is a conflict, for a new scheduled job and for a change', async () => {
    await made()
    expectProblem(await call('POST', '', DAILY), 409, 'schedule_exists')
    const { id } = await made({ name: 'other' })
    expectProblem(await call('PUT', `/${id}`, { name: DAILY.name }), 409, 'schedule_exists')
  })

  it('S1.15 shows neither schedules of other queues nor those of other tenants', async () => {
    const { id } = await store.schedules.create({ name: 'report', kind: 'report', expression: '@daily' })
    expectProblem(await call('GET', `/${id}`), 404, 'unknown_schedule')
    const mine = await made()
    const key = await server.key(['admin'], 'acme')
    expectProblem(await server.call('GET', `${AT}/${mine.id}`, { key }), 404, 'unknown_schedule')
    expect((await server.call('GET', AT, { key })).body.scheduled_jobs).toEqual([])
  })

  it('S1.15 requires the queue if several queues have the preset', async () => {
    await store.queues.create('a', { preset: 'crawl' })
    await store.queues.create('b', { preset: 'crawl' })
    expectProblem(await call('POST', '', DAILY), 400, 'invalid_input')
    expect((await call('POST', '?queue=b', DAILY)).status).toBe(201)
    expect(await store.schedules.get(DAILY.name)).toMatchObject({ queue: 'b' })
    await store.queues.create('other')
    expectProblem(await call('POST', '?queue=other', { ...DAILY, name: 'x' }), 409, 'wrong_preset')
  })
})

describe('S1.22', () => {
  it('S1.22 the recommended priorities are named constants', async () => {
    expect(PRIORITIES).toEqual({ user: 60, scheduled: 20, background: 0 })
    const { priority } = await store.schedules.create({ name: 's', kind: 'k', expression: '@daily' })
    expect(priority).toBe(PRIORITIES.scheduled)
  })

  it('S1.22 one call pauses all schedules for a maintenance window, and one resumes them', async () => {
    for (let n = 0; n < 3; n++) await made({ name: `s${n}`, subreddit_id: n, cron_expression: '@hourly' })
    const window = '/api/v1/maintenance-window'
    expect((await server.call('PUT', window, { body: { reason: 'new disks' } })).body).toEqual({
      open: true,
      since: '2030-01-01T00:00:00.000Z',
      until: null,
      paused_by: 'local',
      note: 'new disks',
    })
    await store.clock.advance(3 * HOUR)
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 0 })
    expect((await server.call('DELETE', window)).body).toEqual({ changed: true })
    expect((await server.call('GET', window)).body).toMatchObject({ open: false })
    await store.clock.advance(HOUR)
    expect(await store.scheduler.fireDue()).toMatchObject({ fired: 3 })
    expect(await firings('s0')).toMatchObject([{ outcome: 'skipped' }, { outcome: 'created' }])
  })
})

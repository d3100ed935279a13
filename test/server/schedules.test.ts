import { beforeEach, expect, it } from 'vitest'
import type { World } from '../support/world.js'
import { expectProblem, pinnedServer, type ServerWorld } from './world.js'

const AT = '/api/v1/schedules'
const HOUR = 3_600_000
const NIGHTLY = {
  name: 'nightly',
  kind: 'report',
  queue: 'reports',
  expression: '0 3 * * *',
  time_zone: 'Europe/Berlin',
}

let server: ServerWorld<World>
beforeEach(async () => {
  server = await pinnedServer({ redact: ['/secret'] })
})
const call = (method: string, path: string, body?: unknown, key?: string) =>
  server.call(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key }),
  })

it('a schedule is made, shown, changed and deleted', async () => {
  const made = await call('POST', AT, {
    ...NIGHTLY,
    input: { of: 'sales', secret: 'x' },
    reason: 'asked for',
  })
  expect(made).toMatchObject({
    status: 201,
    body: {
      ...NIGHTLY,
      priority: 20,
      enabled: true,
      next_run_at: '2030-01-01T02:00:00.000Z',
      created_by: 'local',
      overrides: [],
    },
  })
  // Payloads are shown as jobs show them.
  expect(JSON.stringify(made.body.input)).not.toContain('"x"')
  expect(await call('GET', `${AT}/nightly`)).toMatchObject({ status: 200, body: made.body })
  expect(await call('PATCH', `${AT}/nightly`, { time_zone: 'UTC', overlap: 'skip' })).toMatchObject({
    status: 200,
    body: { time_zone: 'UTC', overlap: 'skip', next_run_at: '2030-01-01T03:00:00.000Z' },
  })
  expectProblem(await call('POST', AT, NIGHTLY), 409, 'schedule_exists')
  expect((await call('DELETE', `${AT}/nightly`)).status).toBe(204)
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/run'],
    ['GET', '/preview'],
    ['GET', '/history'],
    ['GET', '/explain'],
  ])
    expectProblem(
      await call(method as string, `${AT}/nightly${path}`, method === 'PATCH' ? {} : undefined),
      404,
      'unknown_schedule',
    )
})

it('an expression that cannot be read is refused with its position, and a wrong zone with the nearest', async () => {
  const expression = await call('POST', AT, { ...NIGHTLY, expression: '0 25 * * *' })
  expectProblem(expression, 400, 'invalid_input')
  expect(expression.body.detail).toContain('position 3: "25" is no hour')
  const zone = await call('POST', AT, { ...NIGHTLY, time_zone: 'Europe/Berln' })
  expectProblem(zone, 400, 'invalid_input')
  expect(zone.body.detail).toContain('Europe/Berlin')
  expectProblem(await call('POST', AT, { ...NIGHTLY, prioritty: 1 }), 400, 'invalid_input')
})

it('pause, resume, run, preview, history and explain say what they did', async () => {
  await call('POST', AT, { ...NIGHTLY, time_zone: 'UTC' })
  expect((await call('POST', `${AT}/nightly/pause`, { reason: 'books' })).body).toEqual({
    name: 'nightly',
    changed: true,
  })
  expect((await call('GET', `${AT}/nightly/explain`)).body.reasons).toMatchObject([
    { code: 'paused', blocking: true, sentence: expect.stringContaining('by local') },
  ])
  const run = await call('POST', `${AT}/nightly/run`, {})
  expect(run).toMatchObject({ status: 200, body: { job_id: expect.any(Number), deduplicated: false } })
  expect((await call('POST', `${AT}/nightly/resume`)).body).toEqual({ name: 'nightly', changed: true })
  expect((await call('GET', `${AT}/nightly/preview?count=2`)).body).toEqual({
    slots: ['2030-01-01T03:00:00.000Z', '2030-01-02T03:00:00.000Z'],
  })
  await server.store.clock.advance(3 * HOUR)
  await server.store.scheduler.fireDue()
  const first = (await call('GET', `${AT}/nightly/history?page_size=1`)).body
  expect(first.firings).toMatchObject([{ outcome: 'created', slot: '2030-01-01T03:00:00.000Z' }])
  const rest = (await call('GET', `${AT}/nightly/history?page_token=${first.next_page_token}`)).body
  expect(rest).toMatchObject({
    firings: [{ outcome: 'manual', job_id: run.body.job_id }],
    next_page_token: null,
  })
})

it('an expression is previewed before there is a schedule', async () => {
  const query = new URLSearchParams({ expression: '0 0 * * *', time_zone: 'Asia/Tokyo', count: '1' })
  expect((await call('GET', `/api/v1/schedule-preview?${query}`)).body).toEqual({
    slots: ['2030-01-01T15:00:00.000Z'],
  })
  expectProblem(await call('GET', '/api/v1/schedule-preview?expression=nonsense'), 400, 'invalid_input')
})

it('lists come in pages, by name', async () => {
  for (const name of ['c', 'a', 'b']) await call('POST', AT, { ...NIGHTLY, name })
  const first = (await call('GET', `${AT}?page_size=2`)).body
  expect(first.schedules.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
  const rest = (await call('GET', `${AT}?page_size=2&page_token=${first.next_page_token}`)).body
  expect(rest).toMatchObject({ schedules: [{ name: 'c' }], next_page_token: null })
})

it('what was declared by a program shows what was changed since, and reset gives it up', async () => {
  await server.store.schedules.declare({ name: 'n', kind: 'k', expression: '@daily' })
  await call('PATCH', `${AT}/n`, { priority: 77, time_zone: 'Asia/Tokyo' })
  expect((await call('GET', `${AT}/n`)).body).toMatchObject({
    overrides: ['priority', 'time_zone'],
    declared: { priority: null, time_zone: 'UTC', catch_up_max: 10 },
  })
  expect((await call('POST', `${AT}/n/reset`)).body).toMatchObject({ overrides: [], priority: 20 })
})

it('a tenant has its own schedules and its own maintenance window, and a reader changes nothing', async () => {
  const [acme, reader] = [await server.key(['operate'], 'acme'), await server.key(['read'], 'bolt')]
  expect((await call('POST', AT, NIGHTLY, acme)).body).toMatchObject({ tenant: 'acme', created_by: 'key-1' })
  expect((await call('GET', AT, undefined, reader)).body.schedules).toEqual([])
  expectProblem(await call('GET', `${AT}/nightly`, undefined, reader), 404, 'unknown_schedule')
  expectProblem(await call('POST', AT, NIGHTLY, reader), 403, 'scope_missing')
  await call('PUT', '/api/v1/maintenance-window', { until: '2030-01-01T04:00:00Z' }, acme)
  expect((await call('GET', '/api/v1/maintenance-window', undefined, acme)).body).toMatchObject({
    open: true,
    until: '2030-01-01T04:00:00.000Z',
    paused_by: 'key-1',
  })
  expect((await call('GET', '/api/v1/maintenance-window', undefined, reader)).body).toMatchObject({
    open: false,
  })
  expectProblem(
    await call('PUT', '/api/v1/maintenance-window', { until: '2020-01-01T00:00:00Z' }, acme),
    400,
    'invalid_input',
  )
})

/** A text that takes so many bytes in JSON. */
const ofBytes = (bytes: number) => 'x'.repeat(bytes - 2)

it.each([
  [9, true],
  [10, true],
  [11, false],
] as const)(
  'an input of %i bytes, where the tenant may have 10, is taken as a job would be: %s',
  async (bytes, taken) => {
    await call('POST', AT, { ...NIGHTLY, name: 'small' })
    await call('PATCH', '/api/v1/tenants/default', { payload_bytes_max: 10 })
    await server.store.queues.create('crawls', { preset: 'crawl' })
    const input = ofBytes(bytes)
    const job = await call('POST', '/api/v1/jobs', { queue: 'q', kind: 'k', input })
    const answers = [
      await call('POST', AT, { ...NIGHTLY, input }),
      await call('PATCH', `${AT}/small`, { input }),
      await call('POST', '/api/v1/subjects', { queue: 'crawls', name: 'r/x', kind: 'crawl', input }),
    ]
    for (const answer of answers) {
      if (taken) {
        expect([200, 201]).toContain(answer.status)
        continue
      }
      expectProblem(answer, job.status, 'limit_exceeded')
      expect(answer.body.data).toEqual({ limit: 'payload_bytes_max', max: 10 })
      expect({ ...answer.body, instance: '' }).toEqual({ ...job.body, instance: '' })
    }
    const names = (await server.store.schedules.list()).map(({ name }) => name)
    expect(names).toEqual(taken ? ['nightly', 'small'] : ['small'])
    expect((await server.store.schedules.get('small')).input).toBe(taken ? input : null)
  },
)

it('changes that leave the input alone, and scheduled crawls, are held to the same limit', async () => {
  await call('POST', AT, { ...NIGHTLY, input: { of: 'sales and more' } })
  await call('PATCH', '/api/v1/tenants/default', { payload_bytes_max: 18 })
  expect((await call('PATCH', `${AT}/nightly`, { priority: 3 })).status).toBe(200)
  const crawl = { name: 'c', cron_expression: '@daily' }
  const admin = '/api/admin/scheduled-jobs'
  // {"subreddit_id":1} has 18 bytes.
  const made = await call('POST', admin, { ...crawl, subreddit_id: 1 })
  expect(made.status).toBe(201)
  expectProblem(await call('POST', admin, { ...crawl, name: 'd', subreddit_id: 12 }), 429, 'limit_exceeded')
  expectProblem(await call('PUT', `${admin}/${made.body.id}`, { subreddit_id: 12 }), 429, 'limit_exceeded')
})

it('a job that somebody asks a schedule for counts against the limits of the tenant, as every other does', async () => {
  await call('POST', AT, NIGHTLY)
  await call('PATCH', '/api/v1/tenants/default', { max_live_jobs: 1 })
  expect((await call('POST', `${AT}/nightly/run`)).status).toBe(200)
  const full = await call('POST', `${AT}/nightly/run`)
  expectProblem(full, 429, 'limit_exceeded')
  expect(full.body.data).toMatchObject({ limit: 'max_live_jobs', max: 1 })
})

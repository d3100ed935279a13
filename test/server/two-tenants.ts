/** Two tenants of one server, each with something of everything. */
import { expect } from 'vitest'
import { defaultRoutes } from '../../src/server/app.js'
import { PRESENCE } from '../support/presence.js'
import { requestOf, type Subject } from './samples.js'
import type { ServerWorld } from './world.js'

const ROUTES = defaultRoutes()

export const GUARDED = ROUTES.filter(({ endpoint }) => endpoint.scope !== null)

export const send = (
  { call }: ServerWorld,
  route: (typeof ROUTES)[number],
  subject: Subject,
  key?: string,
) => {
  const { url, body } = requestOf(route, subject)
  return call(route.endpoint.method, url, {
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key }),
  })
}

const BELONGINGS = [
  ...['jobs', 'queues', 'workers', 'api_keys', 'alerts', 'alert_rules', 'webhooks'],
  ...['schedules', 'schedule_windows', 'subjects', 'bulk_operations', 'bulk_results', 'saved_views'],
]

/** Everything of a tenant that a call could tell or change. */
const belongings = ({ store }: ServerWorld, tenant: string) =>
  Promise.all(
    BELONGINGS.map((view) =>
      store.database.query<{ row: object }>(
        `select to_jsonb(v) - array['last_used_at', 'now', 'late_ms', 'alive'] as row from holdfast.${view} v
         where tenant = $1 order by to_jsonb(v)::text`,
        [tenant],
      ),
    ),
  )

/** A tenant with something of everything, all of it marked. */
export async function settle(world: ServerWorld, tenant: string, mark: string): Promise<Subject> {
  const { store } = world
  const queue = `queue-of-${tenant}`
  await store.queues.create(queue, { tenant, preset: 'target' })
  const job = (more = {}) =>
    store.enqueue(
      { queue, kind: 'k', input: { mark }, target: 'same', labels: { mark }, ...more },
      { tenant },
    )
  const { jobId } = await job()
  await job()
  const worker = `worker-of-${tenant}`
  const [claimed] = await store.work.claim({ worker, queues: [queue], tenant })
  if (claimed === undefined) throw new Error('nothing was claimed')
  await store.work.report({ ...claimed, items: [{ mark }], cursor: mark })
  await store.work.finish([{ ...claimed, outcome: 'failed', error: new Error(mark), log: mark }])
  await store.work.heartbeat({ ...PRESENCE, worker, host: mark, queues: [queue], tenant })
  const { id: keyId } = await store.keys.create({
    tenant,
    name: `key-of-${tenant}`,
    scopes: ['read'],
    actor: mark,
  })
  const webhookId = await store.webhooks.add({
    tenant,
    name: `webhook-of-${tenant}`,
    url: `https://${mark}.example.com/`,
    secret: `whsec_${mark}`.padEnd(30, 'x'),
  })
  const [alert] = await store.database.query<{ id: number }>(
    `insert into holdfast.alert (tenant, rule, subject, state, value, threshold, since, seen_at)
     values ($1, 'depth', $2, 'firing', 2, 1, holdfast.now(), holdfast.now()) returning id`,
    [tenant, mark],
  )
  await store.alerts.silence(alert?.id as number, { forMs: 60_000, reason: mark })
  const { operation } = await store.bulk.start({
    tenant,
    command: 'boost',
    q: `queue:${queue}`,
    reason: mark,
  })
  const { id: viewId } = await store.savedViews.create({ tenant, name: mark, q: `queue:${queue}` })
  return {
    bulkId: operation.id,
    viewId,
    jobId,
    queue,
    worker,
    keyId,
    alertId: alert?.id as number,
    webhookId,
    ...(await plan(world, tenant, mark)),
  }
}

/** What happens by itself: a schedule, held by a maintenance window, and a subject. */
async function plan({ store }: ServerWorld, tenant: string, mark: string) {
  const queue = `crawls-of-${tenant}`
  const schedule = `schedule-of-${tenant}`
  await store.queues.create(queue, { tenant, preset: 'crawl' })
  const { id: scheduleId } = await store.schedules.create(
    { name: schedule, queue, kind: 'crawl', expression: '@daily', input: { mark }, description: mark },
    { tenant },
  )
  await store.schedules.pauseAll({ tenant, reason: mark })
  const subjectId = await store.subjects.add({ tenant, queue, name: mark, kind: 'crawl', input: { mark } })
  return { schedule, scheduleId, subjectId }
}

/** They see nothing of each other and change nothing of each other, on any route. */
export async function expectApart(world: ServerWorld): Promise<void> {
  const bolt = await settle(world, 'bolt', 'b0lt-mark')
  const own = await settle(world, 'acme', 'acme-mark')
  const key = await world.key(['admin', 'operate', 'enqueue', 'work'], 'acme')
  await world.call('POST', '/api/v1/jobs', {
    key: await world.key(['enqueue'], 'bolt'),
    body: { queue: 'b0lt-mark', kind: 'k' },
  })
  const before = await belongings(world, 'bolt')
  expect(JSON.stringify(before)).toContain('b0lt-mark')
  for (const route of GUARDED) {
    const heard = await send(world, route, bolt, key)
    expect(heard.text, route.name).not.toContain('b0lt-mark')
    if (
      route.endpoint.params !== undefined &&
      route.endpoint.everyTenant !== true &&
      !/Setting|AlertRule/.test(route.name)
    )
      expect(heard.status, `${route.name} ${heard.text}`).toBe(404)
  }
  expect(await belongings(world, 'bolt')).toEqual(before)
  // The same requests about what is acme's own are answered, so it is the tenant that decided.
  for (const name of [
    'getJob',
    'listAttempts',
    'listItems',
    'exportItems',
    ...['listBlockedTargets', 'listWorkers', 'getSchedule', 'getScheduledJob'],
    ...['getSubject', 'getWebhook', 'getAlert', 'getKey'],
  ]) {
    const route = ROUTES.find((each) => each.name === name)
    const heard = await send(world, route as (typeof ROUTES)[number], own, key)
    expect(heard, name).toMatchObject({ status: 200, text: expect.stringMatching(/acme/) })
  }
}

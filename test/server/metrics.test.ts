import { defineJob, holdfast } from 'holdfast'
import { serverMetrics } from 'holdfast/metrics'
import { expect, it, onTestFinished } from 'vitest'
import { askOnce } from '../../src/domain/ask-once.js'
import { ExpiredLeases } from '../../src/server/database-facts.js'
import type { DatabaseFacts } from '../../src/telemetry/database-facts.js'
import { LABEL_VALUES_MAX } from '../../src/telemetry/label-values.js'
import { SERVER_FAMILIES } from '../../src/telemetry/server-families.js'
import { readExposition, samplesOf } from '../support/exposition.js'
import { expectProblem, freshServer, pinnedServer, type ServerWorld } from './world.js'

async function families({ call }: Pick<ServerWorld, 'call'>) {
  const { status, text } = await call('GET', '/metrics')
  expect(status).toBe(200)
  return readExposition(text)
}

it('metrics are for a key that may read and acts for every tenant', async () => {
  const world = await freshServer()
  expect((await world.call('GET', '/metrics')).status).toBe(200)
  const everywhere = await world.key(['read'], '*')
  expect((await world.call('GET', '/metrics', { key: everywhere })).status).toBe(200)
  expectProblem(await world.call('GET', '/metrics'), 401, 'unauthorized')
  expectProblem(
    await world.call('GET', '/metrics', { key: await world.key(['enqueue'], '*') }),
    403,
    'scope_missing',
  )
  expectProblem(await world.call('GET', '/metrics', { key: await world.key(['read']) }), 403, 'wrong_tenant')
})

it('a server tells every family of its table, and those that know nothing yet have no samples', async () => {
  const told = await families(await freshServer())
  expect([...told].map(([name, { type }]) => [name, type])).toEqual(
    Object.values(SERVER_FAMILIES).map(({ name, type }) => [name, type]),
  )
})

it('queues are told with their jobs by state, the oldest that waits, whether they are paused and since when somebody has to look', async () => {
  const world = await pinnedServer()
  const { store } = world
  const at = async () => (await store.clock.now()).getTime() / 1000
  await store.queues.create('q')
  await store.queues.create('idle')
  await store.queues.create('targets', { preset: 'target', tenant: 'acme' })
  const first = await at()
  await store.enqueueMany([
    { queue: 'q', kind: 'a' },
    { queue: 'q', kind: 'a', priority: 50 },
  ])
  await store.clock.advance(60_000)
  await store.enqueueMany([
    { queue: 'q', kind: 'b' },
    { queue: 'q', kind: 'a', delayMs: 1000 },
  ])
  await store.enqueue({ queue: 'targets', kind: 'crawl', target: 't' }, { tenant: 'acme' })
  const [job] = await store.work.claim({ worker: 'w', queues: ['targets'], tenant: 'acme' })
  if (job === undefined) throw new Error('there was nothing to claim')
  await store.work.finish([{ ...job, outcome: 'failed', error: new Error('no'), retryable: false }])
  const errored = await at()
  await store.queues.pause('idle')

  const told = await families(world)
  const value = (name: string, labels: Record<string, string>) =>
    samplesOf(told, name, labels).map((one) => one.value)
  expect(value('holdfast_jobs', { tenant: 'default', queue: 'q', state: 'queued' })).toEqual([3])
  expect(value('holdfast_jobs', { tenant: 'default', queue: 'q', state: 'scheduled' })).toEqual([1])
  expect(value('holdfast_jobs', { tenant: 'acme', queue: 'targets', state: 'errored' })).toEqual([1])
  expect(value('holdfast_jobs', { queue: 'idle', state: 'queued' })).toEqual([0])
  expect(value('holdfast_jobs_counted_max', {})[0]).toBe(Math.floor(100_000 / 3))
  expect(value('holdfast_queue_oldest_ready_timestamp_seconds', {})).toEqual([first])
  expect(value('holdfast_queue_blocked_since_timestamp_seconds', {})).toEqual([errored])
  expect(samplesOf(told, 'holdfast_queue_paused').map(({ labels, value }) => [labels.queue, value])).toEqual([
    ['q', 0],
    ['idle', 1],
    ['targets', 0],
  ])
  expect(value('holdfast_jobs_enqueued_total', { tenant: 'default', queue: 'q' })).toEqual([4])
})

it('of queues with a trigger it is told how many jobs that is to hear of, and since when the first waits', async () => {
  const world = await pinnedServer()
  const { store } = world
  await store.queues.create('images', { policy: { externalTrigger: 'sqs' } })
  await store.queues.create('plain')
  const make = (queue: string) => store.enqueue({ queue, kind: 'k' })
  await make('images')
  const rows = await store.triggers.takeOutbox({ trigger: 'sqs' })
  await store.triggers.settleSent(rows.map(({ id }) => ({ id, dueInMs: 60_000 })))
  await store.clock.advance(1_000)
  const first = (await store.clock.now()).getTime() / 1000
  await make('images')
  await store.clock.advance(1_000)
  await make('images')
  await make('plain')
  const told = await families(world)
  const series = (name: string) => samplesOf(told, name).map(({ labels, value }) => ({ ...labels, value }))
  const labels = { tenant: 'default', queue: 'images' }
  expect(series('holdfast_outbox_jobs')).toEqual([
    { ...labels, state: 'unsent', value: 2 },
    { ...labels, state: 'sent', value: 1 },
  ])
  expect(series('holdfast_outbox_oldest_timestamp_seconds')).toEqual([{ ...labels, value: first }])
})

it('workers are told by how they are, and queued jobs of a kind that none of them knows', async () => {
  const world = await freshServer()
  const known = defineJob({ kind: 'known', queue: 'q', handler: () => {} })
  const app = await holdfast({ store: world.store, jobs: [known] })
  onTestFinished(() => app.stop())
  await world.store.queues.create('other')
  await app.work({ name: 'w' })
  await expect.poll(async () => (await world.store.workers.list()).length).toBe(1)
  await world.store.enqueueMany([
    { queue: 'other', kind: 'strange' },
    { queue: 'other', kind: 'strange' },
    { queue: 'other', kind: 'known' },
  ])
  const told = await families(world)
  expect(samplesOf(told, 'holdfast_workers').map(({ labels, value }) => [labels.state, value])).toEqual([
    ['working', 1],
  ])
  // Nobody works on that queue at all.
  expect(
    samplesOf(told, 'holdfast_unserved_jobs').map(({ labels, value }) => [labels.queue, labels.kind, value]),
  ).toEqual(
    expect.arrayContaining([
      ['other', 'strange', 2],
      ['other', 'known', 1],
    ]),
  )
  expect(samplesOf(told, 'holdfast_db_pool_connections').map(({ labels }) => labels.state)).toEqual([
    'busy',
    'idle',
    'waiting',
  ])
})

it('a server tells what it knows itself also where the database says nothing, in words that are few', async () => {
  const metrics = serverMetrics()
  metrics.answered({ method: 'BREW', route: undefined, status: 418, seconds: 0.01 })
  metrics.uploaded('Text/HTML; charset=utf-8', 10)
  metrics.uploaded('not a type', 10)
  const told = readExposition(await metrics.text({}))
  expect(samplesOf(told, 'http_requests_total')).toMatchObject([
    { labels: { method: 'other', route: 'other', status_code: '418' }, value: 1 },
  ])
  expect(samplesOf(told, 'upload_size_bytes', { le: '+Inf' }).map(({ labels }) => labels.mime_type)).toEqual([
    'text/html',
    'other',
  ])
  expect(samplesOf(told, 'holdfast_jobs')).toEqual([])
  const schedules = [
    { tenant: 'default', name: 'nightly', lastRunAt: new Date(5_000) },
    { tenant: 'default', name: 'never', lastRunAt: null },
  ]
  const later = readExposition(await metrics.text({ schedules }))
  expect(samplesOf(later, 'holdfast_schedule_last_run_timestamp_seconds')).toMatchObject([
    { labels: { tenant: 'default', schedule: 'nightly' }, value: 5 },
  ])
})

it('a server tells when each schedule last made a job, and nothing of one that never has', async () => {
  const world = await pinnedServer()
  const { store } = world
  const often = { kind: 'k', queue: 'q', expression: '@hourly' }
  await store.schedules.create({ ...often, name: 'often' })
  await store.schedules.create({ ...often, name: 'acme-often' }, { tenant: 'acme' })
  await store.schedules.create({ ...often, name: 'never', enabled: false })
  await store.clock.advance(3_600_000)
  await store.scheduler.fireDue()
  const ranAt = (await store.clock.now()).getTime() / 1000
  await store.clock.advance(60_000)
  const told = samplesOf(await families(world), 'holdfast_schedule_last_run_timestamp_seconds')
  expect(told.map(({ labels, value }) => [labels.tenant, labels.schedule, value])).toEqual([
    ['default', 'often', ranAt],
    ['acme', 'acme-often', ranAt],
  ])
})

it('so many schedules are looked at and no more, those that were made first', async () => {
  const { store } = await pinnedServer()
  for (const name of ['c', 'b', 'a']) await store.schedules.create({ name, kind: 'k', expression: '@daily' })
  for (const [most, names] of [
    [2, ['c', 'b']],
    [3, ['c', 'b', 'a']],
    [4, ['c', 'b', 'a']],
  ] as const)
    expect((await store.gauges.schedules(most)).map(({ name }) => name)).toEqual(names)
})

it.each([LABEL_VALUES_MAX - 1, LABEL_VALUES_MAX, LABEL_VALUES_MAX + 1])(
  'of %i schedules the first hundred have a name of their own, and the one that ran last speaks for the others',
  async (count) => {
    const schedules = Array.from({ length: count + 1 }, (_, n) => ({
      tenant: 'default',
      name: `s${n}`,
      // The first has its place, though it has nothing to tell.
      lastRunAt: n === 0 ? null : new Date(1000 * n),
    }))
    const told = readExposition(await serverMetrics().text({ schedules }))
    const runs = samplesOf(told, 'holdfast_schedule_last_run_timestamp_seconds')
    const shared = runs.filter(({ labels }) => labels.schedule === 'other')
    expect(runs.length - shared.length).toBe(Math.min(count, LABEL_VALUES_MAX - 1))
    expect(shared.map(({ value }) => value)).toEqual(count < LABEL_VALUES_MAX ? [] : [count])
  },
)

it.each([LABEL_VALUES_MAX - 1, LABEL_VALUES_MAX, LABEL_VALUES_MAX + 1])(
  'of %i queues the first hundred have a name of their own, and the others share one',
  async (count) => {
    const queues: DatabaseFacts['queues'] = Array.from({ length: count }, (_, n) => ({
      queueId: n,
      tenant: 'default',
      queue: `q${n}`,
      paused: n % 2 === 0,
      counts: { queued: 1, running: 2 },
      countedMax: 1000,
      oldestReady: new Date(1000 * n),
      blockedSince: null,
    }))
    const told = readExposition(await serverMetrics().text({ queues }))
    const queued = samplesOf(told, 'holdfast_jobs', { state: 'queued' })
    expect(queued).toHaveLength(count)
    expect(queued.filter(({ labels }) => labels.queue === 'other')).toHaveLength(
      count > LABEL_VALUES_MAX ? 1 : 0,
    )
  },
)

it('leases that ran out are counted from the first look on, also when a minute grows later or is forgotten', async () => {
  let rows = [{ queueId: 1, minute: new Date(0), lost: 5 }]
  const expired = new ExpiredLeases(async () => rows)
  expect([...(await expired.read())]).toEqual([[1, 0]])
  rows = [
    { queueId: 1, minute: new Date(0), lost: 7 },
    { queueId: 2, minute: new Date(60_000), lost: 1 },
  ]
  expect([...(await expired.read())]).toEqual([
    [1, 2],
    [2, 1],
  ])
  rows = [{ queueId: 2, minute: new Date(60_000), lost: 4 }]
  expect([...(await expired.read())]).toEqual([
    [1, 2],
    [2, 4],
  ])
})

it('leases that ran out are in the metrics of a server once upkeep has counted them', async () => {
  const world = await pinnedServer()
  const { store } = world
  await store.queues.create('q', { policy: { leaseMs: 1000 } })
  await store.enqueue({ queue: 'q', kind: 'k' })
  const { lease } = await store.work.openLease('w', 1000)
  await store.work.claim({ worker: 'w', queues: ['q'], lease })
  await store.clock.advance(10_000)
  await store.upkeep.promoteDueWork(100)
  await store.clock.advance(120_000)
  await store.upkeep.countMinutes()
  expect((await store.gauges.lostAttempts()).map(({ lost }) => lost)).toEqual([1])
})

it('what is asked of the database is asked once for all who look within a few seconds, and again after a failure', async () => {
  let now = 0
  let asked = 0
  let fails = false
  const ask = askOnce(
    5_000,
    async () => {
      asked += 1
      if (fails) throw new Error('away')
      return asked
    },
    () => now,
  )
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1])
  now = 4_999
  expect(await ask()).toBe(1)
  now = 5_000
  expect(await ask()).toBe(2)
  now = 10_000
  fails = true
  await expect(ask()).rejects.toThrow('away')
  fails = false
  expect(await ask()).toBe(4)
})

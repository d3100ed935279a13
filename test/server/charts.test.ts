/** The overview, charts, kinds, errors, one worker and one queue over HTTP: what the contract promises, and only of one's own tenant. */
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { PRESENCE } from '../support/presence.js'
import { expectProblem, pinnedServer } from './world.js'

const HOUR = 3_600_000

/** A worker with a running job, and a failed one. */
async function served() {
  const world = await pinnedServer()
  const { store } = world
  await store.queues.create('mail', { policy: { maxRunning: 1 } })
  await store.enqueueMany([1, 2, 3].map((n) => ({ queue: 'mail', kind: 'send', priority: 10 * n })))
  await store.work.heartbeat({
    ...PRESENCE,
    worker: 'w',
    queues: ['mail'],
    kinds: ['send'],
    appVersion: '1.4.2',
  })
  const claim = () => store.work.claim({ worker: 'w', queues: ['mail'], limit: 1, leaseMs: HOUR })
  const [failed] = (await claim()) as [ClaimedJob]
  await store.work.finish([{ ...failed, outcome: 'failed', retryable: false, error: new Error('no') }])
  const [running] = (await claim()) as [ClaimedJob]
  await store.upkeep.countMinutes()
  return { ...world, failed, running }
}

it('answers the overview, a series, and kinds', async () => {
  const { call } = await served()
  const overview = await call('GET', '/api/v1/overview')
  expect(overview.status).toBe(200)
  expect(overview.body).toMatchObject({
    problems: [{ type: 'stuck_upkeep', alert_id: null, since: null }],
    flow: { places: { ready: { count: 1, capped: false }, running: { count: 1 } }, ended_24h: { failed: 1 } },
    counts: { queues: 1, kinds: 1, workers: 1, error_groups: 1 },
  })
  const series = await call('GET', '/api/v1/stats/series?span=24h&queue=mail&kind=send')
  expect(series.body).toMatchObject({
    span: '24h',
    step_ms: 900_000,
    total: { enqueued: 3, failed: 1, attempts_failed: 1, failed_rate: 1, run: { count: 1, p50: 0 } },
  })
  expect(series.body.points).toHaveLength(96)
  expectProblem(await call('GET', '/api/v1/stats/series?queue=none'), 404, 'unknown_queue')
  expectProblem(await call('GET', '/api/v1/stats/series?span=2h'), 400, 'invalid_input')

  const { body: kinds } = await call('GET', '/api/v1/kinds')
  expect(kinds.stats).toMatchObject([{ kind: 'send', last_day: { attempts: 1 }, version: '1.4.2' }])
  const { body: kind } = await call('GET', '/api/v1/kinds/send')
  expect(kind).toMatchObject({
    kind: 'send',
    queues: ['mail'],
    workers: 1,
    declared: null,
    last_error: { message: 'no' },
    versions: [{ version: '1.4.2', attempts: 1, failed: 1, failed_rate: 1 }],
  })
  expectProblem(await call('GET', '/api/v1/kinds/none'), 404, 'kind_not_found')
})

it('answers groups of errors, and the search that finds their jobs', async () => {
  const { call, failed, key } = await served()
  const { body } = await call('GET', '/api/v1/errors?kind=send')
  expect(body).toMatchObject({
    groups: [{ message: 'no', count: 1, count_24h: 1, first_version: '1.4.2', last_job_id: failed.jobId }],
    next_page_token: null,
  })
  const { fingerprint } = body.groups[0]
  const { body: group } = await call('GET', `/api/v1/errors/${fingerprint}`)
  expect(group).toMatchObject({
    fingerprint,
    search: `state:failed error:${fingerprint}`,
    samples: [{ job_id: failed.jobId, state: 'failed', queue: 'mail', message: 'no' }],
  })
  expectProblem(await call('GET', '/api/v1/errors/none'), 404, 'unknown_error_group')
  expectProblem(await call('GET', '/api/v1/errors?page_token=x'), 400, 'invalid_input')
  const other = await key(['read'], 'other')
  const hidden = await call('GET', `/api/v1/errors/${fingerprint}`, { key: other })
  expectProblem(hidden, 404, 'unknown_error_group')
  expect((await call('GET', '/api/v1/overview', { key: other })).body.counts).toMatchObject({
    queues: 0,
    error_groups: 0,
  })
})

it('answers a worker with its jobs, a queue as it is now, and changes of the number of workers', async () => {
  const { call, store, running, key } = await served()
  await store.clock.advance(5_000)
  const { body: worker } = await call('GET', '/api/v1/workers/w')
  expect(worker).toMatchObject({
    worker: 'w',
    app_version: '1.4.2',
    heartbeat_age_ms: 5_000,
    jobs: [{ id: running.jobId, queue: 'mail', kind: 'send', attempt: 1, started_at: null }],
    jobs_capped: false,
  })
  const { body: queue } = await call('GET', '/api/v1/queues/mail/state')
  expect(queue).toMatchObject({
    name: 'mail',
    priorities: [{ priority: 10, count: 1, capped: false }],
    ready: { count: 1 },
    running: { count: 1 },
    limits_reached: [{ code: 'queue_full' }],
    workers: 1,
  })
  expect(queue.sentences).toContain('At most 1 job runs at once, over all workers.')
  await store.work.recordScale('w', {
    group: 'g',
    tenant: 'default',
    from: 1,
    to: 4,
    depth: 9,
    reason: 'depth',
  })
  const { body: scale } = await call('GET', '/api/v1/stats/scale?span=1h')
  expect(scale).toMatchObject({
    events: [{ group: 'g', from: 1, to: 4, depth: 9, worker: 'w' }],
    capped: false,
  })
  const other = await key(['read'], 'other')
  expectProblem(await call('GET', '/api/v1/workers/w', { key: other }), 404, 'unknown_worker')
  expect((await call('GET', '/api/v1/stats/scale', { key: other })).body.events).toEqual([])
})

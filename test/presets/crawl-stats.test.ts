// The crawl preset: how queues are doing, over HTTP and in SQL.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { pinnedServer } from '../support/served-world.js'
import { START } from '../support/template.js'
import { secondStore } from '../support/world.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function crawls() {
  const { store, call } = await pinnedServer()
  await store.queues.create('crawls', {
    preset: 'crawl',
    policy: { jitterLow: 0, jitterHigh: 0, maxRetries: 1 },
  })
  let made = 0
  const make = async (more = {}) =>
    (await store.enqueue({ queue: 'crawls', kind: 'crawl', subject: `r/${++made}`, ...more })).jobId
  const claim = async (limit = 1): Promise<ClaimedJob[]> =>
    store.work.claim({ worker: 'crawler', queues: ['crawls'], limit })
  const end = (jobs: ClaimedJob[], outcome: 'succeeded' | 'failed') =>
    store.work.finish(jobs.map((job) => ({ ...job, outcome })))
  const metrics = async () => {
    await store.upkeep.countMinutes()
    return (await call('GET', '/api/v1/metrics/queues?queue=crawls')).body.queues[0]
  }
  return { store, call, make, claim, end, metrics }
}

it('S1.18 depth and the histogram of priorities count the jobs that wait now', async () => {
  const { make, claim, metrics } = await crawls()
  for (const priority of [0, 0, 0, 50, 50, 70]) await make({ priority })
  await make({ delayMs: HOUR })
  await claim(1)
  expect(await metrics()).toMatchObject({ depth: 5, priorities: { 0: 3, 50: 2 } })
})

it('the oldest job that can be claimed has its time, and none is null', async () => {
  const { store, make, claim, metrics } = await crawls()
  expect(await metrics()).toMatchObject({ oldest_ready_at: null })
  const since = START.toISOString()
  await make({ priority: 50 })
  await store.clock.advance(MINUTE)
  await make({ priority: 0 })
  expect(await metrics()).toMatchObject({ oldest_ready_at: since })
  await claim(2)
  expect(await metrics()).toMatchObject({ oldest_ready_at: null })
})

it('S1.18 failed-job rate, retry success rate and average wait over 15 minutes, an hour and a day', async () => {
  const { store, make, claim, end, metrics } = await crawls()
  // 23 hours ago one job succeeded at once, after 10 minutes of waiting.
  await make()
  await store.clock.advance(10 * MINUTE)
  await end(await claim(), 'succeeded')
  await store.clock.advance(22 * HOUR)
  // Half an hour ago two failed for good, each after two attempts.
  await make()
  await make()
  for (let attempt = 0; attempt < 2; attempt++) {
    await end(await claim(2), 'failed')
    await store.clock.advance(MINUTE)
  }
  await store.clock.advance(28 * MINUTE)
  // Now one succeeds at its second attempt and one at its first; they waited 4 minutes.
  await make()
  await make()
  await store.clock.advance(4 * MINUTE)
  const [one, two] = (await claim(2)) as [ClaimedJob, ClaimedJob]
  await end([one], 'failed')
  await end([two], 'succeeded')
  await store.clock.advance(MINUTE)
  await end(await claim(), 'succeeded')

  const of = { average_run_ms: 0, canceled: 0, attempts_lost: 0 }
  const quarter = {
    ...of,
    enqueued: 2,
    started: 3,
    succeeded: 2,
    failed: 0,
    ended_after_failures: 1,
    succeeded_after_failures: 1,
    attempts_failed: 1,
    failed_rate: 0,
    retry_success_rate: 1,
    average_wait_ms: 4 * MINUTE,
  }
  const hour = {
    ...of,
    enqueued: 4,
    started: 7,
    succeeded: 2,
    failed: 2,
    ended_after_failures: 3,
    succeeded_after_failures: 1,
    attempts_failed: 5,
    failed_rate: 0.5,
    retry_success_rate: 1 / 3,
    average_wait_ms: 2 * MINUTE,
  }
  const day = {
    ...hour,
    enqueued: 5,
    started: 8,
    succeeded: 3,
    failed_rate: 0.4,
    average_wait_ms: (18 * MINUTE) / 5,
  }
  expect((await metrics()).windows).toEqual({ '15m': quarter, '1h': hour, '24h': day })

  const rows = await store.database.query(
    `select window_sec, failed_rate, retry_success_rate, average_wait_ms from holdfast.queue_metrics('default')`,
  )
  expect(rows).toEqual(
    [quarter, hour, day].map(({ failed_rate, retry_success_rate, average_wait_ms }, n) => ({
      window_sec: [900, 3_600, 86_400][n],
      failed_rate,
      retry_success_rate,
      average_wait_ms,
    })),
  )
})

it('S1.18 a running job counts as started, and its wait counts', async () => {
  const { store, make, claim, metrics } = await crawls()
  await make()
  await store.clock.advance(3 * MINUTE)
  await claim()
  const { windows } = await metrics()
  expect(windows['15m']).toMatchObject({ enqueued: 1, started: 1, average_wait_ms: 3 * MINUTE, succeeded: 0 })
})

it('S1.18 a rate over no jobs is null, not 0; the wait of a job begins when it is due', async () => {
  const { store, make, claim, end, metrics } = await crawls()
  expect((await metrics()).windows['1h']).toMatchObject({
    failed_rate: null,
    retry_success_rate: null,
    average_wait_ms: null,
  })
  await make({ delayMs: 10 * MINUTE })
  await store.clock.advance(12 * MINUTE)
  await end(await claim(), 'succeeded')
  expect((await metrics()).windows['1h']).toMatchObject({
    failed_rate: 0,
    retry_success_rate: null,
    average_wait_ms: 2 * MINUTE,
  })
})

it('S1.18 each tenant sees its own queues', async () => {
  const { store, call, make } = await crawls()
  await make()
  await (await secondStore(store)).enqueue({ queue: 'crawls', kind: 'k' }, { tenant: 'bolt' })
  await store.upkeep.countMinutes()
  const { secret } = await store.keys.create({ name: 'bolt', scopes: ['read'], tenant: 'bolt' })
  const { body } = await call('GET', '/api/v1/metrics/queues', { key: secret })
  expect(body.queues).toMatchObject([{ queue: 'crawls', tenant: 'bolt', depth: 1 }])
  expect((await call('GET', '/api/v1/metrics/queues?queue=nowhere', { key: secret })).status).toBe(404)
})

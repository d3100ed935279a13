/** Who looks after the shop: workers at this moment, alerts, webhooks, keys, tenants, the audit log. */
import type { Store } from 'holdfast/store'
import type { PinnedClock } from 'holdfast/testing'
import { kindsOf } from './past.js'
import { WORKERS } from './shop.js'

const SECRET = 'a secret of thirty-two characters'

export async function addCare(
  store: Store,
  clock: PinnedClock,
  now: Date,
  busy: readonly number[],
): Promise<void> {
  await clock.set(new Date(now.getTime() - 10 * 60_000))
  await store.webhooks.add({
    name: 'on-call',
    url: 'https://hooks.example/on-call',
    secret: SECRET,
    actor: 'ada',
  })
  await addWorkers(store, clock, now, busy)
  await raiseAlerts(store, clock, now)
  await store.upkeep.recordChores(
    'node-0:4200',
    CHORES.map(([name, everySec, rows, runs, rowsTotal]) => ({
      ...{ name, everyMs: everySec * 1_000, agoMs: (everySec * 1_000) / 3, durationMs: 4 + rows / 10 },
      ...{
        rows,
        runs,
        rowsTotal,
        error: null,
        failures: 0,
        lastChangeAgoMs: rows > 0 ? everySec * 333 : null,
      },
    })),
  )
  await store.tenants.setLimits('acme', { maxRunning: 50, maxLiveJobs: 100_000 }, { actor: 'ada' })
  await store.settings.set('ALERT_DEPTH_JOBS', 500, { actor: 'ada', reason: 'quieter nights' })
  await store.audit.record(
    AUDITED.map(([agoMs, actor, operation, path, status, reason], n) => ({
      ...{ agoMs, tenant: 'default', actor, keyId: null, operation, method: 'POST', path, status },
      ...{ code: status < 400 ? null : 'forbidden', reason, requestId: `req-${n}`, address: '10.0.0.7' },
    })),
  )
}

/** Name, interval in seconds, rows of the last pass, passes and rows in all. */
const CHORES: [string, number, number, number, number][] = [
  ['promote', 1, 3, 85_900, 4_120],
  ['roll-up', 10, 18, 8_590, 10_480],
  ['alerts', 15, 4, 5_720, 61],
  ['partitions', 3_600, 0, 24, 9],
  ['prune', 60, 120, 1_430, 96_210],
  ['age', 300, 0, 288, 0],
  ['reset', 60, 0, 1_430, 0],
  ['stale', 60, 0, 1_430, 0],
  ['prune-records', 60, 0, 1_430, 12],
  ['expire-keys', 60, 0, 1_430, 0],
]

const AUDITED: [number, string, string, string, number, string | null][] = [
  [50 * 60_000, 'ada', 'resumeJob', '/api/v1/jobs/12/resume', 200, 'partner is back'],
  [11 * 60_000, 'ada', 'pauseQueue', '/api/v1/queues/images/pause', 200, 'S3 maintenance until 18:00'],
  [9 * 60_000, 'grafana', 'cancelJob', '/api/v1/jobs/31/cancel', 403, null],
  [95_000, 'ada', 'cancelJob', '/api/v1/jobs/44/cancel', 200, 'the sale is over'],
]

async function addWorkers(
  store: Store,
  clock: PinnedClock,
  now: Date,
  running: readonly number[],
): Promise<void> {
  const beat = (n: number, busy: number) => {
    const { worker, queues, version, appVersion, slots } = WORKERS[n] as (typeof WORKERS)[number]
    return store.work.heartbeat({
      ...{ worker, queues, version, appVersion, slots, busy, host: `node-${n % 3}`, pid: 4_200 + n },
      kinds: kindsOf(queues),
      ...{ tenant: 'default', lagMs: n === 1 ? 310 : 3, draining: false },
    })
  }
  // The last heartbeat of images-1, whose process has died.
  await beat(5, 0)
  const group = { group: 'mailer', tenant: 'default', reason: 'depth' as const }
  await store.work.recordScale('mailer-1', { ...group, from: 1, to: 3, depth: 240 })
  await clock.set(now)
  for (const [n, busy] of running.entries()) await beat(n, busy)
  await store.workers.drain('chat-2', { actor: 'ada', reason: 'kernel update of node-0' })
}

/** An alert is pending first, and fires when it has lasted. */
async function raiseAlerts(store: Store, clock: PinnedClock, now: Date): Promise<void> {
  for (const agoMs of [150_000, 75_000, 0]) {
    await clock.set(new Date(now.getTime() - agoMs))
    await store.upkeep.countMinutes(10_000)
    await store.alerts.check()
  }
  const [first, second] = await store.webhooks.take(10, 30_000)
  if (first) await store.webhooks.settle(first.id, first.attempt, { arrived: true, status: 204, error: null })
  if (second)
    await store.webhooks.settle(second.id, second.attempt, {
      ...{ arrived: false, status: 503, error: 'answered 503', retryMs: 60_000 },
    })
}

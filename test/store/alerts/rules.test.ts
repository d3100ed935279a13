// What each rule finds, just below and just above its threshold.
import type { ClaimedJob } from 'holdfast/store'
import { openPostgres } from 'holdfast/store'
import { expect, it } from 'vitest'
import { beat, enqueue, firing, nextCheck, withoutWaiting } from '../../support/alerts/alert-world.js'
import { onEachDriver, pinnedStore, postgresUrl, type World } from '../../support/world.js'

const HOUR_MS = 3_600_000

onEachDriver('rules', (driver) => {
  const world = async (): Promise<World> => {
    const store = await pinnedStore(driver)
    await withoutWaiting(store)
    return store
  }

  it('depth: more claimable jobs of a queue than ALERT_DEPTH_JOBS, paused or not, whatever other queues have', async () => {
    const store = await world()
    await store.settings.set('ALERT_NO_WORKER_JOBS', 100_000)
    await enqueue(store, 'deep', 1000)
    await enqueue(store, 'other', 900)
    expect(await nextCheck(store)).toBe(0)
    await enqueue(store, 'deep', 1)
    expect(await nextCheck(store)).toBe(1)
    await store.queues.pause('deep')
    expect(await nextCheck(store)).toBe(0)
    expect(await store.alerts.list()).toMatchObject([
      {
        tenant: 'default',
        rule: 'depth',
        subject: 'deep',
        state: 'firing',
        value: 1001,
        threshold: 1000,
        summary: 'More than 1000 jobs wait in the queue deep.',
      },
    ])
    await store.work.claim({ worker: 'w', queues: ['other'], limit: 1 })
    await store.queues.resume('deep')
    await store.work.claim({ worker: 'w', queues: ['deep'], limit: 1 })
    expect(await nextCheck(store)).toBe(1)
    expect(await firing(store)).toEqual([])
  })

  it('running_long: an attempt that runs for more than an hour, counted from its begin', async () => {
    const store = await world()
    await beat(store, 'w', ['k'], ['slow'])
    await enqueue(store, 'slow', 1)
    const { lease } = await store.work.openLease('w', 24 * HOUR_MS)
    const [job] = await store.work.claim({ worker: 'w', queues: ['slow'], lease })
    await nextCheck(store)
    expect(await nextCheck(store, HOUR_MS - 15_000)).toBe(0)
    expect(await nextCheck(store, 15_000)).toBe(1)
    expect(await store.alerts.list()).toMatchObject([
      { rule: 'running_long', subject: 'slow', value: 3615, threshold: 3600, data: { job_id: job?.jobId } },
    ])
    await store.work.finish([{ ...(job as ClaimedJob), outcome: 'succeeded' }])
    expect(await nextCheck(store)).toBe(1)
    expect(await firing(store)).toEqual([])
  })

  it('oldest_ready: a job that could have been claimed for longer than 15 minutes, unless its queue is paused', async () => {
    const store = await world()
    await store.settings.set('ALERT_NO_WORKER_JOBS', 100_000)
    await store.queues.create('waits', { preset: 'default' })
    await store.enqueue({ queue: 'waits', kind: 'k', priority: 10 })
    await nextCheck(store)
    await store.enqueue({ queue: 'waits', kind: 'k', priority: 90 })
    expect(await nextCheck(store, 900_000 - 15_000)).toBe(0)
    expect(await nextCheck(store)).toBe(1)
    expect(await store.alerts.list()).toMatchObject([{ rule: 'oldest_ready', subject: 'waits', value: 915 }])
    await store.queues.pause('waits')
    expect(await nextCheck(store)).toBe(1)
    expect(await firing(store)).toEqual([])
  })

  it('oldest_ready: a job that came back waits since then, and not since it was made', async () => {
    const store = await world()
    await store.settings.set('ALERT_NO_WORKER_JOBS', 100_000)
    await store.enqueue({ queue: 'waits', kind: 'k', runAt: new Date('2030-01-01T02:00:00Z') })
    await store.clock.advance(2 * HOUR_MS)
    await store.upkeep.promote()
    expect(await nextCheck(store)).toBe(0)
    expect(await nextCheck(store, 900_000)).toBe(1)
  })

  it('no_worker: jobs of a kind that no live worker of their queue knows; draining and silent ones do not count', async () => {
    const store = await world()
    await enqueue(store, 'mail', 2, 'send')
    await enqueue(store, 'mail', 1, 'holdfast.cancel')
    expect(await nextCheck(store)).toBe(2)
    expect(await store.alerts.list({ rule: 'no_worker' })).toMatchObject([
      { subject: 'mail/holdfast.cancel', value: 1 },
      {
        subject: 'mail/send',
        value: 2,
        data: { queue: 'mail', kind: 'send' },
        summary: 'Jobs of kind send wait in the queue mail, and no live worker knows it.',
      },
    ])
    await beat(store, 'elsewhere', ['send'], ['other'])
    await beat(store, 'other', ['else'], ['mail'])
    await nextCheck(store)
    expect(await firing(store)).toEqual(['no_worker mail/send'])
    await beat(store, 'other', ['else'], ['mail'])
    await beat(store, 'right', ['send'], ['mail'], true)
    await nextCheck(store)
    expect(await firing(store)).toEqual(['no_worker mail/send'])
    await beat(store, 'right', ['send'], ['mail'])
    await nextCheck(store)
    expect(await firing(store)).toEqual([])
    await nextCheck(store, 31_000)
    expect(await firing(store)).toEqual(['no_worker mail/holdfast.cancel', 'no_worker mail/send'])
  })

  it('no_worker: a kind that stands behind many others is found once it was parked', async () => {
    const store = await world()
    await enqueue(store, 'mail', 1, 'odd')
    const [job] = await store.work.claim({ worker: 'w', queues: ['mail'] })
    await store.work.finish([{ ...(job as ClaimedJob), outcome: 'parked' }])
    await beat(store, 'w', ['k'], ['mail'])
    expect(await nextCheck(store)).toBe(1)
    expect(await firing(store)).toEqual(['no_worker mail/odd'])
  })

  it('schedule_late: due for more than two rounds of the scheduler and not fired, unless it is paused or all of them are', async () => {
    const store = await world()
    await store.settings.set('ALERT_NO_WORKER_JOBS', 100_000)
    await store.schedules.create({ name: 'nightly', kind: 'k', queue: 'q', expression: '@hourly' })
    await nextCheck(store, HOUR_MS)
    expect(await nextCheck(store, 120_000)).toBe(0)
    expect(await nextCheck(store)).toBe(1)
    expect(await store.alerts.list()).toMatchObject([
      { rule: 'schedule_late', subject: 'nightly', value: 2.3, threshold: 2 },
    ])
    await store.schedules.pauseAll()
    expect(await nextCheck(store)).toBe(1)
    await store.schedules.resumeAll()
    await store.database.query(
      `update holdfast.schedule set next_run_at = holdfast.now() - interval '1 hour', quiet_until = null`,
    )
    expect(await nextCheck(store)).toBe(1)
    await store.schedules.pause('nightly')
    expect(await nextCheck(store)).toBe(1)
    expect(await firing(store)).toEqual([])
  })

  it('schedule_late: a slot that was due in a maintenance window is late from the end of the window on', async () => {
    const store = await world()
    await store.settings.set('ALERT_NO_WORKER_JOBS', 100_000)
    await store.schedules.create({ name: 'nightly', kind: 'k', queue: 'q', expression: '@hourly' })
    const until = new Date((await store.clock.now()).getTime() + 5 * HOUR_MS)
    await store.schedules.pauseAll({ until })
    await nextCheck(store, 5 * HOUR_MS + 100_000)
    expect(await firing(store)).toEqual([])
    await nextCheck(store, 60_000)
    expect(await firing(store)).toEqual(['schedule_late nightly'])
    await store.schedules.pauseAll()
    await store.schedules.resumeAll()
    await nextCheck(store)
    expect(await firing(store)).toEqual([])
  })

  it('failed_rate: more than 10 % of at least 20 jobs that ended in the last 15 minutes', async () => {
    const store = await world()
    await beat(store, 'w', ['k'], ['q'])
    const end = async (n: number, outcome: 'succeeded' | 'failed') => {
      await enqueue(store, 'q', n)
      const jobs = await store.work.claim({ worker: 'w', queues: ['q'], limit: n })
      await store.work.finish(jobs.map((job) => ({ ...job, outcome, retryable: false })))
      await store.upkeep.countMinutes()
    }
    await end(2, 'failed')
    await end(17, 'succeeded')
    await nextCheck(store)
    expect(await firing(store)).toEqual([])
    await end(1, 'succeeded')
    await nextCheck(store)
    expect(await firing(store)).toEqual([])
    await end(1, 'failed')
    await nextCheck(store)
    expect(await store.alerts.list()).toMatchObject([
      {
        rule: 'failed_rate',
        subject: 'q',
        value: 14.3,
        data: { failed: 3, ended: 21 },
        summary: '14.3 % of the 21 jobs of the queue q that ended in the last 15 minutes failed.',
      },
    ])
    await nextCheck(store, 900_000)
    expect(await firing(store)).toEqual([])
  })

  it('leases_lost: more than ALERT_LEASES_LOST attempts of a queue that lost their lease in the last 15 minutes', async () => {
    const store = await world()
    await store.settings.set('ALERT_LEASES_LOST', 1)
    await store.settings.set('ALERT_NO_WORKER_JOBS', 100_000)
    for (const lost of [1, 2]) {
      await enqueue(store, 'q', 1)
      await store.upkeep.promote()
      await store.work.claim({ worker: 'w', queues: ['q'], limit: 1 })
      await store.clock.advance(60_000)
      await store.upkeep.reclaim()
      await store.upkeep.countMinutes()
      await nextCheck(store)
      expect(await firing(store)).toEqual(lost > 1 ? ['leases_lost q'] : [])
    }
  })

  it('blocked_target: a target whose first job has waited for a person for more than an hour', async () => {
    const store = await world()
    await store.queues.create('sites', { preset: 'target' })
    const { jobId } = await store.enqueue({ queue: 'sites', kind: 'k', target: 'example' })
    const [job] = await store.work.claim({ worker: 'w', queues: ['sites'] })
    await store.work.finish([{ ...(job as ClaimedJob), outcome: 'failed' }])
    await nextCheck(store, 0)
    expect(await nextCheck(store, HOUR_MS)).toBe(0)
    expect(await nextCheck(store, 15_000)).toBe(1)
    expect(await store.alerts.list()).toMatchObject([
      { rule: 'blocked_target', subject: 'sites', data: { target: 'example', job_id: jobId } },
    ])
    await store.commands.skip(jobId)
    expect(await nextCheck(store)).toBe(1)
    expect(await firing(store)).toEqual([])
  })
})

it('old_snapshot: a transaction somebody left open, with who it is; it concerns the installation and no tenant', async () => {
  const store = await pinnedStore()
  await withoutWaiting(store)
  const name = 'forgetful'
  const other = openPostgres({ url: postgresUrl(), connections: 1, applicationName: name })
  try {
    await other.transaction(async (session) => {
      await session.query('set transaction isolation level repeatable read')
      await session.query('select count(*) from pg_class')
      const [row] = await store.database.query<{ who: string; age: number }>(
        'select who, age_sec as age from holdfast.oldest_snapshot()',
      )
      expect(row?.age).toBeGreaterThan(0)
      expect(row?.who).toEqual(expect.any(String))
      // Any age is too much, and the one in the tests' own database is the oldest or as good as it.
      await store.database.query(
        `insert into holdfast.alert_rule (tenant, rule, subject, threshold, updated_at) values ('*', 'old_snapshot', '', 0, holdfast.now())`,
      )
      await nextCheck(store)
      expect(await store.alerts.list({ rule: 'old_snapshot' })).toMatchObject([
        { tenant: '*', subject: '', state: 'firing', data: { pid: expect.any(Number) } },
      ])
      expect(await store.alerts.list({ tenant: 'default' })).toEqual([])
    })
  } finally {
    await other.close()
  }
})

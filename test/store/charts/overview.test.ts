/** What needs an operator: each problem appears when its cause does, says what it is, and disappears with it. */
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.js'
import type { OverviewProblem, ProblemType } from '../../../src/domain/stats/problems.js'
import { PRESENCE } from '../../support/presence.js'
import { pinnedStore, type World } from '../../support/world.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A world in which upkeep runs. */
async function watched(): Promise<World> {
  const store = await pinnedStore()
  await runUpkeep(store)
  return store
}

const runUpkeep = (store: World) =>
  store.upkeep.recordChores('node', [
    {
      name: 'roll-up',
      everyMs: MINUTE,
      agoMs: 0,
      durationMs: 1,
      rows: 0,
      error: null,
      runs: 1,
      rowsTotal: 0,
      failures: 0,
      lastChangeAgoMs: null,
    },
  ])

async function problems(store: World, type?: ProblemType): Promise<readonly OverviewProblem[]> {
  const { problems: all } = await store.overview.read()
  return type === undefined ? all : all.filter((problem) => problem.type === type)
}

const claim = (store: World, queue: string, limit = 100): Promise<ClaimedJob[]> =>
  store.work.claim({ worker: 'w', queues: [queue], limit, leaseMs: HOUR })

const beat = (store: World, queue: string, more = {}) =>
  store.work.heartbeat({ ...PRESENCE, queues: [queue], slots: 4, ...more })

it('has nothing to say about an empty database', async () => {
  const store = await watched()
  const { problems: none, problemsCapped, flow } = await store.overview.read()
  expect(none).toEqual([])
  expect(problemsCapped).toBe(false)
  expect(flow.places.ready).toEqual({ count: 0, capped: false })
  expect(flow.counts).toMatchObject({ queues: 0, kinds: 0, workers: 0, error_groups: 0 })
})

it('a queue without workers is a problem after half a minute, until a worker comes', async () => {
  const store = await watched()
  await store.enqueueMany(Array.from({ length: 3 }, () => ({ queue: 'mail', kind: 'send' })))
  await store.clock.advance(29 * SECOND)
  expect(await problems(store)).toEqual([])
  await store.clock.advance(2 * SECOND)
  const [problem] = await problems(store)
  expect(problem).toMatchObject({
    id: 'no_worker:mail:mail',
    type: 'no_worker',
    severity: 'critical',
    text: 'No worker serves the queue mail: 3 jobs wait, the oldest for 31 s.',
    numbers: { ready: 3 },
  })
  await beat(store, 'mail')
  expect(await problems(store)).toEqual([])
  await beat(store, 'mail', { draining: true })
  expect(await problems(store, 'no_worker')).toHaveLength(1)
  // A worker without heartbeats shows by the jobs it runs.
  await claim(store, 'mail', 1)
  expect(await problems(store, 'no_worker')).toEqual([])
})

it('a job that waits too long is a problem until it starts', async () => {
  const store = await watched()
  await store.enqueue({ queue: 'mail', kind: 'send' })
  await store.clock.advance(901 * SECOND)
  await runUpkeep(store)
  await beat(store, 'mail')
  expect(await problems(store)).toMatchObject([
    {
      type: 'oldest_ready',
      text: 'A job of the queue mail has been waiting for 15 min; 1 job is ready.',
      next: '4 slots of live workers serve this queue; more workers shorten the wait.',
    },
  ])
  await store.alerts.setRule('oldest_ready', { threshold: 1_000 })
  expect(await problems(store)).toEqual([])
  await store.alerts.setRule('oldest_ready', { threshold: null })
  await claim(store, 'mail')
  expect(await problems(store)).toEqual([])
})

it('a paused queue with ready jobs is a problem until it is resumed', async () => {
  const store = await watched()
  await store.queues.create('mail')
  await store.queues.pause('mail', { actor: 'ada', reason: 'maintenance' })
  expect(await problems(store)).toEqual([])
  await store.enqueue({ queue: 'mail', kind: 'send' })
  expect(await problems(store)).toMatchObject([
    {
      type: 'paused_queue',
      severity: 'warning',
      text: expect.stringMatching(
        /^The queue mail is paused by ada since \d\d:\d\d UTC \(maintenance\), and 1 job waits\.$/,
      ),
      actions: [
        { type: 'call', method: 'POST', path: '/api/v1/queues/mail/resume', scope: 'operate' },
        { type: 'open', page: 'queues' },
      ],
    },
  ])
  await store.queues.resume('mail')
  expect(await problems(store)).toEqual([])
})

it('a blocked target is a problem with the jobs behind it, until it is resumed', async () => {
  const store = await watched()
  await store.queues.create('sync', { preset: 'target' })
  for (let n = 0; n < 3; n += 1) await store.enqueue({ queue: 'sync', kind: 'pull', target: 'customer:1' })
  const [job] = (await claim(store, 'sync')) as [ClaimedJob]
  await store.work.finish([{ ...job, outcome: 'failed', error: new Error('token limit exceeded') }])
  await store.clock.advance(22 * MINUTE)
  await runUpkeep(store)
  const [problem] = await problems(store, 'blocked_target')
  expect(problem).toMatchObject({
    text: `Target customer:1 is blocked by job ${job.jobId} for 22 min: “token limit exceeded”.`,
    next: '2 jobs wait behind it until it is resumed, skipped or canceled.',
    subject: { type: 'target', name: 'customer:1', queue: 'sync', kind: 'pull', jobId: job.jobId },
    numbers: { behind: 2 },
    error: { message: 'token limit exceeded' },
  })
  expect(problem?.actions[0]).toMatchObject({ path: `/api/v1/jobs/${job.jobId}/resume` })
  const { flow } = await store.overview.read()
  expect(flow.places).toMatchObject({ blocked: { count: 1 }, waiting: { count: 2 }, paused: { count: 0 } })
  await store.commands.skip(job.jobId)
  expect(await problems(store, 'blocked_target')).toEqual([])
})

it('a kind that fails is a problem with its error and the version that had it first, until it succeeds', async () => {
  const store = await watched()
  await store.queues.create('billing', { policy: { retryBaseMs: HOUR, jitterLow: 0, jitterHigh: 0 } })
  await beat(store, 'billing', { appVersion: '1.4.2' })
  await store.enqueueMany(Array.from({ length: 12 }, () => ({ queue: 'billing', kind: 'charge-card' })))
  const failure = (job: ClaimedJob) => ({
    ...job,
    outcome: 'failed' as const,
    error: new Error(`connect ECONNREFUSED 10.0.4.7:${job.jobId}`),
  })
  const jobs = await claim(store, 'billing', 5)
  await store.work.finish(jobs.slice(0, 4).map(failure))
  await store.upkeep.countMinutes()
  expect(await problems(store)).toEqual([])
  await store.clock.advance(MINUTE)
  await store.work.finish(jobs.slice(4).map(failure))
  await store.upkeep.countMinutes()
  await runUpkeep(store)
  const [problem] = await problems(store)
  expect(problem).toMatchObject({
    id: 'failing_kind:billing:charge-card',
    type: 'failing_kind',
    severity: 'critical',
    text: expect.stringMatching(
      /^charge-card fails since \d\d:\d\d UTC: 5 attempts with “connect ECONNREFUSED 10\.0\.4\.7:\d+”\.$/,
    ),
    next: '100 % of its attempts in the last 10 minutes failed. First seen with version 1.4.2. The next retry is in 59 min.',
    numbers: { failed: 5, attempts: 5, failed_rate: 1, with_error: 5 },
    error: { firstVersion: '1.4.2' },
  })

  // A minute in which it did not fail ends the time since when it does.
  await store.clock.advance(2 * MINUTE)
  const well = await claim(store, 'billing', 3)
  await store.work.finish(well.map((job) => ({ ...job, outcome: 'succeeded' as const })))
  await store.clock.advance(MINUTE)
  await store.work.finish((await claim(store, 'billing', 1)).map(failure))
  await store.upkeep.countMinutes()
  const [again] = await problems(store)
  expect(again).toMatchObject({ numbers: { failed: 6, attempts: 9, with_error: 1 } })
  expect(again?.since).toEqual(new Date((problem?.since?.getTime() ?? 0) + 4 * MINUTE))

  await store.clock.advance(11 * MINUTE)
  await runUpkeep(store)
  expect(await problems(store, 'failing_kind')).toEqual([])
})

it('a late schedule is a problem until it fires', async () => {
  const store = await watched()
  await store.schedules.create({ name: 'nightly', queue: 'mail', kind: 'send', expression: '@hourly' })
  await store.clock.advance(2 * HOUR)
  await runUpkeep(store)
  await beat(store, 'mail')
  expect(await problems(store)).toMatchObject([
    {
      type: 'late_schedule',
      subject: { type: 'schedule', name: 'nightly' },
      actions: [{ path: '/api/v1/schedules/nightly/run' }, { page: 'schedules' }],
    },
  ])
  const { flow } = await store.overview.read()
  expect(flow.counts).toMatchObject({ schedules: 1, late_schedules: 1 })
  await store.alerts.setRule('schedule_late', { threshold: 500 }, { subject: 'nightly' })
  expect(await problems(store)).toEqual([])
  expect((await store.overview.read()).flow.counts).toMatchObject({ schedules: 1, late_schedules: 0 })
  await store.alerts.setRule('schedule_late', { threshold: null }, { subject: 'nightly' })
  expect((await store.overview.read()).flow.counts).toMatchObject({ late_schedules: 1 })
  await store.schedules.pause('nightly')
  expect(await problems(store)).toEqual([])
})

it('upkeep that does not run, or fails, is a problem until it runs', async () => {
  const store = await pinnedStore()
  await store.queues.create('mail')
  expect(await problems(store)).toMatchObject([
    { type: 'stuck_upkeep', text: 'No process does upkeep for this database.' },
  ])
  await runUpkeep(store)
  expect(await problems(store)).toEqual([])
  await store.clock.advance(7 * MINUTE)
  expect(await problems(store)).toEqual([])
  await store.clock.advance(1)
  expect(await problems(store)).toMatchObject([
    { type: 'stuck_upkeep', id: 'stuck_upkeep:roll-up', text: 'The chore roll-up last ran 7 min ago.' },
  ])
  await runUpkeep(store)
  expect(await problems(store)).toEqual([])
})

it('a firing alert is a problem of its own, unless its cause is listed: then that carries its id', async () => {
  const store = await watched()
  await store.settings.set('ALERT_FOR_SEC', 0)
  await store.settings.set('ALERT_DEPTH_JOBS', 1)
  await store.enqueueMany(Array.from({ length: 3 }, () => ({ queue: 'mail', kind: 'send' })))
  await beat(store, 'mail', { kinds: ['send'] })
  await store.alerts.check()
  const [alert] = await problems(store)
  expect(alert).toMatchObject({ type: 'alert', text: 'More than 1 jobs wait in the queue mail.' })
  await store.queues.pause('mail')
  expect(await problems(store)).toMatchObject([{ type: 'paused_queue', alertId: alert?.alertId }])
  await store.queues.resume('mail')
  await claim(store, 'mail')
  await store.clock.advance(15 * SECOND)
  await store.alerts.check()
  await store.clock.advance(3 * MINUTE)
  await store.alerts.check()
  await runUpkeep(store)
  expect(await problems(store)).toEqual([])
})

it('lists as many problems of a type as the limit, and says that there are more', async () => {
  const store = await watched()
  const most = LIMITS.problemsPerTypeMax.default
  const pauseOne = async (n: number) => {
    await store.queues.create(`q${n}`)
    await store.queues.pause(`q${n}`)
    await store.enqueue({ queue: `q${n}`, kind: 'send' })
  }
  const listed = async () => {
    const { problems: all, problemsCapped } = await store.overview.read()
    return [all.length, problemsCapped]
  }
  for (let n = 1; n < most; n += 1) await pauseOne(n)
  expect(await listed()).toEqual([most - 1, false])
  await pauseOne(most)
  expect(await listed()).toEqual([most, false])
  await pauseOne(most + 1)
  expect(await listed()).toEqual([most, true])
})

it('counts places, rates and slots of one tenant, and of no other', async () => {
  const store = await watched()
  const other = { tenant: 'other' }
  await store.enqueue({ queue: 'mail', kind: 'send' }, other)
  await store.enqueueMany([
    { queue: 'mail', kind: 'send' },
    { queue: 'mail', kind: 'send' },
    { queue: 'mail', kind: 'send', delayMs: HOUR },
    { queue: 'mail', kind: 'send', pending: true },
  ])
  const [job] = (await claim(store, 'mail', 1)) as [ClaimedJob]
  await beat(store, 'mail', { busy: 1 })
  let { flow } = await store.overview.read()
  expect(flow.places).toEqual({
    delayed: { count: 1, capped: false },
    ready: { count: 1, capped: false },
    running: { count: 1, capped: false },
    waiting: { count: 0, capped: false },
    blocked: { count: 0, capped: false },
    paused: { count: 0, capped: false },
    parked: { count: 0, capped: false },
    pending: { count: 1, capped: false },
  })
  expect(flow).toMatchObject({ slots: 4, busy: 1, counts: { jobs: { count: 4 }, queues: 1, workers: 1 } })
  expect(flow.nextDueAt).toEqual(new Date(flow.now.getTime() + HOUR))
  expect(flow.oldestReadyAt).toEqual(flow.now)
  await store.work.finish([{ ...job, outcome: 'succeeded' }])
  await store.clock.advance(MINUTE)
  await store.upkeep.countMinutes()
  flow = (await store.overview.read()).flow
  expect(flow.ended).toEqual({ succeeded: 1, failed: 0, canceled: 0 })
  expect(flow.perMinute).toMatchObject({ enqueued: 0.8, started: 0.2, ended: 0.2 })
  expect((await store.overview.read(other)).flow).toMatchObject({
    slots: 0,
    counts: { jobs: { count: 1 }, queues: 1, workers: 0, kinds: 1 },
    ended: { succeeded: 0 },
  })
})

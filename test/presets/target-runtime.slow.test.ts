// The target preset, as far as handlers run: heartbeats, cancellation, errors and token budgets.
import { type App, defineJob, JobAborted } from 'holdfast'
import { presetReason, type State, stateWord } from 'holdfast/store'
import { expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { holdfast as cli } from '../support/cli/child.js'
import { heartbeatLog } from '../support/heartbeats.js'
import { expectHealthy, postgresUrl, secondStore } from '../support/world.js'

const QUEUE = 'accounts'
const QUEUES = { [QUEUE]: { preset: 'target' } } as const
const WAIT = { timeout: 100_000, interval: 50 }

/** Runs until it is told to stop, and keeps what it was told. */
function patient(told: unknown[]) {
  return defineJob({
    kind: 'patient',
    queue: QUEUE,
    handler: ({ signal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          told.push(signal.reason)
          reject(signal.reason)
        })
      }),
  })
}

const word = (state: State) => stateWord('target', state, { attempted: true })
const running = (app: App, id: number) =>
  vi.waitFor(async () => expect(word(await app.handle(id).status())).toBe('RUNNING'), WAIT)

it('S3.05 a heartbeat every 2 s renews the lease of 10 s', async () => {
  const app = await freshApp({ jobs: [patient([])], queues: QUEUES })
  const log = await heartbeatLog(app.store)
  await app.work()
  const beats = await vi.waitFor(async () => {
    const times = (await log.read()).map(({ at }) => at.getTime())
    expect(times.length).toBeGreaterThanOrEqual(4)
    return times
  }, WAIT)
  const intervals = beats.slice(1).map((at, n) => at - (beats[n] as number))
  // None comes sooner. A busy computer makes some later, but not most of them.
  expect(Math.min(...intervals)).toBeGreaterThan(1_500)
  const median = intervals.sort((left, right) => left - right)[Math.floor(intervals.length / 2)]
  expect(median).toBeLessThan(3_000)
  const [lease] = await app.store.database.query<{ heartbeat_at: Date; expires_at: Date }>(
    'select heartbeat_at, expires_at from holdfast.lease',
  )
  expect((lease?.expires_at.getTime() ?? 0) - (lease?.heartbeat_at.getTime() ?? 0)).toBe(10_000)
  await app.stop({ graceMs: 0 })
})

it('S3.05 the heartbeat returns a cancel request', async () => {
  const told: unknown[] = []
  const job = patient(told)
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  await app.work()
  const [asked, left] = await app.enqueueMany(job, [1, 2], { each: (n) => ({ target: `t${n}` }) })
  await running(app, left?.id as number)
  await running(app, asked?.id as number)
  expect(await asked?.cancel()).toMatchObject({ result: 'requested' })
  await vi.waitFor(() => expect(told).toHaveLength(1), WAIT)
  expect(word((await left?.status()) as State), 'nobody asked the other one to stop').toBe('RUNNING')
  await app.stop({ graceMs: 0 })
})

it('S3.06 another process requests a cancel, the handler is aborted, and the job is PAUSED as interrupted by user', async () => {
  const told: unknown[] = []
  const job = patient(told)
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  await app.work()
  const handle = await app.enqueue(job, null, { target: 'a' })
  await running(app, handle.id)
  const connection = ['--url', postgresUrl(), '--schema', app.store.schema]
  const asked = await cli(['jobs', 'cancel', String(handle.id), '--json', ...connection])
  expect(asked).toMatchObject({ code: 0 })
  expect(asked.stdout).toContain('requested')
  await vi.waitFor(async () => expect(word(await handle.status())).toBe('PAUSED'), WAIT)
  expect((await handle.job()).reason).toBe('Job was interrupted by user')
  expect(told).toHaveLength(1)
  expect(told[0]).toBeInstanceOf(JobAborted)
  expect(told[0]).toMatchObject({ code: 'cancel' })
  await expectHealthy(app.store)
})

it('S3.06 without notifications, the first heartbeat after the request aborts the handler', async () => {
  let isNoted: Promise<void> | undefined
  const job = defineJob({
    kind: 'patient',
    queue: QUEUE,
    handler: ({ signal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isNoted = log.note('aborted')
          reject(signal.reason)
        })
      }),
  })
  const app = await freshApp({ jobs: [job], queues: QUEUES, notify: false })
  const log = await heartbeatLog(app.store)
  await app.work({ pollMs: 50 })
  const handle = await app.enqueue(job, null, { target: 'a' })
  await running(app, handle.id)
  // Right after a heartbeat, so that none is under way when the request comes.
  const before = (await log.read()).length
  await vi.waitFor(async () => expect((await log.read()).length).toBeGreaterThan(before), WAIT)
  await (await secondStore(app.store)).commands.cancel(handle.id)
  await vi.waitFor(() => expect(isNoted).toBeDefined(), WAIT)
  await isNoted
  const noted = (await log.read()).map(({ what }) => what)
  const since = noted.slice(noted.indexOf('cancel requested') + 1, noted.indexOf('aborted'))
  expect(since).toEqual(['heartbeat'])
  await vi.waitFor(async () => expect(word(await handle.status())).toBe('PAUSED'), WAIT)
})

it('S3.06 a handler that completes after a cancel request has succeeded', async () => {
  let finish = () => {}
  const job = defineJob({
    kind: 'deaf',
    queue: QUEUE,
    handler: () =>
      new Promise<string>((resolve) => {
        finish = () => resolve('done')
      }),
  })
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  await app.work()
  const handle = await app.enqueue(job, null, { target: 'a' })
  await running(app, handle.id)
  await handle.cancel()
  finish()
  expect(await handle.result()).toBe('done')
  expect(word(await handle.status())).toBe('SUCCESS')
})

it('S3.07 an unexpected exception ends in ERROR with its reason, and blocks the target', async () => {
  const job = defineJob({
    kind: 'broken',
    queue: QUEUE,
    handler: async () => {
      throw new TypeError('cannot read the mailbox')
    },
  })
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  const [first, second] = await app.enqueueMany(job, [1, 2], { target: 'a' })
  await (await app.work()).idle()
  expect(await first?.job()).toMatchObject({
    state: 'errored',
    reason: 'cannot read the mailbox',
    attempt: 1,
  })
  expect(word((await first?.status()) as State)).toBe('ERROR')
  expect(await second?.status()).toBe('waiting')
})

it('S3.07 handlers report the tokens they use, and one that goes over the limit of its job ends in ERROR', async () => {
  const told: unknown[] = []
  const spent: number[] = []
  const job = defineJob({
    kind: 'spender',
    queue: QUEUE,
    handler: async (ctx, tokens: number[]) => {
      ctx.signal.addEventListener('abort', () => told.push(ctx.signal.reason))
      for (const some of tokens) spent.push((await ctx.usage(some)).tokensUsed)
      return 'within the limit'
    },
  })
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  await app.work()
  const modest = await app.enqueue(job, [60, 40], { target: 'a', tokenLimit: 100 })
  expect(await modest.result()).toBe('within the limit')
  expect([spent, told]).toEqual([[60, 100], []])

  const greedy = await app.enqueue(job, [60, 41, 5], { target: 'b', tokenLimit: 100 })
  await vi.waitFor(async () => expect(word(await greedy.status())).toBe('ERROR'), WAIT)
  expect(await greedy.job()).toMatchObject({ tokensUsed: 101, attempt: 1 })
  expect((await greedy.job()).reason).toMatch(/token/)
  expect(told[0]).toMatchObject({ code: 'token_limit' })
  await expectHealthy(app.store)
})

/** Fails, ends or runs until it is told to stop, as its input says; a second attempt ends well. */
const asTold = defineJob({
  kind: 'as-told',
  queue: QUEUE,
  handler: ({ signal, attempt }, word: 'fail' | 'wait' | 'end') => {
    if (word === 'end' || attempt > 1) return 'done'
    if (word === 'fail') throw new Error('no such mailbox')
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  },
})

it.each([
  ['PAUSED', 'resume'],
  ['PAUSED', 'cancel'],
  ['PAUSED', 'skip'],
  ['ERROR', 'resume'],
  ['ERROR', 'cancel'],
  ['ERROR', 'skip'],
] as const)(
  'S3.10 a job that is %s blocks the later jobs of its target, listed with cause and age, until an operator runs %s',
  async (stuck, act) => {
    const app = await freshApp({ jobs: [asTold], queues: QUEUES })
    await app.work()
    const first = await app.enqueue(asTold, stuck === 'ERROR' ? 'fail' : 'wait', { target: 'a' })
    const next = await app.enqueue(asTold, 'end', { target: 'a' })
    const other = await app.enqueue(asTold, 'end', { target: 'b' })
    if (stuck === 'PAUSED') {
      await running(app, first.id)
      await first.cancel()
    }
    await vi.waitFor(async () => expect(word(await first.status())).toBe(stuck), WAIT)
    expect(await other.result(), 'another target goes on').toBe('done')
    expect(await next.status()).toBe('waiting')
    const [blocked, ...more] = await app.store.list.blockedTargets()
    expect(more).toEqual([])
    expect(blocked).toMatchObject({
      target: 'a',
      jobId: first.id,
      state: stuck === 'ERROR' ? 'errored' : 'paused',
      reason: stuck === 'ERROR' ? 'no such mailbox' : 'Job was interrupted by user',
      behind: 1,
    })
    expect(blocked?.blockedMs).toBeGreaterThanOrEqual(0)

    await app.jobs[act](first.id, { actor: 'ada' })
    expect(await next.result()).toBe('done')
    expect(await first.job()).toMatchObject(
      act === 'resume' ? { state: 'succeeded', attempt: 2 } : { state: 'canceled' },
    )
    expect(await app.store.list.blockedTargets()).toEqual([])
    await expectHealthy(app.store)
  },
)

it('S3.08 a worker that cannot renew its lease in time leaves its job in ERROR, not PAUSED: no user and no shutdown was involved', async () => {
  const told: unknown[] = []
  const job = patient(told)
  const queues = { [QUEUE]: { preset: 'target', leaseMs: 2_000, heartbeatMs: 400 } } as const
  const app = await freshApp({ jobs: [job], queues })
  const working = await app.work()
  const held = await app.enqueue(job, null, { target: 'a' })
  await vi.waitFor(async () => expect((await working.stats())[0]?.busy).toBe(1), WAIT)
  // Renewals wait for this lock until the worker has given its lease up, which it does before the lease expires.
  await app.store.database.transaction(async (session) => {
    await session.query('select from holdfast.lease for update')
    await vi.waitFor(() => expect(told).toHaveLength(1), WAIT)
  })
  expect(told).toMatchObject([{ code: 'lease_lost' }])
  await vi.waitFor(async () => expect(word(await held.status())).not.toBe('RUNNING'), WAIT)
  const lost = await held.job()
  expect(word(lost.state)).toBe('ERROR')
  expect(presetReason('target', lost)).toBe('lease given up')
  expect(await app.store.read.attempts(held.id)).toMatchObject([
    { outcome: 'lost', movedTo: 'errored', reason: 'lease given up' },
  ])
  await app.stop({ graceMs: 0 })
})

it('S3.12 a shutdown claims no more jobs and pauses those that do not end in time, as interrupted by user', async () => {
  const told: unknown[] = []
  const job = patient(told)
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  const working = await app.work()
  const held = await app.enqueue(job, null, { target: 'a' })
  // Begun, not only claimed: what has not begun is given back.
  await vi.waitFor(async () => expect((await working.stats())[0]?.busy).toBe(1), WAIT)
  const drained = working.drain({ graceMs: 0 })
  const late = await app.enqueue(job, null, { target: 'b' })
  expect(await drained).toMatchObject({ clean: false, released: 1 })
  expect(told).toMatchObject([{ code: 'shutdown' }])
  const paused = await held.job()
  expect(paused).toMatchObject({ state: 'paused', reason: 'shutdown', failures: 0 })
  expect(word(paused.state)).toBe('PAUSED')
  expect(presetReason('target', paused)).toBe('Job was interrupted by user')
  expect(await late.job()).toMatchObject({ state: 'queued', attempt: 0 })
})

it('S3.12 a job that exceeded its token limit ends in ERROR, also during a shutdown', async () => {
  let over = () => {}
  const exceeded = new Promise<void>((resolve) => {
    over = resolve
  })
  const job = defineJob({
    kind: 'stubborn',
    queue: QUEUE,
    handler: async (ctx) => {
      await ctx.usage(101).catch(() => {})
      over()
      await new Promise<never>(() => {})
    },
  })
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  const working = await app.work()
  const handle = await app.enqueue(job, null, { target: 'a', tokenLimit: 100 })
  await exceeded
  await working.drain({ graceMs: 0 })
  expect(word(await handle.status())).toBe('ERROR')
  expect((await handle.job()).reason).toMatch(/used 101 tokens; its limit is 100/)
})

it('S3.12 the grace period is SHUTDOWN_GRACE_PERIOD_SECONDS, by default 300, and a job that ends within it is finished', async () => {
  let finish = () => {}
  const job = defineJob({
    kind: 'nearly',
    queue: QUEUE,
    handler: () =>
      new Promise<string>((resolve) => {
        finish = () => resolve('done')
      }),
  })
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  expect(await app.settings.get('SHUTDOWN_GRACE_PERIOD_SECONDS')).toBe(300)
  const working = await app.work()
  const handle = await app.enqueue(job, null, { target: 'a' })
  await running(app, handle.id)
  const drained = working.drain()
  finish()
  expect(await drained).toEqual({ clean: true, released: 0, unwritten: 0 })
  expect(await handle.result()).toBe('done')
})

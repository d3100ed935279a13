// Document 003, as far as handlers run: heartbeats, cancellation, errors and token budgets. Preset `target`.
import { type App, defineJob, JobAborted, type State, wordFor } from 'holdfast'
import { expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { expectHealthy, secondStore } from '../support/world.js'

const QUEUE = 'accounts'
const QUEUES = { [QUEUE]: { preset: 'target' } } as const
const WAIT = { timeout: 30_000, interval: 50 }

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

const word = (state: State) => wordFor('target', state, { attempted: true })
const running = (app: App, id: number) =>
  vi.waitFor(async () => expect(word(await app.handle(id).status())).toBe('RUNNING'), WAIT)
const beats = async (app: App) =>
  app.store.database.query<{ heartbeat_at: Date; expires_at: Date }>(
    'select heartbeat_at, expires_at from holdfast.lease',
  )

it('S3.05 a heartbeat every 2 s renews the lease of 10 s', async () => {
  const app = await freshApp({ jobs: [patient([])], queues: QUEUES })
  await app.work()
  const [first] = await beats(app)
  const [next] = await vi.waitFor(async () => {
    const now = await beats(app)
    expect(now[0]?.heartbeat_at).not.toEqual(first?.heartbeat_at)
    return now
  }, WAIT)
  if (first === undefined || next === undefined) throw new Error('there was no lease')
  expect(next.expires_at.getTime() - next.heartbeat_at.getTime()).toBe(10_000)
  // Never sooner; how much later depends on how busy this computer is.
  expect(next.heartbeat_at.getTime() - first.heartbeat_at.getTime()).toBeGreaterThan(1_500)
  await app.stop({ graceMs: 0 })
})

it('S3.05 the heartbeat learns of a cancel request', async () => {
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

it('S3.06 another process asks, the handler gets its signal, and the job is PAUSED as interrupted by user', async () => {
  const told: unknown[] = []
  const job = patient(told)
  const app = await freshApp({ jobs: [job], queues: QUEUES })
  await app.work()
  const handle = await app.enqueue(job, null, { target: 'a' })
  await running(app, handle.id)
  const elsewhere = await secondStore(app.store)
  const asked = await elsewhere.operate.cancel(handle.id, { actor: 'ada' })
  expect(asked).toMatchObject({ result: 'requested' })
  await vi.waitFor(async () => expect(word(await handle.status())).toBe('PAUSED'), WAIT)
  expect((await handle.job()).reason).toBe('Job was interrupted by user')
  expect(told).toHaveLength(1)
  expect(told[0]).toBeInstanceOf(JobAborted)
  expect(told[0]).toMatchObject({ code: 'cancel' })
  await expectHealthy(app.store)
})

it('S3.06 a handler that had finished all the same has succeeded: no request can undo what is done', async () => {
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

it('S3.07 an unexpected exception ends in ERROR with its reason, and the target waits behind it', async () => {
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

import { type App, Cancel, defineJob, GiveUp, holdfast, JobFailed, Snooze } from 'holdfast'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { freshApp } from '../support/app.js'
import { type Driver, expectHealthy, freshStore, onEachDriver, postgresUrl } from '../support/world.js'
import { gate } from '../worker/world.js'

const WAIT = { timeout: 100_000, interval: 20 }

const add = defineJob({
  kind: 'add',
  queue: 'sums',
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  handler: async (_ctx, { a, b }) => ({ sum: a + b }),
})

onEachDriver('app.work()', (driver: Driver) => {
  it('runs what was enqueued before and after it began, and the handle has the typed result', async () => {
    const app = await freshApp({ jobs: [add] }, driver)
    const early = await app.enqueue(add, { a: 1 })
    await app.work({ concurrency: 2 })
    const late = await app.enqueueMany(add, [{ a: 1, b: 2 }, { a: 2 }])
    expect((await early.result()).sum).toBe(2)
    expect(await Promise.all(late.map((one) => one.result()))).toEqual([{ sum: 3 }, { sum: 3 }])
    await app.stop()
    if (driver === 'postgres') await expectHealthy(app.store)
  })

  it('knows snooze, give up and cancel from failures', async () => {
    const kinds = {
      snooze: () => new Snooze(3_600_000, 'too early'),
      giveUp: () => new GiveUp('no such file'),
      cancel: () => new Cancel('not wanted'),
      failure: () => new Error('try again'),
    }
    const jobs = Object.entries(kinds).map(([kind, thrown]) =>
      defineJob({
        kind,
        handler: async () => {
          throw thrown()
        },
      }),
    )
    const app = await freshApp({ jobs }, driver)
    const handles = await Promise.all(jobs.map((job) => app.enqueue(job, null)))
    const working = await app.work()
    await working.idle()
    expect(await Promise.all(handles.map((handle) => handle.status()))).toEqual([
      'scheduled',
      'failed',
      'canceled',
      'retrying',
    ])
  })

  it('checks the input again: a row that no longer fits fails for good and names the path', async () => {
    const app = await freshApp({ jobs: [add] }, driver)
    const { jobId } = await app.store.enqueue({ queue: 'sums', kind: 'add', input: { a: 'one' } })
    await app.work()
    const failure = await app
      .handle(jobId)
      .result()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(JobFailed)
    expect((failure as JobFailed).message).toContain('/input/a')
    expect((failure as JobFailed).details).toMatchObject({ attempt: 1, reason: 'not_retryable' })
  })

  it('parks a job of a kind nobody knows, with the reason, until a worker that knows it comes', async () => {
    const app = await freshApp({ jobs: [add], queues: { sums: { unknownKinds: 'accept' } } }, driver)
    const { jobId } = await app.store.enqueue({ queue: 'sums', kind: 'multiply', input: { a: 2 } })
    const old = await app.work()
    await old.idle()
    const parked = await app.handle(jobId).job()
    expect(parked.state).toBe('parked')
    expect(parked.reason).toContain('multiply')
    await old.drain()

    const multiply = defineJob({
      kind: 'multiply',
      queue: 'sums',
      handler: async (_ctx, { a }: { a: number }) => a * 2,
    })
    const newer = await holdfast({ store: app.store, jobs: [add, multiply] })
    onTestFinished(() => newer.stop())
    await newer.work()
    expect(await newer.handle(jobId).result()).toBe(4)
  })

  it('stops: what runs is waited for, and nothing new is begun', async () => {
    const finish = gate()
    let begin = () => {}
    const began = new Promise<void>((resolve) => {
      begin = resolve
    })
    const slow = defineJob({
      kind: 'slow',
      handler: async () => {
        begin()
        await finish.opened
        return 'done'
      },
    })
    const app = await freshApp({ jobs: [slow] }, driver)
    const [first, second] = await app.enqueueMany(slow, [1, 2])
    const working = await app.work({ concurrency: 1 })
    await began
    const drained = working.drain()
    finish.open()
    expect(await drained).toMatchObject({ clean: true })
    expect(await first?.status()).toBe('succeeded')
    expect(await second?.status()).toBe('queued')
  })

  it('stops at once with no grace: what runs is aborted, given back and not charged', async () => {
    const reasons: unknown[] = []
    const slow = defineJob({
      kind: 'slow',
      handler: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason.code)
            reject(signal.reason)
          })
        }),
    })
    const app = await freshApp({ jobs: [slow] }, driver)
    const handle = await app.enqueue(slow, null)
    const working = await app.work()
    await vi.waitFor(async () => expect((await working.stats())[0]?.busy).toBe(1), WAIT)
    await working.drain({ graceMs: 0 })
    expect(reasons).toEqual(['shutdown'])
    expect(await handle.job()).toMatchObject({ state: 'queued', failures: 0, attempt: 1 })
  })
})

describe('what a handler can do', () => {
  it('ctx.enqueue makes children that know their parent', async () => {
    const child = defineJob({ kind: 'child', handler: async (_ctx, input: number) => input * 10 })
    const parent = defineJob({
      kind: 'parent',
      handler: async (ctx) => (await ctx.enqueue(child, 4)).id,
    })
    const app = await freshApp({ jobs: [parent, child] })
    await app.work()
    const handle = await app.enqueue(parent, null)
    const childId = await handle.result()
    expect(await app.handle(childId).result()).toBe(40)
    const [row] = await app.store.database.query<{ parent_id: number }>(
      'select parent_id from holdfast.job where id = $1',
      [childId],
    )
    expect(row?.parent_id).toBe(handle.id)
  })

  it('ctx.commit ends the job with its writes and children in one transaction, or leaves none of them', async () => {
    const mail = defineJob({ kind: 'mail', queue: 'mail', handler: async () => null })
    const charge = defineJob({
      kind: 'charge',
      maxRetries: 0,
      handler: (ctx, { fail }: { fail: boolean }) =>
        ctx.commit(async (tx) => {
          await tx.query(`insert into ${app.store.schema}.charges values ($1)`, [ctx.jobId])
          await ctx.enqueue(mail, { receipt: ctx.jobId }, { tx })
          if (fail) throw new Error('no')
          return 'charged'
        }),
    })
    const app = await freshApp({ jobs: [charge, mail] })
    await app.store.database.script('create table holdfast.charges (job bigint)')
    await app.work({ queues: ['default'] })
    const good = await app.enqueue(charge, { fail: false })
    const bad = await app.enqueue(charge, { fail: true })
    expect(await good.result()).toBe('charged')
    await expect(bad.result()).rejects.toThrow('no')
    expect(await app.store.database.query('select job from holdfast.charges')).toEqual([{ job: good.id }])
    const children = await app.store.list.jobs({ kind: 'mail' })
    expect(children.rows).toHaveLength(1)
  })
})

describe('how it works', () => {
  let app: App
  beforeEach(async () => {
    app = await freshApp({ jobs: [add], queues: { sums: { preset: 'target' } } })
  })

  it('leases and beats as the most demanding of its queues says', async () => {
    await app.work({ name: 'one' })
    const held = await app.store.database.query<{ ms: number }>(
      'select extract(epoch from expires_at - heartbeat_at) * 1000 as ms from holdfast.lease',
    )
    expect(held.map(({ ms }) => Number(ms))).toEqual([10_000])
    const [worker] = await vi.waitFor(async () => {
      const seen = await app.store.workers.list()
      expect(seen).toHaveLength(1)
      return seen
    }, WAIT)
    expect(worker).toMatchObject({ worker: 'one', kinds: ['add'], queues: ['sums'], slots: 10 })
  })

  it('refuses what makes no sense', async () => {
    await expect(app.work({ concurrency: 0 })).rejects.toMatchObject({ details: { path: '/concurrency' } })
    await expect(app.work({ queues: [] })).rejects.toMatchObject({ details: { path: '/queues' } })
    await expect(app.work({ processes: 0 })).rejects.toMatchObject({ details: { path: '/processes' } })
    const group = { defaultCount: 3, maxCount: 2 }
    await expect(app.work({ groups: [group] })).rejects.toMatchObject({
      details: { path: '/groups/0/maxCount' },
    })
  })

  it('sizes groups by what waits, each for its tenant', async () => {
    const jobs = [defineJob({ kind: 'stay', queue: 'q', handler: ({ signal }) => once(signal) })]
    const store = await freshStore()
    const grouped = await holdfast({ store, url: postgresUrl(), jobs })
    onTestFinished(() => grouped.stop({ graceMs: 0 }))
    const decisions: string[] = []
    const working = await grouped.work({
      groups: [
        { name: 'a', tenant: 'acme', defaultCount: 1, maxCount: 3 },
        { name: 'b', tenant: 'bolt', defaultCount: 1, maxCount: 3 },
      ],
      scaleIntervalMs: 20,
      onScale: ({ group, from, to }) => decisions.push(`${group} ${from} ${to}`),
    })
    await grouped.enqueueMany(jobs[0] as never, [1, 2, 3, 4, 5, 6] as never, { tenant: 'acme' })
    await vi.waitFor(
      async () => expect((await working.stats()).map(({ busy }) => busy)).toEqual([3, 0]),
      WAIT,
    )
    expect(decisions).toEqual(['a 1 3'])
  })
})

/** Never ends by itself. */
const once = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

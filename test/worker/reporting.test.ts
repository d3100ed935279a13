// What a handler says of a job it is still at.
import type { Session } from 'holdfast/store'
import { expect, it } from 'vitest'
import type { ContextExtras } from '../../src/worker/handlers.js'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'
import { enqueue, QUEUE, startWorker, until } from './world.js'

onEachDriver('reports', (driver) => {
  it('items and a cursor are kept, and the next attempt goes on from there', async () => {
    const store = await freshStore(driver)
    await store.queues.create(QUEUE, { policy: { retryBaseMs: 0, retryCapMs: 0 } })
    const jobId = await enqueue(store, 'harvest')
    const seen: unknown[] = []
    const worker = await startWorker(store, {
      harvest: async ({ report, cursor, previous }) => {
        seen.push({ cursor, resultCount: previous?.resultCount ?? null })
        const page = (cursor as { page: number } | null)?.page ?? 0
        await report([{ id: page }, { id: 'same' }], { page: page + 1 })
        if (page === 0) throw new Error('half way')
        await report([{ id: 'last' }], null, { done: true, result: 'all of it' })
        // Too late to change anything.
        throw new Error('after its end')
      },
    })
    await until(async () => (await store.read.job(jobId))?.state === 'succeeded')
    await worker.idle()
    expect(seen).toEqual([
      { cursor: null, resultCount: null },
      { cursor: { page: 1 }, resultCount: 2 },
    ])
    expect(await store.read.job(jobId)).toMatchObject({
      state: 'succeeded',
      result: 'all of it',
      resultCount: 4,
      progressCount: 5,
      attempt: 2,
    })
    expect(worker.stats().outcomes).toEqual({ failed: 1, succeeded: 1 })
    await expectHealthy(store)
  })

  it('progress said often is sent seldom, the last of it always, and a log is kept with the attempt', async () => {
    const store = await freshStore(driver)
    const jobId = await enqueue(store, 'steps')
    const worker = await startWorker(store, {
      steps: async ({ progress, log }) => {
        let last: Promise<void> | undefined
        for (let n = 1; n <= 200; n++) last = progress({ percent: n / 2 })
        await last
        log('half of it', { percent: 50 })
        log.warn('slow')
      },
    })
    await worker.idle()
    const [said] = await store.database.query<{ progress: unknown; last_report: string }>(
      'select progress from holdfast.progress where job_id = $1',
      [jobId],
    )
    expect(said?.progress).toEqual({ percent: 100 })
    const [attempt] = await store.read.attempts(jobId)
    expect(attempt?.logExcerpt).toMatch(/^\S+Z info half of it \{"percent":50\}\n\S+Z warn slow$/)
  })
})

it('of a long log the end is kept', async () => {
  const store = await freshStore()
  const jobId = await enqueue(store, 'chatty')
  const worker = await startWorker(store, {
    chatty: ({ log }) => {
      for (let n = 1; n <= 5000; n++) log(`line ${n}`)
    },
  })
  await worker.idle()
  const excerpt = (await store.read.attempts(jobId))[0]?.logExcerpt ?? ''
  expect(excerpt.length).toBeLessThanOrEqual(16 * 1024)
  expect(excerpt.length).toBeGreaterThan(15 * 1024)
  expect(excerpt).toMatch(/info line 5000$/)
})

it('where reports keep the lease, a handler that gives signs of work keeps its job, and one that gives none is told', async () => {
  const store = await freshStore()
  // Longer than a machine that is shared stands still.
  await store.queues.create(QUEUE, { policy: { renewedBy: 'report', leaseMs: 4000, heartbeatMs: null } })
  const busy = await enqueue(store, 'busy')
  const idle = await enqueue(store, 'idle')
  const codes: string[] = []
  const worker = await startWorker(store, {
    busy: async ({ heartbeat }) => {
      const end = performance.now() + 5000
      while (performance.now() < end) {
        await heartbeat()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return 'kept'
    },
    idle: ({ signal, attempt }) =>
      attempt > 1
        ? 'again'
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              codes.push(signal.reason.code)
              reject(signal.reason)
            })
          }),
  })
  await until(async () => (await store.read.job(busy))?.state === 'succeeded')
  await until(async () => (await store.read.job(idle))?.state === 'succeeded')
  expect(await store.read.job(busy)).toMatchObject({ result: 'kept', attempt: 1 })
  expect(await store.read.job(idle)).toMatchObject({ result: 'again', attempt: 2 })
  expect(codes).toEqual(['lease_lost'])
  expect((await store.read.attempts(idle)).map(({ outcome }) => outcome)).toContain('lost')
  expect(worker.stats()).toMatchObject({ leasesLost: 0 })
  await expectHealthy(store)
})

it("a handler's own writes and its completion are one transaction: a refused completion undoes the writes", async () => {
  const store = await freshStore()
  const { database, schema } = store
  await database.script(`create table ${schema}.effect (job bigint)`)
  const kept = await enqueue(store, 'write', { take: false })
  const taken = await enqueue(store, 'write', { take: true })
  const commit: ContextExtras['commit'] = (ending, work) => store.work.commit(ending, work as never)
  const errors: unknown[] = []
  const worker = await startWorker(
    store,
    {
      write: async ({ jobId, attempt, commit }, input) => {
        if ((input as { take: boolean }).take && attempt === 1) {
          // Somebody takes the job away from under us.
          await database.query('update holdfast.running set lease = -1 where job_id = $1', [jobId])
        }
        return commit(async (tx: Session) => {
          await tx.query(`insert into ${schema}.effect values ($1)`, [jobId])
          return { wrote: jobId }
        }).catch((error: unknown) => {
          errors.push(error)
          throw error
        })
      },
    },
    { extras: { commit } },
  )
  await until(async () => (await store.read.job(kept))?.state === 'succeeded')
  await until(() => errors.length === 1)
  expect(errors[0]).toMatchObject({ code: 'lease_lost' })
  expect(await store.read.job(kept)).toMatchObject({ result: { wrote: kept }, attempt: 1 })
  expect(await database.query(`select job from ${schema}.effect`)).toEqual([{ job: kept }])
  await until(() => worker.stats().busy === 0)
  await store.upkeep.reclaim()
  await worker.idle()
  expect(await store.read.job(taken)).toMatchObject({ state: 'succeeded', attempt: 2 })
  expect(await database.query(`select job from ${schema}.effect order by 1`)).toEqual([
    { job: kept },
    { job: taken },
  ])
})

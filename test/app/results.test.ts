import { type App, defineJob, JobCanceled, JobFailed, type JobHandle } from 'holdfast'
import type { Store } from 'holdfast/store'
import pg from 'pg'
import { beforeEach, expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { onEachDriver, postgresUrl } from '../support/world.js'

const add = defineJob({
  kind: 'add',
  handler: async (_ctx, { a, b }: { a: number; b: number }) => ({ sum: a + b }),
})

onEachDriver('handle.result()', (driver) => {
  let app: App
  let store: Store
  beforeEach(async () => {
    app = await freshApp({ jobs: [add] }, driver)
    store = app.store
  })

  /** Ends a job as a worker elsewhere would. */
  const end = async (ids: number[], ending: object) => {
    for (const id of ids) {
      const job = await store.work.claimById(id, { worker: 'elsewhere' })
      expect(job).toBeDefined()
      await store.work.finish([{ outcome: 'succeeded', ...(job as object), ...ending } as never])
    }
  }
  const one = (): Promise<JobHandle<{ sum: number }>> => app.enqueue(add, { a: 1, b: 2 })

  it('answers what the handler returned, to everybody who waits and to whoever comes later', async () => {
    const handle = await one()
    const early = [handle.result(), handle.result(), app.handle(handle.id).result()]
    await end([handle.id], { result: { sum: 3 } })
    expect(await Promise.all(early)).toEqual([{ sum: 3 }, { sum: 3 }, { sum: 3 }])
    expect(await handle.result()).toEqual({ sum: 3 })
  })

  it('throws JobFailed with what is known of the failure', async () => {
    const handle = await one()
    await end([handle.id], { outcome: 'failed', retryable: false, error: new TypeError('no sum today') })
    const failure = await handle.result().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(JobFailed)
    expect(failure).toMatchObject({
      message: `Job ${handle.id} failed: no sum today`,
      details: { jobId: handle.id, attempt: 1, reason: 'not_retryable', errorClass: 'TypeError' },
    })
  })

  it('throws JobCanceled with the reason', async () => {
    const handle = await one()
    await handle.cancel({ reason: 'not needed' })
    const canceled = await handle.result().catch((error: unknown) => error)
    expect(canceled).toBeInstanceOf(JobCanceled)
    expect(canceled).toMatchObject({ jobId: handle.id })
  })

  it('stops waiting when told to, or when its time is up, and the job does not mind', async () => {
    const handle = await one()
    const stop = new AbortController()
    const waiting = handle.result({ signal: stop.signal })
    const enough = new Error('enough')
    stop.abort(enough)
    await expect(waiting).rejects.toBe(enough)
    await expect(handle.result({ signal: stop.signal })).rejects.toBe(enough)
    await expect(handle.result({ timeoutMs: 1 })).rejects.toMatchObject({ code: 'deadline_exceeded' })
    expect(await handle.status()).toBe('queued')
  })

  it('of a job that does not exist is refused', async () => {
    await expect(app.handle(987_654).result()).rejects.toMatchObject({ code: 'unknown_job' })
  })

  it('of many jobs is asked for together', async () => {
    const asked = vi.spyOn(store.read, 'ends')
    const handles = await app.enqueueMany(
      add,
      Array.from({ length: 60 }, (_, n) => ({ a: n, b: 1 })),
    )
    const all = Promise.all(handles.map((handle) => handle.result()))
    await end(
      handles.map(({ id }) => id),
      { result: { sum: 0 } },
    )
    expect(await all).toHaveLength(60)
    expect(asked.mock.calls[0]?.[0]).toHaveLength(60)
  })

  it('ends with the app', async () => {
    const waiting = (await one()).result()
    const refused = expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
    await app.stop()
    await refused
  })
})

it('the result of a job in a transaction is not waited for before the commit', async () => {
  const app = await freshApp({ jobs: [add] })
  const client = new pg.Client(postgresUrl())
  await client.connect()
  await client.query('begin')
  const handle = await app.enqueue(add, { a: 1, b: 1 }, { tx: client })
  await expect(handle.result()).rejects.toMatchObject({ code: 'unknown_job' })
  await client.query('commit')
  await expect(handle.result({ timeoutMs: 1 })).rejects.toMatchObject({ code: 'deadline_exceeded' })
  await client.end()
})

it('6.12 a job that ended and was pruned before anybody saw its end is unknown to whoever waits for its result', async () => {
  const app = await freshApp({ jobs: [add] })
  const handle = await app.enqueue(add, { a: 1, b: 2 })
  const result = handle.result()
  // Ended and pruned in one moment, as it looks to who asks rarely.
  await app.store.database.transaction(async (session) => {
    await session.query('select holdfast.cancel($1)', [handle.id])
    await session.query('delete from holdfast.attempt where job_id = $1', [handle.id])
    await session.query('delete from holdfast.job where id = $1', [handle.id])
  })
  await expect(result).rejects.toMatchObject({ code: 'unknown_job', details: { job: handle.id } })
})

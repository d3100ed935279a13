/** Retrying a job of a strict queue makes one new job, however often it is asked for. */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { answerOf, openSessions, race } from '../support/sessions.js'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'

async function failedJob(store: Store, more: object = {}): Promise<number> {
  await store.queues.create('q', { preset: 'pipeline', ifMissing: true })
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', ...more })
  return failed(store, jobId)
}

async function failed(store: Store, jobId: number): Promise<number> {
  const job = await store.work.claimById(jobId, { worker: 'w' })
  const ending = { jobId, attempt: job?.attempt ?? 0, lease: job?.lease ?? 0 }
  await store.work.finish([{ ...ending, outcome: 'failed', retryable: false }])
  return jobId
}

const jobCount = async (store: Store) =>
  (await store.database.query<{ n: number }>('select count(*)::int as n from holdfast.job'))[0]?.n

onEachDriver('retry in a strict queue', (driver) => {
  it('6.12 n clicks on retry make one job, whose id each of them gets', async () => {
    const store = await freshStore(driver)
    const old = await failedJob(store)
    const answers = []
    for (let n = 0; n < 3; n += 1) answers.push(await store.commands.retry(old))
    expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(1)
    expect(answers.map(({ state }) => state)).toEqual(['queued', 'queued', 'queued'])
    expect(await jobCount(store)).toBe(2)
    await expectHealthy(store)
  })

  it('6.12 once the new job has failed, too, a click on either retries that one', async () => {
    const store = await freshStore(driver)
    const old = await failedJob(store, { key: 'k' })
    const { jobId: second } = await store.commands.retry(old)
    await failed(store, second)
    const { jobId: third } = await store.commands.retry(old)
    expect(third).toBeGreaterThan(second)
    expect((await store.commands.retry(second)).jobId).toBe(third)
    expect((await store.read.history(third)) as object).toMatchObject({ retry_of: second })
    expect(await jobCount(store)).toBe(3)
  })

  it('6.12 once the new job has succeeded, a click makes nothing', async () => {
    const store = await freshStore(driver)
    const old = await failedJob(store)
    const { jobId } = await store.commands.retry(old)
    const job = await store.work.claimById(jobId, { worker: 'w' })
    const fence = { jobId, attempt: job?.attempt ?? 0, lease: job?.lease ?? 0 }
    await store.work.finish([{ ...fence, outcome: 'succeeded' }])
    expect(await store.commands.retry(old)).toEqual({ jobId, state: 'succeeded' })
    expect(await jobCount(store)).toBe(2)
  })
})

it('6.12 clicks at the same moment make one job', async () => {
  const store = await freshStore()
  const old = await failedJob(store)
  const met = await race(
    store,
    (one) => one.commands.retry(old),
    (two) => two.commands.retry(old),
  )
  expect(met.waited).toBe(true)
  expect(met.second).toEqual(met.first)
  const sessions = await openSessions(store, 8)
  const other = await failedJob(store)
  const answers = await Promise.all(sessions.map((one) => answerOf(one.commands.retry(other))))
  expect(new Set(answers.map((answer) => (answer as { jobId: number }).jobId)).size).toBe(1)
  await expectHealthy(store)
})

it('6.12 a click whose job was rolled back leaves the next one to make it', async () => {
  const store = await freshStore()
  const old = await failedJob(store)
  const met = await race(
    store,
    (one) => one.commands.retry(old),
    (two) => two.commands.retry(old),
    { end: 'rollback' },
  )
  expect(met.second).toMatchObject({ state: 'queued' })
  expect(await jobCount(store)).toBe(2)
})

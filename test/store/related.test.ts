import { expect, it } from 'vitest'
import { freshStore, onEachDriver } from '../support/world.js'

onEachDriver('the family of a job', (driver) => {
  it('has its ancestors, its children with and without a trace, and its retries, of its own tenant alone', async () => {
    const store = await freshStore(driver)
    const make = async (more: object = {}, tenant = 'default') =>
      (await store.enqueue({ queue: 'q', kind: 'k', ...more }, { tenant })).jobId
    const root = await make()
    const stranger = await make()
    await store.work.claimById(root, { worker: 'w', leaseMs: 60_000 })
    const child = await make({ parentId: root })
    const grandchild = await make({ parentId: child })
    const sibling = await make({ parentId: root })
    await make({ parentId: root }, 'other')
    const family = [root, child, grandchild, sibling]
    for (const id of family) {
      const { jobs, complete } = await store.read.related(id)
      expect(jobs.map((job) => job.id)).toEqual(family)
      expect(complete).toBe(true)
    }
    expect((await store.read.related(stranger)).jobs.map(({ id }) => id)).toEqual([stranger])
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const traced = [await make({ trace }), await make({ trace: trace.replace('00f067aa', '11f067aa') })]
    expect((await store.read.related(traced[0] as number)).jobs.map(({ id }) => id)).toEqual(traced)
    await expect(store.read.related(999_999)).rejects.toMatchObject({ code: 'unknown_job' })
  })

  it('ends where ids are in a circle, and shows that it did not look at all jobs', async () => {
    const store = await freshStore(driver)
    const [{ jobId: first = 0 } = {}, { jobId: second = 0 } = {}] = await store.enqueueMany([
      { queue: 'q', kind: 'k' },
      { queue: 'q', kind: 'k', parentId: 1 },
    ])
    await store.database.query('update holdfast.job set parent_id = $2 where id = $1', [first, second])
    await store.database.query('update holdfast.job set parent_id = $2 where id = $1', [second, first])
    expect((await store.read.related(first)).jobs.map(({ id }) => id)).toEqual([first, second])
    await store.enqueueMany(Array.from({ length: 20 }, () => ({ queue: 'q', kind: 'k', parentId: second })))
    const [row] = await store.database.query<{ ids: number[]; complete: boolean }>(
      'select ids, complete from holdfast.related_jobs($1, 10)',
      [first],
    )
    expect(row?.ids).toHaveLength(10)
    expect(row?.complete).toBe(false)
  })

  it('has a child that was enqueued long after, among many other jobs, whether or not its parent ever ran', async () => {
    const store = await freshStore(driver)
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    await store.enqueueMany(Array.from({ length: 1_000 }, () => ({ queue: 'q', kind: 'k' })))
    const child = await store.enqueue({ queue: 'q', kind: 'k', parentId: jobId })
    const { jobs, complete } = await store.read.related(jobId)
    expect(jobs.map(({ id }) => id)).toEqual([jobId, child.jobId])
    expect(complete).toBe(true)
  })
})

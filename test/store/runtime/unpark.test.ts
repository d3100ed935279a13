/** Jobs of a kind no worker knew, when one comes that does. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { openSession, race } from '../../support/sessions.js'
import { expectHealthy, onEachDriver, pinnedStore, type World } from '../../support/world.js'

const claimAll = (store: Store) => store.work.claim({ worker: 'w', queues: ['q'], limit: 100 })

/** Parks whatever of these kinds can be claimed now. */
async function park(store: Store, kinds: readonly string[]): Promise<void> {
  const claimed = await claimAll(store)
  await store.work.finish(
    claimed.map((job) => ({ ...job, outcome: kinds.includes(job.kind) ? 'parked' : 'released' })),
  )
}

async function withParked(
  store: World,
  jobs: readonly { kind: string; target?: string; priority?: number }[],
) {
  const made = await store.enqueueMany(jobs.map((job) => ({ queue: 'q', ...job })))
  await park(store, ['resize', 'mail'])
  return made.map(({ jobId }) => jobId)
}

const unpark = (session: Store) => session.work.unpark(['q'], ['resize'])

onEachDriver('unpark', (driver) => {
  it('sends parked jobs of the kinds back to work, where they were in the order, and leaves the others parked', async () => {
    const store = await pinnedStore(driver)
    const [first, mail, second, urgent] = await withParked(store, [
      { kind: 'resize' },
      { kind: 'mail' },
      { kind: 'resize' },
      { kind: 'resize', priority: 50 },
    ])
    await store.enqueue({ queue: 'q', kind: 'resize' })
    expect(await unpark(store)).toBe(3)
    expect(await unpark(store)).toBe(0)
    expect(await store.read.job(mail as number)).toMatchObject({ state: 'parked' })
    const claimed = await claimAll(store)
    expect(claimed.slice(0, 3).map(({ jobId }) => jobId)).toEqual([urgent, first, second])
    expect(claimed[0]).toMatchObject({ attempt: 2, failures: 0, losses: 0, interruptions: 1 })
    const { events } = await store.read.feed('all')
    expect(events.find(({ type }) => type === 'unparked')?.jobIds.sort()).toEqual([first, second, urgent])
    await expectHealthy(store)
  })

  it('moves at most as many as asked for, the longest parked first', async () => {
    const store = await pinnedStore(driver)
    const early = await withParked(store, [{ kind: 'resize' }, { kind: 'resize' }])
    await store.clock.advance(1_000)
    await withParked(store, [{ kind: 'resize' }])
    expect(await store.work.unpark(['q'], ['resize'], undefined, 2)).toBe(2)
    expect((await claimAll(store)).map(({ jobId }) => jobId)).toEqual(early)
    await expectHealthy(store)
  })

  it('a job keeps its place at its target: ahead of those behind it', async () => {
    const store = await pinnedStore(driver)
    const [head, behind] = await withParked(store, [
      { kind: 'resize', target: 't' },
      { kind: 'resize', target: 't' },
    ])
    expect(await unpark(store)).toBe(1)
    const [job] = await claimAll(store)
    expect(job).toMatchObject({ jobId: head })
    expect(await store.read.job(behind as number)).toMatchObject({ state: 'waiting' })
    await store.work.finish([{ ...(job as ClaimedJob), outcome: 'succeeded' }])
    expect(await claimAll(store)).toMatchObject([{ jobId: behind }])
    await expectHealthy(store)
  })

  it('a job parked before its queue put targets in line gets in line now', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('q', { policy: { serializeTargets: false } })
    const [one, two] = await withParked(store, [
      { kind: 'resize', target: 't' },
      { kind: 'resize', target: 't' },
    ])
    await store.queues.setPolicy('q', { serializeTargets: true })
    expect(await unpark(store)).toBe(2)
    expect(await claimAll(store)).toMatchObject([{ jobId: one }])
    expect(await store.read.job(two as number)).toMatchObject({ state: 'waiting' })
    await expectHealthy(store)
  })

  it('leaves paused and errored jobs and other queues alone', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('q', { preset: 'target' })
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'resize' })
    const [job] = await claimAll(store)
    await store.work.finish([{ ...(job as ClaimedJob), outcome: 'failed' }])
    expect(await unpark(store)).toBe(0)
    expect(await store.work.unpark(['other'], ['resize'])).toBe(0)
    expect(await store.read.job(jobId)).toMatchObject({ state: 'errored' })
  })
})

describe('unpark, met by others', () => {
  it('a job somebody is just resuming is left to them, and not waited for', async () => {
    const store = await pinnedStore()
    const [jobId] = await withParked(store, [{ kind: 'resize' }])
    const resume = (session: Store) => session.commands.resume(jobId as number)
    const met = await race(store, resume, unpark)
    expect(met).toMatchObject({ first: 'queued', second: 0, waited: false })
    expect(await claimAll(store)).toMatchObject([{ jobId, attempt: 2 }])
    await expectHealthy(store)
  })

  it('a resume behind it is told that the job is queued already', async () => {
    const store = await pinnedStore()
    const [jobId] = await withParked(store, [{ kind: 'resize' }])
    const met = await race(store, unpark, (session) => session.commands.resume(jobId as number))
    expect(met).toMatchObject({ first: 1, second: { code: 'wrong_state', details: { state: 'queued' } } })
    expect(await claimAll(store)).toHaveLength(1)
    await expectHealthy(store)
  })

  it('two workers that come at once share the jobs, and none moves twice', async () => {
    const store = await pinnedStore()
    await withParked(
      store,
      Array.from({ length: 5 }, () => ({ kind: 'resize' })),
    )
    const three = (session: Store) => session.work.unpark(['q'], ['resize'], undefined, 3)
    const met = await race(store, three, three)
    expect(met).toMatchObject({ first: 3, second: 2, waited: false })
    expect(await claimAll(store)).toHaveLength(5)
    await expectHealthy(store)
  })

  it('a job whose priority is just being raised is left for the next pass, and not doubled', async () => {
    const store = await pinnedStore()
    const [jobId] = await withParked(store, [{ kind: 'resize' }])
    const other = await openSession(store)
    await other.begin()
    await other.commands.boost(jobId as number, 10)
    expect(await unpark(store)).toBe(0)
    await other.commit()
    expect(await unpark(store)).toBe(1)
    expect(await claimAll(store)).toMatchObject([{ jobId, priority: 10 }])
    await expectHealthy(store)
  })
})

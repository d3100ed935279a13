// Lines of a job's log, shown while it runs.
import { expect, it } from 'vitest'
import { expectHealthy, freshStore } from '../support/world.js'
import { enqueue, startWorker } from './world.js'

it('what a running job logs becomes events of the job; a job that ends at once sends none', async () => {
  const store = await freshStore()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const worker = await startWorker(store, {
    long: async ({ log }) => {
      log('one')
      log.warn('two', { page: 2 })
      await held
      log('three')
    },
    short: ({ log }) => log('at once'),
  })
  const [long, short] = [await enqueue(store, 'long'), await enqueue(store, 'short')]
  const logged = async (jobId: number) =>
    (await store.read.events(jobId)).filter(({ type }) => type === 'logged').map(({ data }) => data)
  await expect.poll(() => logged(long)).toHaveLength(1)
  expect(await logged(long)).toEqual([
    { attempt: 1, text: expect.stringMatching(/^\S+Z info one\n\S+Z warn two {"page":2}$/) },
  ])
  release()
  await worker.idle()
  expect(await logged(short)).toEqual([])
  const [attempt] = await store.read.attempts(long)
  expect(attempt?.logExcerpt).toMatch(/one\n.*two.*\n.*three$/)
  await expectHealthy(store)
})

it('lines of a job whose lease is lost are left out', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
  const job = await store.work.claimById(jobId, { worker: 'w', leaseMs: 60_000 })
  if (job === undefined) throw new Error('the job cannot be claimed')
  const { attempt, lease } = job
  const lines = (more: object) =>
    store.work.logLines([{ jobId, attempt, lease, text: 'a\u0000line', ...more }])
  expect([await lines({}), await lines({ lease: lease + 1 }), await lines({ attempt: 2 })]).toEqual([1, 0, 0])
  expect(await store.read.events(jobId)).toContainEqual(
    expect.objectContaining({ type: 'logged', data: { attempt: 1, text: 'a\u{FFFD}line' } }),
  )
})

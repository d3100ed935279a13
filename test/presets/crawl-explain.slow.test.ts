// The crawl preset, troubleshooting: what it tells people to look up by hand is one sentence of `explain`. Why a schedule did not fire is told
// by the schedules themselves.
import { expect, it } from 'vitest'
import { holdfast } from '../support/cli/child.js'
import { pinnedServer } from '../support/served-world.js'
import { postgresUrl } from '../support/world.js'

async function troubled() {
  const { store, call } = await pinnedServer()
  await store.queues.create('crawls', { preset: 'crawl' })
  const make = async (more: object = {}) =>
    (await store.enqueue({ queue: 'crawls', kind: 'crawl', ...more })).jobId
  /** The same reasons by the library, over HTTP and from the command line. */
  const explain = async (id: number) => {
    const reasons = await store.read.explain(id)
    expect((await call('GET', `/api/v1/jobs/${id}/explain`)).body).toEqual({ reasons })
    const { stdout } = await holdfast([
      'jobs',
      'explain',
      String(id),
      '--json',
      '--url',
      postgresUrl(),
      '--schema',
      store.schema,
    ])
    expect(JSON.parse(stdout)).toMatchObject({ jobId: id, reasons })
    for (const { sentence } of reasons) expect(sentence).toMatch(/^[A-Z\d].*[.?]$/)
    return reasons
  }
  return { store, make, explain }
}

it('S1.20 jobs not processing: no worker is running, a worker runs the job, or its worker has died', async () => {
  const { store, make, explain } = await troubled()
  const id = await make()
  expect(await explain(id)).toMatchObject([
    { code: 'no_worker', sentence: 'No live worker claims from the queue crawls.' },
  ])
  await store.work.claim({ worker: 'crawler', queues: ['crawls'] })
  expect(await explain(id)).toMatchObject([{ code: 'assigned', blocking: true, data: { worker: 'crawler' } }])
  await store.clock.advance(900_001)
  expect(await explain(id)).toMatchObject([{ code: 'lease_over', blocking: false }, { code: 'no_worker' }])
})

it('S1.20 failed jobs not retrying: when the next retry is, that no retry is left, and whether upkeep runs', async () => {
  const { store, make, explain } = await troubled()
  const id = await make({ maxRetries: 1 })
  const fail = async () => {
    const [job] = await store.work.claim({ worker: 'crawler', queues: ['crawls'] })
    if (job === undefined) throw new Error('nothing to claim')
    await store.work.finish([{ ...job, outcome: 'failed', error: new Error('robots.txt') }])
  }
  await fail()
  expect(await explain(id)).toMatchObject([{ code: 'retrying', blocking: true, data: { failures: 1 } }])
  await store.clock.advance(200_000)
  expect(await explain(id)).toMatchObject([
    { code: 'no_worker', blocking: false },
    { code: 'upkeep_asleep', blocking: false, data: { last_run_at: null } },
  ])
  await fail()
  expect(await explain(id)).toMatchObject([{ code: 'ended', data: { state: 'failed', reason: 'exhausted' } }])
})

it('S1.20 priority not working: how many jobs are ahead, of which priority, and when the job will start', async () => {
  const { store, make, explain } = await troubled()
  for (let n = 0; n < 4; n += 1) await make({ priority: 50 })
  const id = await make()
  await store.work.claim({ worker: 'crawler', queues: ['crawls'], limit: 2 })
  const [behind] = await explain(id)
  expect(behind).toMatchObject({
    code: 'behind',
    blocking: false,
    data: { jobs: 2, priority: 0, estimate_ms: 300_000 },
  })
  await store.clock.advance(3_600_000 + 3 * 300_000 + 60_001)
  expect((await explain(id)).map(({ code }) => code)).toEqual(['behind', 'no_worker', 'upkeep_asleep'])
  await store.upkeep.age()
  expect((await explain(id)).map(({ code }) => code)).toEqual(['behind', 'no_worker'])
})

// The catalog preset: one order of creation over all its queues that a worker serves.
import type { Store } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { pinnedServer, type ServedWorld } from '../support/served-world.js'
import { expectHealthy, secondStore } from '../support/world.js'

const QUEUES = ['mail', 'images', 'reports']

let server: ServedWorld
let store: Store
beforeEach(async () => {
  server = await pinnedServer()
  store = server.store
  for (const name of QUEUES)
    await store.queues.create(name, { preset: 'catalog', policy: { retryBaseMs: 0, retryCapMs: 0 } })
})

/** One job after the other, in a queue each; their ids. */
async function enqueueIn(queues: readonly string[]): Promise<number[]> {
  const ids: number[] = []
  for (const queue of queues) ids.push((await store.enqueue({ queue, kind: 'k' })).jobId)
  return ids
}

const claim = (limit: number, queues = QUEUES, from = store) =>
  from.work.claim({ worker: 'w', queues, limit })
const idsOf = (jobs: readonly { jobId: number }[]) => jobs.map(({ jobId }) => jobId)
/** Many in one queue, then few in the others, then again. */
const UNEVEN = [
  ...Array(7).fill('mail'),
  'images',
  ...Array(3).fill('reports'),
  'mail',
  'images',
  'images',
  ...Array(6).fill('reports'),
]

it.each([1, 2, 3, 5, 8, 100])(
  'S4.01 claims over several queues return jobs in order of creation, %i at a time',
  async (limit) => {
    const ids = await enqueueIn(UNEVEN)
    const claimed: number[] = []
    for (;;) {
      const jobs = await claim(limit)
      if (jobs.length === 0) break
      claimed.push(...idsOf(jobs))
    }
    expect(claimed).toEqual(ids)
    await expectHealthy(store)
  },
)

it('S4.01 claims over HTTP, one after the other, return jobs in order of creation', async () => {
  const ids = await enqueueIn(UNEVEN)
  const claimed: number[] = []
  for (;;) {
    const { body } = await server.call('POST', '/api/v1/work/claim', {
      body: { worker: 'w', queues: QUEUES, limit: 4 },
    })
    if (body.jobs.length === 0) break
    claimed.push(...body.jobs.map(({ job_id }: { job_id: number }) => job_id))
  }
  expect(claimed).toEqual(ids)
})

it('S4.01 a retried or released job is claimed before younger jobs of other queues', async () => {
  const ids = await enqueueIn(['mail', 'images', 'mail', 'reports', 'images'])
  const [first, second] = await claim(2)
  if (first === undefined || second === undefined) throw new Error('nothing was claimed')
  await store.work.finish([
    { ...first, outcome: 'failed' },
    { ...second, outcome: 'released', reason: 'shutdown' },
  ])
  await store.upkeep.promoteDueWork()
  expect(idsOf(await claim(100))).toEqual(ids)
})

it('S4.01 concurrent workers take every job once, and each of them in order', async () => {
  const expected = await enqueueIn(
    Array.from({ length: 40 }, () => UNEVEN)
      .flat()
      .slice(0, 600),
  )
  const others = await Promise.all([0, 1, 2].map(() => secondStore(store, 2)))
  const drain = async (from: Store) => {
    const mine: number[] = []
    for (let empty = 0; empty < 2; ) {
      const jobs = await claim(7, QUEUES, from)
      if (jobs.length === 0) empty += 1
      const ids = idsOf(jobs)
      expect([...ids].sort((one, other) => one - other)).toEqual(ids)
      mine.push(...ids)
    }
    return mine
  }
  const taken = await Promise.all([store, ...others].map(drain))
  expect(taken.flat().sort((one, other) => one - other)).toEqual(expected)
  for (const mine of taken) expect([...mine].sort((one, other) => one - other)).toEqual(mine)
  await expectHealthy(store)
})

it('S4.01 a worker that locks the oldest jobs does not hide the others from the next', async () => {
  const ids = await enqueueIn(UNEVEN)
  const other = await secondStore(store, 2)
  await store.database.transaction(async (session) => {
    const open = await session.query<{ jobId: number }>(
      `select job_id as "jobId" from ${store.schema}.claim('slow', null, (select array_agg(id) from ${store.schema}.queue), 3)`,
    )
    expect(idsOf(open)).toEqual(ids.slice(0, 3))
    expect(idsOf(await claim(4, QUEUES, other))).toEqual(ids.slice(3, 7))
  })
})

it('S4.01 queues of other presets keep their share beside a flood of catalog jobs', async () => {
  await store.queues.create('plain')
  await enqueueIn(Array(50).fill('mail'))
  const [plain] = await enqueueIn(['plain'])
  const claimer = store.work.claimer()
  const seen: number[] = []
  // Whichever is first in the list takes its turn after each claim.
  for (let n = 0; n < QUEUES.length + 1; n += 1)
    seen.push(...idsOf(await claimer.claim({ worker: 'w', queues: [...QUEUES, 'plain'], limit: 1 })))
  expect(seen).toContain(plain)
  const order = idsOf(await claim(40, [...QUEUES, 'plain']))
  expect(order).toEqual([...order].sort((one, other) => one - other))
})

it('S4.01 a paused queue is skipped, and a queue with a limit is claimed separately', async () => {
  const ids = await enqueueIn(['mail', 'images', 'reports', 'mail', 'images', 'reports'])
  await store.queues.pause('images')
  await store.queues.setPolicy('reports', { maxRunning: 1 })
  const claimed = await claim(100)
  expect(idsOf(claimed).sort((one, other) => one - other)).toEqual([ids[0], ids[2], ids[3]])
})

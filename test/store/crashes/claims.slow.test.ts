/** What was handed out stays handed out when the server loses its power: a claim waits for the disk, as a finish does. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { crashing, flushThenFreeze, job, ownServer, QUEUE, triple } from './world.js'

ownServer()

type Claim = (store: Store, lease: number, jobId: number) => Promise<(ClaimedJob | undefined)[]>
const CLAIMS: readonly (readonly ['crash' | 'power cut', string, Claim])[] = [
  ['crash', 'claim', (store, lease) => store.work.claim({ worker: 'w', lease, queues: [QUEUE] })],
  ['power cut', 'claim', (store, lease) => store.work.claim({ worker: 'w', lease, queues: [QUEUE] })],
  ['crash', 'claim without a lease', (store) => store.work.claim({ worker: 'w', queues: [QUEUE] })],
  [
    'crash',
    'claim_by_id',
    async (store, lease, jobId) => [await store.work.claimById(jobId, { worker: 'w', lease })],
  ],
  [
    'crash',
    'claim of a script',
    (store, lease) =>
      store.database.query<ClaimedJob>(
        `select job_id as "jobId", attempt, lease from holdfast.claim('w', $1, array(select id from holdfast.queue))`,
        [lease],
      ),
  ],
]

it.each(CLAIMS)(
  '6.01 what was handed out is still held after a %s that loses all WAL not yet flushed (%s)',
  async (how, _verb, claim) => {
    const { server, store, another } = await crashing()
    const { jobId } = await store.enqueue(job)
    const { lease } = await store.work.openLease('w', 60_000)
    await flushThenFreeze()
    const claimed = await claim(store, lease, jobId)
    await server.restart(how)
    const after = await another()
    const held = await after.database.query<ClaimedJob>(
      'select job_id as "jobId", attempt, lease from holdfast.running',
    )
    expect(held.map(triple)).toEqual(claimed.map((one) => triple(one as ClaimedJob)))
    expect(held).toHaveLength(1)
    expect(await after.work.claim({ worker: 'w2', queues: [QUEUE] })).toEqual([])
  },
)

it('6.01 a job that a claim ended, because its worker was lost once too often, stays ended after a crash', async () => {
  const { server, store, another } = await crashing()
  const { jobId } = await store.enqueue(job)
  await store.queues.setPolicy(QUEUE, { crashBudget: 1 })
  await store.work.claim({ worker: 'dies', queues: [QUEUE], leaseMs: 1_000 })
  // The lease has run out and its sweep, which waits until the server has been up that long, is due.
  await store.database.script(`update holdfast.lease set expires_at = now() - interval '1 minute';
    create or replace function holdfast.accepting_writes_since() returns timestamptz language sql as $$ select now() - interval '1 hour' $$`)
  await flushThenFreeze()
  expect(await store.work.claim({ worker: 'w', queues: [QUEUE] })).toEqual([])
  expect(await store.read.job(jobId)).toMatchObject({ state: 'failed' })
  await server.restart('crash')
  const after = await another()
  expect(await after.read.job(jobId)).toMatchObject({ state: 'failed' })
  expect(await after.work.claim({ worker: 'w', queues: [QUEUE] })).toEqual([])
})

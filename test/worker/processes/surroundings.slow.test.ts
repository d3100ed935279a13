// Processes whose surroundings are not as they should be: the clock of the machine, or the connections that handlers have.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, freshStore } from '../../support/world.js'
import { QUEUE, states, until } from '../world.js'
import { startProcess } from './world.js'

const TERMS = { leaseMs: 2_000, heartbeatMs: 200 }
const HOUR_MS = 3_600_000

const make = (store: Store, count: number, more: object) =>
  store.enqueueMany(Array.from({ length: count }, () => ({ queue: QUEUE, kind: 'job', ...more })))

it.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  'a worker whose clock is an hour %s loses no job, and none begins early or late',
  async (_where, wrongByMs) => {
    const store = await freshStore()
    const worker = await startProcess(store, { ...TERMS, wrongByMs })
    const [early] = await make(store, 1, { input: {}, delayMs: HOUR_MS / 2 })
    const [late] = await make(store, 1, { input: {}, delayMs: 1 })
    const [long] = await make(store, 1, { input: { does: 'spin', ms: TERMS.leaseMs * 1.2 } })
    await make(store, 50, { input: {} })
    await until(async () => {
      expect(await store.upkeep.reclaim()).toBe(0)
      return (await states(store)).succeeded === 52
    })
    expect(await store.read.job(early?.jobId as number)).toMatchObject({ state: 'scheduled', attempt: 0 })
    for (const one of [late, long])
      expect(await store.read.attempts(one?.jobId as number)).toMatchObject([{ outcome: 'succeeded' }])
    const [row] = await store.database.query<{ attempts: number; workers: string[]; wrong: number }>(
      `select count(*)::int as attempts, array_agg(distinct worker) as workers,
       count(*) filter (where started_at < claimed_at or finished_at < started_at or finished_at > clock_timestamp())::int as wrong
     from holdfast.attempts`,
    )
    expect(row).toEqual({ attempts: 52, workers: [worker.worker], wrong: 0 })
    await expectHealthy(store)
  },
)

it('a handler that takes every connection of its process keeps its lease: heartbeats have their own', async () => {
  const store = await freshStore()
  const worker = await startProcess(store, TERMS)
  const [made] = await make(store, 1, { input: { does: 'hog' } })
  await worker.hear(({ hogs }) => hogs === made?.jobId)
  const expires = async () => {
    const rows = await store.database.query<{ at: Date }>('select expires_at as at from holdfast.lease')
    return rows[0]?.at.getTime() ?? 0
  }
  const first = await expires()
  // A whole lease after the one it had when the last connection was taken.
  await until(async () => (await expires()) > first + TERMS.leaseMs)
  worker.tell('go')
  await until(async () => (await states(store)).succeeded === 1)
  expect(await store.read.attempts(made?.jobId as number)).toMatchObject([
    { attempt: 1, outcome: 'succeeded' },
  ])
  await expectHealthy(store)
})

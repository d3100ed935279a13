// Workers that die, freeze or spin, as real processes. Leases are short here, so that the tests are.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, freshStore } from '../../support/world.js'
import { QUEUE, states, until } from '../world.js'
import { startProcess } from './world.js'

const LEASE_MS = 3_000
const HEARTBEAT_MS = 300

async function enqueue(store: Store, count: number, input: object): Promise<number[]> {
  const made = await store.enqueueMany(
    Array.from({ length: count }, () => ({ queue: QUEUE, kind: 'job', input })),
  )
  return made.map(({ jobId }) => jobId)
}

async function effects(store: Store): Promise<{ job: number; pid: number }[]> {
  return store.database.query(`select job::int as job, pid from ${store.schema}.effect order by 1`)
}

it('kill -9 of one of three workers, which holds 500 jobs: all of them finish elsewhere', async () => {
  const store = await freshStore()
  const ids = await enqueue(store, 500, { does: 'hold' })
  const victim = await startProcess(store, {
    leaseMs: LEASE_MS,
    heartbeatMs: HEARTBEAT_MS,
    concurrency: 500,
    holds: true,
  })
  await until(() => victim.said.filter(({ began }) => began !== undefined).length === 500)
  const others = await Promise.all([
    startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS, concurrency: 50 }),
    startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS, concurrency: 50 }),
  ])
  const more = await enqueue(store, 100, {})
  await until(async () => (await states(store)).succeeded === 100)
  victim.kill('SIGKILL')
  expect(await victim.gone).toEqual({ code: null, signal: 'SIGKILL' })
  await until(async () => (await states(store)).succeeded === 600)

  const ends = await store.database.query<{ worker: string; outcome: string; n: number; jobs: number }>(
    `select worker, outcome::text as outcome, count(*)::int as n, count(distinct job_id)::int as jobs
     from holdfast.attempts where job_id = any ($1::bigint[]) group by 1, 2`,
    [ids],
  )
  expect(ends.filter(({ outcome }) => outcome === 'lost')).toEqual([
    { worker: victim.worker, outcome: 'lost', n: 500, jobs: 500 },
  ])
  const finished = ends.filter(({ outcome }) => outcome === 'succeeded')
  expect(
    finished.map(({ worker }) => worker).every((name) => others.some(({ worker }) => worker === name)),
  ).toBe(true)
  expect(finished.reduce((sum, { n }) => sum + n, 0)).toBe(500)
  // Each was lost before it was claimed again.
  const [order] = await store.database.query<{ wrong: number }>(
    `select count(*)::int as wrong from holdfast.attempts l join holdfast.attempts s using (job_id)
     where l.outcome = 'lost' and s.outcome = 'succeeded' and (s.claimed_at < l.finished_at or s.attempt <= l.attempt)`,
  )
  expect(order).toEqual({ wrong: 0 })
  expect(more).toHaveLength(100)
  await expectHealthy(store)
})

it('a worker killed while it drains leaves its jobs to others, as at any other death', async () => {
  const store = await freshStore()
  const [jobId = 0] = await enqueue(store, 1, { does: 'hold' })
  const victim = await startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS, holds: true })
  await victim.hear(({ began }) => began === jobId)
  victim.tell('drain')
  await until(() => {
    victim.tell('stats')
    return victim.said.some(({ stats }) => stats?.state === 'draining')
  })
  victim.kill('SIGKILL')
  await victim.gone
  const other = await startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS })
  await until(async () => (await store.read.job(jobId))?.state === 'succeeded')
  expect((await store.read.attempts(jobId)).map(({ outcome, worker }) => [outcome, worker])).toEqual([
    ['lost', victim.worker],
    ['succeeded', other.worker],
  ])
  await expectHealthy(store)
})

it('a worker frozen until its job was done elsewhere is refused when it wakes: there is one effect', async () => {
  const store = await freshStore()
  await store.database.script(`create table ${store.schema}.effect (job bigint, pid int)`)
  const [jobId = 0] = await enqueue(store, 1, { does: 'effect' })
  const frozen = await startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS, holds: true })
  await frozen.hear(({ began }) => began === jobId)
  frozen.kill('SIGSTOP')
  const other = await startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS })
  await until(async () => (await store.read.job(jobId))?.state === 'succeeded')
  expect(await effects(store)).toEqual([{ job: jobId, pid: other.pid }])
  frozen.tell('go')
  frozen.kill('SIGCONT')
  expect(await frozen.hear(({ threw }) => threw === jobId)).toMatchObject({ code: 'lease_lost' })
  expect(await frozen.hear(({ ended }) => ended !== undefined)).toMatchObject({
    ended: { jobId, attempt: 1, accepted: false },
  })
  expect(await effects(store)).toEqual([{ job: jobId, pid: other.pid }])
  expect((await store.read.attempts(jobId)).map(({ outcome, worker }) => [outcome, worker])).toEqual([
    ['lost', frozen.worker],
    ['succeeded', other.worker],
  ])
  // It is none the worse for it.
  await other.tell('drain')
  await other.gone
  const [next = 0] = await enqueue(store, 1, {})
  expect(await frozen.hear(({ ended }) => ended?.jobId === next)).toMatchObject({ ended: { accepted: true } })
  await expectHealthy(store)
})

it('a handler that spins for three leases keeps its job, and shows as busy, not dead', async () => {
  const store = await freshStore()
  const spinning = await startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS })
  const [jobId = 0] = await enqueue(store, 1, { does: 'spin', ms: 3 * LEASE_MS })
  // What it says while it spins leaves the process only afterwards, so the database is asked.
  await until(async () => (await store.read.job(jobId))?.state === 'running')
  const idle = await startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS })
  await until(async () => {
    const seen = (await store.workers.list()).find(({ worker }) => worker === spinning.worker)
    return seen?.alive === true && seen.lagMs > 1000
  })
  await until(async () => (await store.read.job(jobId))?.state === 'succeeded')
  const attempts = await store.read.attempts(jobId)
  expect(attempts.map(({ outcome, worker }) => [outcome, worker])).toEqual([['succeeded', spinning.worker]])
  expect(idle.said.some(({ began }) => began === jobId)).toBe(false)
})

it('a cancel from another process reaches the running handler', async () => {
  const store = await freshStore()
  const worker = await startProcess(store, { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS })
  const [jobId = 0] = await enqueue(store, 1, { does: 'wait' })
  await worker.hear(({ began }) => began === jobId)
  expect(await store.commands.cancel(jobId)).toMatchObject({ result: 'requested' })
  expect(await worker.hear(({ aborted }) => aborted === jobId)).toMatchObject({ code: 'cancel' })
  await until(async () => (await store.read.job(jobId))?.state === 'canceled')
})

it('a job that takes its process with it each time ends as crashed, and all others finish', async () => {
  const store = await freshStore()
  await enqueue(store, 40, {})
  const [poison = 0] = await enqueue(store, 1, { does: 'die' })
  await enqueue(store, 59, {})
  // As a supervisor does: whoever dies is replaced.
  let deaths = 0
  let done = false
  const supervise = async () => {
    while (!done) {
      const worker = await startProcess(store, {
        leaseMs: LEASE_MS,
        heartbeatMs: HEARTBEAT_MS,
        concurrency: 10,
      })
      await Promise.race([worker.gone, until(() => done)])
      if (!done) deaths += 1
    }
  }
  const supervised = supervise()
  await until(async () => {
    const { failed = 0, succeeded = 0 } = await states(store)
    return failed + succeeded === 100
  })
  done = true
  await supervised
  expect(await store.read.job(poison)).toMatchObject({ state: 'failed', reason: 'crashed' })
  expect(await states(store)).toEqual({ failed: 1, succeeded: 99 })
  expect(deaths).toBe(3)
  await expectHealthy(store)
})

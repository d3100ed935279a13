// How groups of workers grow and shrink.
import type { ScaleDecision } from 'holdfast/jobs'
import { expect, it } from 'vitest'
import { storePort } from '../../src/store/port.js'
import { createManager, type ManagedGroup } from '../../src/worker/manager.js'
import { freshStore } from '../support/world.js'
import { enqueueMany, gate, makeWorker, QUEUE, states, until } from './world.js'

/** A group whose size is only noted. */
function groupOf(sizes: number[], meanRunMs = 0, name = 'g'): ManagedGroup {
  return {
    name,
    tenant: 'default',
    queues: [QUEUE],
    defaultCount: 2,
    maxCount: 8,
    worker: {
      name: 'w',
      setConcurrency: (slots) => void sizes.push(slots),
      stats: () => ({ meanRunMs }) as ReturnType<ManagedGroup['worker']['stats']>,
    },
  }
}

it('a group starts with its default size, then has as many slots as due jobs wait, between its default and its maximum', async () => {
  const store = await freshStore()
  const sizes: number[] = []
  const decisions: ScaleDecision[] = []
  const manager = createManager({
    port: storePort(store),
    groups: [groupOf(sizes)],
    scaleIntervalMs: 3_600_000,
    onDecision: (decision) => void decisions.push(decision),
  })
  manager.start()
  await manager.scaleNow()
  expect(sizes).toEqual([2])
  await enqueueMany(store, 5, 'job')
  await manager.scaleNow()
  await enqueueMany(store, 20, 'job')
  await manager.scaleNow()
  await manager.scaleNow()
  const { lease } = await store.work.openLease('w', 30_000)
  await store.work.claim({ worker: 'w', lease, queues: [QUEUE], limit: 100 })
  await manager.scaleNow()
  await manager.stop()
  expect(sizes).toEqual([2, 5, 8, 2])
  expect(decisions).toEqual([
    { group: 'g', tenant: 'default', from: 2, to: 5, depth: 5, reason: 'depth' },
    { group: 'g', tenant: 'default', from: 5, to: 8, depth: 8, reason: 'depth' },
    { group: 'g', tenant: 'default', from: 8, to: 2, depth: 0, reason: 'depth' },
  ])
})

it('with max_wait_ms a group grows at once and shrinks only after three readings in a row, to the largest of them', async () => {
  const store = await freshStore()
  const { lease } = await store.work.openLease('w', 60_000)
  const waiting = async (jobs: number) => {
    const now = await store.work.depth([QUEUE])
    if (jobs > now) await enqueueMany(store, jobs - now, 'job')
    if (jobs < now) await store.work.claim({ worker: 'w', lease, queues: [QUEUE], limit: now - jobs })
  }
  const sizes: number[] = []
  const decisions: ScaleDecision[] = []
  const manager = createManager({
    port: storePort(store),
    // Handlers take 100 ms and a job should wait 1000 ms at most: ten jobs a slot.
    groups: [groupOf(sizes, 100)],
    scaleIntervalMs: 3_600_000,
    maxWaitMs: 1000,
    onDecision: (decision) => void decisions.push(decision),
  })
  manager.start()
  const after: number[] = []
  for (const jobs of [0, 60, 10, 60, 10, 35, 10, 10, 10, 10, 200]) {
    await waiting(jobs)
    await manager.scaleNow()
    after.push(sizes.at(-1) ?? 0)
  }
  await manager.stop()
  expect(after).toEqual([2, 6, 6, 6, 6, 6, 4, 4, 4, 2, 8])
  expect(decisions.map(({ from, to, reason }) => [from, to, reason])).toEqual([
    [2, 6, 'wait'],
    [6, 4, 'wait'],
    [4, 2, 'wait'],
    [2, 8, 'wait'],
  ])
  const { events } = await store.read.feed('all')
  expect(events.filter(({ type }) => type === 'workers_scaled')).toMatchObject([
    { actor: 'w', reason: 'wait', data: { group: 'g', from: 2, to: 6, depth: 60 } },
    { reason: 'wait', data: { from: 6, to: 4, depth: 10 } },
    { reason: 'wait', data: { from: 4, to: 2, depth: 10 } },
    { reason: 'wait', data: { from: 2, to: 8, depth: 200 } },
  ])
})

it('a depth that cannot be read changes nothing, a change that cannot be noted is made, and other groups are sized all the same', async () => {
  const sick: number[] = []
  const well: number[] = []
  const manager = createManager({
    port: {
      depth: async (queues) => {
        if (queues[0] === 'sick') throw new Error('away')
        return 4
      },
      recordScale: async () => {
        throw new Error('away, too')
      },
    },
    groups: [{ ...groupOf(sick, 0, 'sick'), queues: ['sick'] }, groupOf(well, 0, 'well')],
    scaleIntervalMs: 3_600_000,
  })
  manager.start()
  await manager.scaleNow()
  await manager.stop()
  expect({ sick, well }).toEqual({ sick: [2], well: [2, 4] })
})

it('groups of two tenants are independent, each with its own size, and scaling down ends no running job', async () => {
  const store = await freshStore()
  const jobs = Array.from({ length: 6 }, () => ({ queue: QUEUE, kind: 'job' }))
  await store.enqueueMany(
    jobs.map((job) => ({ ...job, input: 'red' })),
    { tenant: 'red' },
  )
  await store.enqueueMany([{ queue: QUEUE, kind: 'job', input: 'blue' }], { tenant: 'blue' })
  const { open, opened } = gate()
  const running = { red: 0, blue: 0 }
  const groups = ['red', 'blue'].map((tenant) => ({
    name: tenant,
    tenant,
    queues: [QUEUE],
    defaultCount: 1,
    maxCount: 4,
    worker: makeWorker(
      store,
      {
        job: async (_context, input) => {
          running[input as 'red' | 'blue'] += 1
          await opened
        },
      },
      { tenant, name: tenant, concurrency: 1 },
    ),
  }))
  const manager = createManager({ port: storePort(store), groups, scaleIntervalMs: 3_600_000 })
  manager.start()
  await manager.scaleNow()
  await Promise.all(groups.map(({ worker }) => worker.start()))
  await until(() => running.red === 4 && running.blue === 1)
  expect(groups.map(({ worker }) => worker.stats().slots)).toEqual([4, 1])
  await manager.scaleNow()
  expect(groups.map(({ worker }) => worker.stats())).toEqual([
    expect.objectContaining({ slots: 2, busy: 4 }),
    expect.objectContaining({ slots: 1, busy: 1 }),
  ])
  open()
  await Promise.all(groups.map(({ worker }) => worker.idle()))
  expect(await states(store)).toEqual({ succeeded: 7 })
  await manager.stop()
})

/** The engine as a worker sees it, over a store and over connections of its own. */
import type { ClaimedJob } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { openPort, storePort } from '../../../src/store/port.js'
import { PRESENCE } from '../../support/presence.js'
import { expectHealthy, freshStore, onEachDriver, pinnedStore, postgresUrl } from '../../support/world.js'

onEachDriver('a port', (driver) => {
  it('carries a job from its claim to its end, with everything a worker says meanwhile', async () => {
    const store = await pinnedStore(driver)
    const port = storePort(store)
    await store.enqueueMany([
      { queue: 'q', kind: 'k' },
      { queue: 'q', kind: 'strange' },
    ])
    expect(await port.depth(['q'], 10)).toBe(2)
    const { lease } = await port.openLease('w', 30_000)
    const [job, strange] = (await port.claim({ worker: 'w', lease, queues: ['q'], limit: 2 })) as [
      ClaimedJob,
      ClaimedJob,
    ]
    expect(await port.start([job])).toEqual([{ jobId: job.jobId, attempt: 1 }])
    expect(await port.report({ ...job, items: [{ a: 1 }] })).toMatchObject({ newItems: 1, done: false })
    expect(await port.renew([lease])).toMatchObject([{ lease, alive: true }])
    expect(await port.finish([{ ...strange, outcome: 'parked' }])).toMatchObject([{ state: 'parked' }])
    expect(await port.unpark(['q'], ['strange'])).toBe(1)
    expect(await port.finish([{ ...job, outcome: 'succeeded' }])).toMatchObject([{ accepted: true }])
    const [again] = await port.claim({ worker: 'w', lease, queues: ['q'], limit: 1, tenant: 'default' })
    expect(again).toMatchObject({ jobId: strange.jobId, attempt: 2 })
    expect(await port.releaseUnlisted(lease, [again as ClaimedJob], 0)).toBe(0)
    expect(await port.closeLease(lease)).toBe(1)
    await expectHealthy(store)
  })

  it('shows its worker until it leaves', async () => {
    const store = await pinnedStore(driver)
    const port = storePort(store)
    expect(await port.heartbeat({ ...PRESENCE, kinds: [], lagMs: 0.4 })).toEqual({ drain: false })
    expect(await store.workers.list()).toMatchObject([{ worker: 'w', kinds: [], lagMs: 0 }])
    await port.removeWorker('w')
    expect(await store.workers.list()).toEqual([])
  })
})

it('opened by its options alone it has a connection of its own, which others cannot use up', async () => {
  const store = await freshStore('postgres', { connections: 1 })
  const { lease } = await store.work.openLease('w', 30_000)
  const port = await openPort({ url: postgresUrl(), schema: store.schema, applicationName: 'heartbeat' })
  onTestFinished(() => port.close())
  await store.database.transaction(async () => {
    expect(await port.renew([lease])).toMatchObject([{ alive: true }])
  })
})

it('is refused where there is no schema, with a remedy', async () => {
  await expect(openPort({ url: postgresUrl(), schema: 'nowhere' })).rejects.toMatchObject({
    code: 'schema_missing',
  })
})

// Jobs that a worker held and had not begun when it was killed.
import { it } from 'vitest'
import type { WorkerStats } from '../../../src/worker/worker-options.js'
import { freshStore } from '../../support/world.js'
import {
  expectStates,
  expectUntouched,
  fillSlots,
  type Held,
  heldBy,
  makeQueue,
  SLOTS,
  sweep,
} from '../held.js'
import { until } from '../world.js'
import { startProcess } from './world.js'

it('6.07 unstarted jobs are not charged when their worker is killed', async () => {
  const store = await freshStore()
  await makeQueue(store, 'target')
  const worker = await startProcess(store, { concurrency: SLOTS, heartbeatMs: 300 })
  await fillSlots(store, { does: 'wait' }, async () => {
    const asked = worker.said.length
    worker.tell('stats')
    await until(() => worker.said.slice(asked).some(({ stats }) => stats !== undefined))
    return worker.said.findLast(({ stats }) => stats !== undefined)?.stats as WorkerStats
  })
  const began = () => new Set(worker.said.flatMap(({ began }) => (began === undefined ? [] : [began])))
  const waits = async () => {
    const { begun, unstarted } = await heldBy(store, began())
    const long = (held: Held[]) => held.filter(({ target }) => target.includes('wait'))
    return { begun: long(begun), unstarted: long(unstarted), all: begun.length + unstarted.length }
  }
  await until(async () => {
    const { begun, unstarted, all } = await waits()
    return begun.length === SLOTS && unstarted.length > 0 && all === begun.length + unstarted.length
  })
  worker.kill('SIGKILL')
  await worker.gone
  const { begun, unstarted } = await waits()
  await sweep(store)
  await expectStates(store, begun, { state: 'errored' })
  await expectUntouched(store, unstarted)
})

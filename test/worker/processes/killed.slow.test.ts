// Jobs that a worker held and had not begun when it was killed.
import { it } from 'vitest'
import { freshStore } from '../../support/world.js'
import { expectStates, expectUntouched, type Held, heldBy, makeJobs, SLOTS, sweep } from '../held.js'
import { until } from '../world.js'
import { startProcess } from './world.js'

it('6.07 unbegun jobs are not charged when their worker is killed', async () => {
  const store = await freshStore()
  await makeJobs(store, 'target', { does: 'wait' })
  const worker = await startProcess(store, { concurrency: SLOTS, heartbeatMs: 300 })
  const began = () => new Set(worker.said.flatMap(({ began }) => (began === undefined ? [] : [began])))
  const waits = async () => {
    const { begun, unbegun } = await heldBy(store, began())
    const long = (held: Held[]) => held.filter(({ target }) => target.includes('wait'))
    return { begun: long(begun), unbegun: long(unbegun), all: begun.length + unbegun.length }
  }
  await until(async () => {
    const { begun, unbegun, all } = await waits()
    return begun.length === SLOTS && unbegun.length > 0 && all === begun.length + unbegun.length
  })
  worker.kill('SIGKILL')
  await worker.gone
  const { begun, unbegun } = await waits()
  await sweep(store)
  await expectStates(store, begun, { state: 'errored' })
  await expectUntouched(store, unbegun)
})

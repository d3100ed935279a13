/** The clock that the threads of a process share. */
import { Worker as Thread } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { sharedNow } from '../../src/worker/heartbeat/shared-vitals.js'

/** A thread that is held up for half a second the first time it reads its own clock, and then says what time it is. */
const HELD_UP = `
const { parentPort, workerData } = require('node:worker_threads')
const read = performance.now.bind(performance)
let first = true
performance.now = () => {
  if (first) {
    first = false
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  }
  return read()
}
import(workerData).then(({ sharedNow }) => {
  parentPort.on('message', () => {
    parentPort.postMessage(sharedNow())
    parentPort.close()
  })
  parentPort.postMessage('ready')
})
`

it('says the same in every thread, also in one that was held up while it began', async () => {
  const module = new URL('../../dist/worker/heartbeat/shared-vitals.js', import.meta.url).href
  const thread = new Thread(HELD_UP, { eval: true, workerData: module })
  const heard = () => new Promise((resolve) => thread.once('message', resolve))
  expect(await heard()).toBe('ready')
  const answer = heard()
  const before = sharedNow()
  thread.postMessage('what time is it')
  const there = await answer
  const after = sharedNow()
  expect(there).toBeGreaterThanOrEqual(before)
  expect(there).toBeLessThanOrEqual(after)
})

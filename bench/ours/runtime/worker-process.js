// A worker in a process of its own, for what can only be seen from another: that its jobs come back when it is killed, and that a
// cancel reaches a running handler. Forked; says over the channel what happens, with the time on the clock that processes share.
import { holdfast } from '../../../dist/index.js'
import { noop } from './app.js'
import { sharedMs } from './shared-clock.js'

const { url, concurrency, leaseMs, holds } = JSON.parse(process.argv[2])
process.on('disconnect', () => process.exit(0))

const job = noop(async ({ signal, jobId }) => {
  process.send({ began: jobId, at: sharedMs() })
  if (!holds) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  process.send({ told: jobId, at: sharedMs() })
  signal.throwIfAborted()
})
const app = await holdfast({ url, jobs: [job] })
const working = await app.work({ concurrency, leaseMs })
process.on('message', async () => {
  await working.drain({ graceMs: 0 })
  await app.stop()
  process.exit(0)
})
process.send({ ready: true })

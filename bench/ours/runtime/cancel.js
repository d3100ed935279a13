// From cancel() in this process to the signal of the handler that runs the job in another. The moments are spread evenly over the
// time between two heartbeats, so that the median is what a person can expect and the slowest is what a heartbeat promises.
import { setTimeout as wait } from 'node:timers/promises'
import { median } from '../../holds.js'
import { noop, withApp } from './app.js'
import { startFullWorker } from './other-process.js'
import { sharedMs } from './shared-clock.js'

export function cancel(plan, { jobs, leaseMs }) {
  const heartbeatMs = Math.floor(leaseMs / 3)
  const job = noop()
  return withApp(plan, [job], async (app) => {
    const options = { url: plan.url, concurrency: jobs, leaseMs }
    const { worker: other, handles } = await startFullWorker(app, job, options)
    const asked = new Map()
    for (const handle of handles) {
      asked.set(handle.id, sharedMs())
      await handle.cancel()
      await wait(heartbeatMs / jobs)
    }
    await other.until(() => other.told.size === jobs)
    const waits = [...asked].map(([id, at]) => other.told.get(id) - at)
    await other.stop()
    const ms = median(waits)
    return { jobs, waits, ms, slowestMs: Math.max(...waits), heartbeatMs, rate: heartbeatMs / ms }
  })
}

// Idle latency of the library, with its defaults.
import { Arrivals, idleLatency } from '../../idle-latency.js'
import { noop, withApp } from './app.js'

export function idlePickup(plan, { jobs }) {
  const arrivals = new Arrivals()
  const job = noop((_ctx, { n }) => arrivals.begun(n))
  return withApp(plan, [job], async (app) => {
    const working = await app.work()
    const result = await idleLatency(jobs, arrivals, (n) => app.enqueue(job, { n }))
    await working.drain()
    return result
  })
}

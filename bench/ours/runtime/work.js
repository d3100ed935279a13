// Draining through the library: `work()` with so many slots, until the database has taken the last ending.
import { setTimeout as wait } from 'node:timers/promises'
import { Stopwatch } from '../../stopwatch.js'
import { noop, withApp } from './app.js'

/** With `handlerMs` each handler waits for so long, as one does that asks somebody else. */
export function work(plan, { jobs, concurrency, handlerMs }) {
  const watch = new Stopwatch(jobs)
  let refused = 0
  let ranMs = 0
  const handler = handlerMs === undefined ? () => {} : () => wait(handlerMs)
  return withApp(plan, [noop(handler)], async (app) => {
    const working = await app.work({
      ...(concurrency === undefined ? {} : { concurrency }),
      onEnded: ({ accepted, outcome, ranMs: ms }) => {
        if (!accepted || outcome !== 'succeeded') refused += 1
        ranMs += ms
        watch.count()
      },
    })
    const before = process.cpuUsage()
    watch.ready()
    await watch.last
    const { user, system } = process.cpuUsage(before)
    const [{ claims }] = await working.stats()
    await working.drain()
    if (refused > 0) throw new Error(`${refused} of ${jobs} endings were refused`)
    return { ...watch.result(), claims, clientCpuUs: (user + system) / jobs, meanRunMs: ranMs / jobs }
  })
}

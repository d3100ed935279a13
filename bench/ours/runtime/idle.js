// A worker process with nothing to do, woken by NOTIFY: heartbeats, looks for work, upkeep, everything it does with its defaults. What it
// costs is read at the server by whoever started it.
import { setTimeout as wait } from 'node:timers/promises'
import { noop, withApp } from './app.js'

export function idleWorker(plan, { seconds }) {
  return withApp(plan, [noop()], async (app) => {
    const working = await app.work()
    await wait(seconds * 1000)
    await working.drain()
    return { seconds }
  })
}

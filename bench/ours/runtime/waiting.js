// The weight of handlers that wait, all of them in the slots of one worker.
import { inBatches } from '../../answer.js'
import { Waiting, weighWaiting } from '../../memory.js'
import { noop, numbered, withApp } from './app.js'

export function waiting(plan, { jobs, batch }) {
  const handlers = new Waiting()
  const job = noop(handlers.handler)
  return withApp(plan, [job], async (app) => {
    const working = await app.work({ concurrency: jobs })
    const fill = async () => {
      await inBatches({ jobs, batch, parallel: 1 }, (from, to) => app.enqueueMany(job, numbered(from, to)))
      await handlers.reached(jobs)
    }
    const empty = () => {
      handlers.release()
      return working.idle()
    }
    const result = await weighWaiting(jobs, { fill, empty })
    await working.drain()
    return result
  })
}

// A worker's round: claim a batch, report once on each of its jobs, finish them all. Through the worker's port, which is the same words over
// HTTP and in the process; what a report writes is a transaction of its own on both ways.
import { httpPort } from '../../dist/client/port.js'
import { storePort } from '../../dist/store/port.js'
import { tell, timed } from '../answer.js'
import { withStore } from '../ours/with-store.js'
import { withOurs, withServerCpu } from './server.js'

/** As many as an app of the library has. */
const CONNECTIONS = 10

export function httpCycle(plan, step) {
  return withOurs(plan, ['work'], ({ url, key, ...server }) => {
    const port = httpPort({ url, key })
    return withServerCpu(server, () => rounds(port, step))
  })
}

export function directCycle(plan, step) {
  return withStore(plan, CONNECTIONS, (store) => rounds(storePort(store), step))
}

async function rounds(port, { jobs, batch, reports, warmUp }) {
  const { lease } = await port.openLease('bench', 600_000)
  const ask = { worker: 'bench', lease, queues: ['bench'], limit: batch }
  const round = async () => {
    const claimed = await port.claim(ask)
    const fences = claimed.map(({ jobId, attempt }) => ({ jobId, attempt, lease }))
    if (reports)
      await Promise.all(fences.map((fence) => port.report({ ...fence, seq: 1, progress: { at: 1 } })))
    const ended = await port.finish(
      fences.map((fence) => ({ ...fence, outcome: 'succeeded', startedAgoMs: 1 })),
    )
    if (ended.some(({ accepted }) => !accepted)) throw new Error('an ending was refused')
    return claimed.length
  }
  const drain = async (wanted) => {
    let done = 0
    while (done < wanted) {
      const took = await round()
      if (took === 0) throw new Error(`no jobs left after ${done} of ${wanted}`)
      done += took
      tell(done)
    }
  }
  await drain(warmUp)
  const result = await timed(jobs, () => drain(jobs))
  await port.closeLease(lease)
  return result
}

// How long a running handler does not know that its job was canceled.
import { cellOfPromise } from './promise.js'

const ID = 'cancel'
/** A beat has to be sent, answered and told of. */
const SLOWEST_BEATS = 1.1

export const ids = [ID]

export async function run(env) {
  const { canceledJobs: jobs, leaseMs } = env.sizes
  const heartbeatMs = Math.floor(leaseMs / 3)
  const cell = await cellOfPromise(env, {
    id: ID,
    what: `from cancel in another process to the signal of the handler, median of ${jobs} jobs, against one heartbeat`,
    promise: 'one heartbeat',
    mostMs: heartbeatMs,
    measured: { op: 'cancel', jobs, leaseMs },
    verify: { jobs, finished: jobs, outcome: 'canceled' },
    also: (samples) => [
      {
        what: 'the slowest cancel, in heartbeats',
        value:
          samples.length === 0 ? null : Math.max(...samples.map(({ slowestMs }) => slowestMs)) / heartbeatMs,
        atMost: SLOWEST_BEATS,
      },
    ],
    notes: [`a heartbeat every ${heartbeatMs / 1000} s; cancels spread evenly between two of them`],
  })
  return { cells: [cell] }
}

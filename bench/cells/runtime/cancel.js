// How long a running handler does not know that its job was canceled.
import { makeCell, withGiven } from '../../cell.js'
import { HOLDFAST, takeSample } from '../../contenders.js'
import { interleave } from '../../measure.js'

const ID = 'cancel'
const PROMISE = 'one heartbeat'
/** A beat has to be sent, answered and told of. */
const SLOWEST_BEATS = 1.1

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { canceledJobs: jobs, leaseMs, rounds, budgetMs } = sizes
  const heartbeatMs = Math.floor(leaseMs / 3)
  const sample = (onProgress) =>
    takeSample(env, HOLDFAST, {
      measured: { op: 'cancel', jobs, leaseMs },
      verify: { jobs, finished: jobs, outcome: 'canceled' },
      onProgress,
    })
  const say = ({ ms }) => `${Math.round(ms)} ms`
  const found = await interleave([{ name: HOLDFAST.name, sample }], {
    rounds,
    budgetMs,
    progress,
    label: ID,
    say,
  })
  const slowest = (found.samples[HOLDFAST.name] ?? []).filter(Boolean).map(({ slowestMs }) => slowestMs)
  const cell = makeCell(env, {
    id: ID,
    what: `from cancel in another process to the signal of the handler, median of ${jobs} jobs, against one heartbeat`,
    bar: 1,
    unit: 'ms',
    ours: HOLDFAST.name,
    against: PROMISE,
    result: withGiven(found, PROMISE, { rate: 1, ms: heartbeatMs }),
    reading: ({ ms }) => ms,
    roundsWanted: rounds,
    also: [
      {
        what: 'the slowest cancel, in heartbeats',
        value: slowest.length === 0 ? null : Math.max(...slowest) / heartbeatMs,
        atMost: SLOWEST_BEATS,
      },
    ],
    notes: [`a heartbeat every ${heartbeatMs / 1000} s; cancels spread evenly between two of them`],
  })
  return { cells: [cell] }
}

// Handlers that wait for somebody else: slots must not stand empty between one job and the next.
import { makeCell, withGiven } from '../../cell.js'
import { drainSample, HOLDFAST } from '../../contenders.js'
import { interleave } from '../../measure.js'

const ID = 'io_10ms'
const SLOTS = 100
const HANDLER_MS = 10
const MOST = 'every slot always taken'

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { ioJobs: jobs, batch, rounds, budgetMs } = sizes
  const variant = { name: `${SLOTS} slots`, concurrency: SLOTS, handlerMs: HANDLER_MS }
  const sample = (onProgress) => drainSample(env, HOLDFAST, variant, { jobs, batch, op: 'work', onProgress })
  const found = await interleave([{ name: HOLDFAST.name, sample }], { rounds, budgetMs, progress, label: ID })
  const cell = makeCell(env, {
    id: ID,
    what: `${jobs} handlers of ${HANDLER_MS} ms in ${SLOTS} slots, against what so many slots could do at most`,
    bar: 0.85,
    ours: HOLDFAST.name,
    against: MOST,
    result: withGiven(found, MOST, { rate: (SLOTS * 1000) / HANDLER_MS }),
    roundsWanted: rounds,
    notes: ["a timer of Node's fires up to a millisecond late, which counts against us"],
  })
  return { cells: [cell] }
}

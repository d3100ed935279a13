// What a job weighs whose handler waits, against BullMQ.
import { makeCell } from '../../cell.js'
import { BULLMQ_REDIS, HOLDFAST, takeSample } from '../../contenders.js'
import { interleave } from '../../measure.js'

const ID = 'mem_waiting'

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { waitingJobs: jobs, rounds, budgetMs } = sizes
  const entry = (who) => ({
    name: who.name,
    sample: (onProgress) =>
      takeSample(env, who, {
        measured: { op: 'waiting', jobs, batch: 1_000, remove: true },
        verify: { jobs: 2 * jobs, finished: 2 * jobs, waiting: 0, remove: true },
        onProgress,
      }),
  })
  const say = ({ bytes }) => `${Math.round(bytes)} bytes`
  const result = await interleave([HOLDFAST, BULLMQ_REDIS].map(entry), {
    rounds,
    budgetMs,
    progress,
    label: ID,
    say,
  })
  const cell = makeCell(env, {
    id: ID,
    what: `memory per job at ${jobs} jobs waiting in one process, against ${BULLMQ_REDIS.title}`,
    bar: 1,
    unit: 'bytes',
    ours: HOLDFAST.name,
    against: BULLMQ_REDIS.name,
    result,
    reading: ({ bytes }) => bytes,
    roundsWanted: rounds,
    notes: [
      `one worker with ${jobs} slots, each with a handler that waits for a promise: growth of heap and external memory per job after garbage collection, at the second filling; Redis' own memory is not counted`,
    ],
  })
  return { cells: [cell] }
}

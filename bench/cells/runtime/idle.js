// What a worker process asks when there is nothing to do and NOTIFY would tell it. Counted at the server, as commits: outside of
// transactions each statement is one. A process that goes at once is taken off, so that only the time in between is counted.
import { makeCell, withGiven } from '../../cell.js'
import { HOLDFAST } from '../../contenders.js'
import { launchOurs } from '../../launch.js'
import { interleave } from '../../measure.js'
import { readMeter } from '../../meter.js'

const ID = 'idle'
const LIMIT = 'two a second'
const MOST_PER_SECOND = 2
const WARM_SECONDS = 3

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { idleSeconds: seconds, rounds, budgetMs } = sizes
  const say = ({ perSecond }) => `${perSecond.toFixed(2)} statements/s`
  const contender = { name: HOLDFAST.name, sample: () => idleSample(env, seconds) }
  const found = await interleave([contender], { rounds, budgetMs, progress, label: ID, say })
  const cell = makeCell(env, {
    id: ID,
    what: `statements per second of an idle worker process with NOTIFY on, over ${seconds} s, against 2`,
    bar: 1,
    unit: 'statements/s',
    ours: HOLDFAST.name,
    against: LIMIT,
    result: withGiven(found, LIMIT, { rate: 1, perSecond: MOST_PER_SECOND }),
    reading: ({ perSecond }) => perSecond,
    roundsWanted: rounds,
    notes: ['with its defaults: looks for work, heartbeats, presence, upkeep and the echo of its listener'],
  })
  return { cells: [cell] }
}

async function idleSample(env, seconds) {
  const { database, plan, leave } = await HOLDFAST.place(env)
  try {
    // A new database has autovacuum still to come, which is none of the worker's doing.
    await launchOurs({ ...plan, steps: [{ op: 'prepare' }, { op: 'settle' }] })
    await env.server.checkpoint()
    const spent = async (forSeconds) => {
      const before = await readMeter(env.server, database)
      await launchOurs({ ...plan, steps: [{ op: 'idleWorker', seconds: forSeconds }] })
      const after = await readMeter(env.server, database)
      return after.commits - before.commits
    }
    const atOnce = await spent(WARM_SECONDS)
    const whole = await spent(WARM_SECONDS + seconds)
    const perSecond = (whole - atOnce) / seconds
    return { seconds, statements: whole - atOnce, perSecond, rate: MOST_PER_SECOND / perSecond }
  } finally {
    await leave()
  }
}

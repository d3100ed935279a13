// A transaction that stays open keeps every row that dies meanwhile from being cleaned away, and a queue is a table whose
// rows all die. One database lives under such a transaction, the other had the same jobs without it.
import { makeCell } from '../cell.js'
import { percentile } from '../holds.js'
import { interleave } from '../measure.js'
import { connectTo } from '../server.js'
import { openField } from './depth.js'

const ID = 'pinned_snapshot'
const PICKUP_P99_MS = 50

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { wide, batch, rounds, budgetMs } = sizes
  const fill = [
    { op: 'fill', jobs: wide },
    { op: 'drain', jobs: wide, batch, lanes: 3 },
  ]
  const holds = { jobs: wide, finished: wide }
  let pin
  const hold = async (database) => {
    const url = new URL(database.url)
    url.searchParams.set('application_name', 'bench-pin')
    pin = await connectTo({ url: url.href })
    await pin.query('begin isolation level repeatable read')
    await pin.query('select count(*) from holdfast.ready')
  }
  // No vacuum by hand on the pinned side: it could not clean anything, and the operator has not noticed yet.
  const pinned = await openField(env, { fill, holds, label: ID, beforeFill: hold, afterFill: [] })
  const free = await openField(env, { fill, holds, label: ID })
  const waits = []
  try {
    const contenders = [
      {
        name: ID,
        async sample(onProgress) {
          const taken = await pinned.sample(onProgress)
          const [picked] = await pinned.launch([{ op: 'pickup', count: sizes.pickups }])
          pinned.note(picked.waits.length + picked.warm)
          waits.push(...picked.waits)
          return { ...taken, pickupMs: picked.waits }
        },
      },
      { name: 'baseline', sample: (onProgress) => free.sample(onProgress) },
    ]
    const result = await interleave(contenders, { rounds, budgetMs, progress, label: ID })
    const cell = makeCell(env, {
      id: ID,
      what: `a transaction held open while ${wide} entries die, then drains of ${sizes.depthJobs}, against our own baseline`,
      bar: 0.75,
      ours: ID,
      against: 'baseline',
      result,
      roundsWanted: rounds,
      also: [
        {
          what: 'p99 in ms until jobs enqueued in 20 ms transactions are claimed',
          value: percentile(waits, 0.99),
          atMost: PICKUP_P99_MS,
        },
      ],
    })
    return { cells: [cell] }
  } finally {
    await pin.end()
    await pinned.leave()
    await free.leave()
  }
}

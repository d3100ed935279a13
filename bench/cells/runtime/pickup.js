// Idle latency against graphile-worker: one job at a time for a worker that has nothing else to do.
import { makeCell } from '../../cell.js'
import { GRAPHILE, HOLDFAST, takeSample } from '../../contenders.js'
import { WARM } from '../../idle-latency.js'
import { fastest, interleave } from '../../measure.js'

const CELLS = [
  { id: 'pickup_p50', which: 'p50', share: 'median' },
  { id: 'pickup_p99', which: 'p99', share: '99th percentile' },
]

export const ids = CELLS.map(({ id }) => id)

export async function run(env, wanted) {
  const { pickups, rounds, budgetMs } = env.sizes
  const say = ({ rate, p50 = 1000 / rate }) => `${p50.toFixed(2)} ms`
  const { progress } = env
  const problems = {}
  const chosen = new Map()
  for (const who of [HOLDFAST, GRAPHILE]) {
    const sample = (variant) => pickupSample(env, who, variant, Math.ceil(pickups / 4))
    try {
      chosen.set(who, (await fastest(who.pickup, { name: who.name, sample, progress, say })).variant)
    } catch (error) {
      problems[who.name] = `${who.name} could not run: ${error.message}`
    }
  }
  const contenders = [...chosen].map(([who, variant]) => ({
    name: who.name,
    sample: (onProgress) => pickupSample(env, who, variant, pickups, onProgress),
  }))
  const found = await interleave(contenders, { rounds, budgetMs, progress, label: 'pickup', say })
  const cells = CELLS.filter(({ id }) => wanted.has(id)).map(({ id, which, share }) =>
    makeCell(env, {
      id,
      what: `from enqueue to the handler, ${share} of ${pickups} jobs, one at a time, against ${GRAPHILE.title}`,
      bar: 1,
      unit: 'ms',
      ours: HOLDFAST.name,
      against: GRAPHILE.name,
      result: { samples: by(which, found.samples), problems: { ...problems, ...found.problems } },
      reading: (sample) => sample[which],
      roundsWanted: rounds,
      notes: [...chosen].map(([who, { name }]) => `${who.name}: ${name}`),
    }),
  )
  return { cells }
}

function pickupSample(env, who, { name: _name, ...settings }, jobs, onProgress) {
  const all = jobs + WARM
  return takeSample(env, who, {
    measured: { op: 'idlePickup', jobs, ...settings },
    verify: { jobs: all, finished: all, waiting: 0 },
    onProgress,
  })
}

/** The sooner the better, so what is compared is the reverse of the wait. */
function by(which, samples) {
  const judged = (sample) => sample && { ...sample, rate: 1000 / sample[which] }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.map(judged)]))
}

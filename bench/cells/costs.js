// What each index costs that a plain or a targeted job could do without, and what waiting for the disk costs: the same drain with
// all of it, and without one thing at a time. WAL bytes are exact; CPU needs its rounds.
import { beside, cost } from '../cell.js'
import { drainSample, HOLDFAST } from '../contenders.js'
import { interleave } from '../measure.js'

const VARIANT = { name: '3 lanes', lanes: 3 }
const ALL = 'with everything'

const PLAIN = ['ready_returned', 'running_lane', 'running_limited', 'running_cancel', 'attempt_unsuccessful']
// The others (the orders of `ready` and `held`, arrivals) are how rows are found: without them it would be another program.
const TARGETED = ['running_lane', 'held_blocked']

export const ids = ['costs']

export async function run(env) {
  return {
    cells: [],
    beside: [
      ...(await without(env, 'plain', {}, PLAIN)),
      ...(await without(env, 'targeted', { targets: env.sizes.targets }, TARGETED)),
    ],
  }
}

async function without(env, name, shape, indexes) {
  const { costJobs: jobs, costRounds: rounds, batch, budgetMs } = env.sizes
  const sample = (sql) => (onProgress) =>
    drainSample(env, HOLDFAST, VARIANT, { jobs, batch, shape, prepare: { sql }, onProgress })
  const contenders = [
    { name: ALL, sample: sample([]) },
    ...indexes.map((index) => ({ name: index, sample: sample([`drop index holdfast.${index}`]) })),
    {
      name: 'disk',
      sample: sample([
        "do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$",
      ]),
    },
  ]
  const { samples } = await interleave(contenders, {
    rounds,
    budgetMs,
    progress: env.progress,
    label: `costs, ${name}`,
  })
  const total = (who, which) =>
    (cost(samples[who], which, 'fillCosts') ?? 0) + (cost(samples[who], which) ?? 0)
  const saved = (who, which) => total(ALL, which) - total(who, which)
  const note = `${jobs} ${name} jobs, enqueue to end, median of ${rounds}`
  return [
    ...indexes.flatMap((index) => [
      beside(env, {
        id: `wal_${name}_${index}`,
        what: `WAL per ${name} job for the index ${index}`,
        unit: 'bytes',
        value: saved(index, 'walBytes'),
        note,
      }),
      beside(env, {
        id: `cpu_${name}_${index}`,
        what: `Postgres CPU per ${name} job for the index ${index}`,
        unit: 'µs',
        value: saved(index, 'cpuUs'),
        note,
      }),
    ]),
    beside(env, {
      id: `disk_${name}`,
      what: `drain of ${name} jobs without waiting for the disk, against with`,
      unit: 'times',
      value: rateOf(samples.disk) / rateOf(samples[ALL]),
      note,
    }),
  ]
}

function rateOf(samples) {
  const rates = samples.filter(Boolean).map(({ rate }) => rate)
  return rates.sort((a, b) => a - b)[Math.floor(rates.length / 2)]
}

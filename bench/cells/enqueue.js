// Enqueueing: in bulk, and by many callers who each await one job at a time; against the fastest peer at it.
import { makeCell } from '../cell.js'
import { enqueueSample, HOLDFAST, PEERS } from '../contenders.js'
import { bestOf, fastest, interleave } from '../measure.js'

const CELLS = {
  enqueue_bulk: { bar: 1, op: 'bulk', jobs: 'bulkJobs', what: ({ bulkJobs }) => `${bulkJobs} jobs in bulk` },
  enqueue_concurrent: {
    bar: 5,
    op: 'concurrent',
    jobs: 'concurrentJobs',
    what: ({ callers, concurrentJobs }) =>
      `${callers} callers awaiting single enqueues, ${concurrentJobs} jobs`,
  },
}

export const ids = Object.keys(CELLS)

export async function run(env, wanted) {
  const cells = []
  for (const id of ids) if (wanted.has(id)) cells.push(await measure(env, id, CELLS[id]))
  return { cells }
}

async function measure(env, id, { bar, op, jobs: size, what }) {
  const { sizes, progress } = env
  const jobs = sizes[size]
  const callers = op === 'concurrent' ? sizes.callers : undefined
  const problems = {}
  const chosen = new Map()
  for (const who of [HOLDFAST, ...PEERS]) {
    const tuneJobs = Math.ceil(jobs / 4)
    const sample = (variant) => enqueueSample(env, who, variant, { op, jobs: tuneJobs, callers })
    try {
      chosen.set(who, (await fastest(who[op], { name: who.name, sample, progress })).variant)
    } catch (error) {
      problems[who.name] = `${who.name} could not run: ${error.message}`
      progress.line(`${id}: ${problems[who.name]}`)
    }
  }
  const contenders = [...chosen].map(([who, variant]) => ({
    name: who.name,
    sample: (onProgress) => enqueueSample(env, who, variant, { op, jobs, callers, onProgress }),
  }))
  const result = await interleave(contenders, {
    rounds: sizes.rounds,
    budgetMs: sizes.budgetMs,
    progress,
    label: id,
  })
  const names = PEERS.map(({ name }) => name)
  const against = bestOf(
    names.filter((name) => result.samples[name]),
    result.samples,
  )
  // A peer that could not run might have been the fastest.
  const absent = names.map((name) => problems[name] ?? result.problems[name]).find(Boolean)
  if (absent) result.problems[HOLDFAST.name] ??= absent
  return makeCell(env, {
    id,
    what: what(sizes),
    bar,
    ours: HOLDFAST.name,
    against,
    result,
    roundsWanted: sizes.rounds,
    notes: [...chosen].map(([who, { name }]) => `${who.name}: ${name}`),
    more: { all: result.samples },
  })
}

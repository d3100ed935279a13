// Our own drain under another shape of work, against our own plain drain: bigger payloads, many queues, many targets, a
// queue with a limit, PGlite instead of a server.
import { beside, cost, makeCell, missingCell } from '../cell.js'
import { drainSample, HOLDFAST, PGLITE } from '../contenders.js'
import { launchOurs } from '../launch.js'
import { interleave } from '../measure.js'

const PLAIN = 'one plain queue'
const VARIANT = { name: '3 lanes', lanes: 3 }

const CELLS = {
  drain_1kb: {
    bar: 0.8,
    what: () => 'jobs with a payload of 1 KB',
    jobs: 'payloadJobs',
    shape: () => ({ payloadBytes: 1024 }),
  },
  queues_1000: {
    bar: 0.5,
    what: ({ queues }) => `jobs spread over ${queues} queues`,
    jobs: 'spreadJobs',
    shape: ({ queues }) => ({ queues }),
    prepare: ({ queues }) => ({ queues }),
  },
  targeted: {
    bar: 0.2,
    what: ({ targets }) => `jobs spread over ${targets} targets`,
    jobs: 'spreadJobs',
    shape: ({ targets }) => ({ targets }),
  },
  limited_queue: {
    bar: 0.2,
    what: ({ maxRunning }) => `a queue that runs at most ${maxRunning} jobs at once`,
    jobs: 'spreadJobs',
    prepare: ({ maxRunning }) => ({ policy: { maxRunning } }),
    needsPolicy: 'maxRunning',
    // As many jobs as one claim may bring are all that may run: a second lane would only ask in vain.
    variant: { name: '1 lane', lanes: 1 },
  },
  pglite: { bar: 0.3, what: () => 'PGlite in the worker’s own process', jobs: 'pgliteJobs', who: PGLITE },
}

export const ids = Object.keys(CELLS)

export async function run(env, wanted) {
  const answer = { cells: [], beside: [] }
  for (const id of ids) {
    if (!wanted.has(id)) continue
    const { cell, result } = await measure(env, id, CELLS[id])
    answer.cells.push(cell)
    if (id === 'targeted' && result) answer.beside.push(...targetedCosts(env, result.samples[id]))
  }
  return answer
}

async function measure(
  env,
  id,
  {
    bar,
    what,
    jobs: size,
    shape = () => ({}),
    prepare = () => ({}),
    who = HOLDFAST,
    needsPolicy,
    variant = VARIANT,
  },
) {
  const { sizes, progress } = env
  if (needsPolicy && !(await knowsPolicy(needsPolicy))) {
    const reason = `this version has no queue policy ${needsPolicy}`
    return { cell: missingCell(env, { id, what: what(sizes), bar, reason }) }
  }
  const jobs = sizes[size]
  const { batch, rounds, budgetMs } = sizes
  const contenders = [
    {
      name: id,
      sample: (onProgress) =>
        drainSample(env, who, variant, {
          jobs,
          batch,
          shape: shape(sizes),
          prepare: prepare(sizes),
          onProgress,
        }),
    },
    { name: PLAIN, sample: (onProgress) => drainSample(env, HOLDFAST, VARIANT, { jobs, batch, onProgress }) },
  ]
  const result = await interleave(contenders, { rounds, budgetMs, progress, label: id })
  const cell = makeCell(env, {
    id,
    what: `${what(sizes)}, ${jobs} jobs, against our own drain of a plain queue`,
    bar,
    ours: id,
    against: PLAIN,
    result,
    roundsWanted: rounds,
    notes: variant === VARIANT ? [] : [`${variant.name} against ${VARIANT.name}`],
  })
  return { cell, result }
}

async function knowsPolicy(name) {
  const [{ known }] = await launchOurs({ steps: [{ op: 'knowsPolicy', name }] })
  return known
}

function targetedCosts(env, samples) {
  if (!samples.some(Boolean)) return []
  const total = (which) => (cost(samples, which, 'fillCosts') ?? 0) + (cost(samples, which) ?? 0)
  const what = (name) => `${name} per targeted job, enqueue to end`
  return [
    beside(env, {
      id: 'wal_targeted',
      what: what('WAL'),
      unit: 'bytes',
      value: total('walBytes'),
      atMost: 1800,
    }),
    beside(env, { id: 'cpu_targeted', what: what('Postgres CPU'), unit: 'µs', value: total('cpuUs') }),
    beside(env, {
      id: 'buffers_targeted',
      what: what('buffers touched'),
      unit: 'buffers',
      value: total('buffers'),
    }),
  ]
}

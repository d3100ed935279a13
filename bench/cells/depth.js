// Does it stay fast when there is a lot of everything? Each cell has one database that is filled once and one that is not;
// in each round both get the same new jobs and drain as many. Buffers touched per job say it without the machine's noise.
import { cost, makeCell } from '../cell.js'
import { HOLDFAST } from '../contenders.js'
import { launchOurs } from '../launch.js'
import { interleave } from '../measure.js'
import { costPerJob, readMeter } from '../meter.js'

const LANES = 3
const BUFFERS_AT_MOST = 1.15
const FAR_OFF = { delay_ms: 7 * 86_400_000 }

const CELLS = {
  backlog_5m: {
    what: ({ deep }) => `${deep} jobs waiting to run`,
    fill: ({ deep }) => [{ op: 'fill', jobs: deep }],
    holds: ({ deep }) => ({ jobs: deep, ready: deep }),
  },
  future_1m: {
    what: ({ wide }) => `${wide} jobs due in a week`,
    fill: ({ wide }) => [{ op: 'fill', jobs: wide, options: FAR_OFF }],
    holds: ({ wide }) => ({ jobs: wide, delayed: wide }),
  },
  finished_5m: {
    what: ({ deep }) => `${deep} finished jobs kept`,
    fill: ({ deep, batch }) => [
      { op: 'fill', jobs: deep },
      { op: 'drain', jobs: deep, batch, lanes: LANES },
    ],
    holds: ({ deep }) => ({ jobs: deep, finished: deep }),
  },
  blocked_target_1m: {
    what: ({ wide }) => `${wide} jobs parked behind one blocked target`,
    preset: 'target',
    fill: ({ wide }) => [
      { op: 'fill', jobs: 1, options: { target: 'stuck' } },
      { op: 'block' },
      { op: 'fill', jobs: wide, options: { target: 'stuck' } },
    ],
    holds: ({ wide }) => ({ jobs: wide + 1, held: wide + 1, failedAttempts: 1 }),
  },
}

export const ids = Object.keys(CELLS)

export async function run(env, wanted) {
  const cells = []
  for (const id of ids) if (wanted.has(id)) cells.push(await measure(env, id, CELLS[id]))
  return { cells }
}

async function measure(env, id, { what, fill, holds, preset }) {
  const { sizes, progress } = env
  const { depthRounds: rounds, depthJobs: jobs, budgetMs } = sizes
  const full = await openField(env, { preset, fill: fill(sizes), holds: holds(sizes), label: id })
  const empty = await openField(env, { preset, fill: [], holds: { jobs: 0 }, label: id })
  try {
    const contenders = [
      { name: id, sample: (onProgress) => full.sample(onProgress) },
      { name: 'baseline', sample: (onProgress) => empty.sample(onProgress) },
    ]
    const result = await interleave(contenders, { rounds, budgetMs, progress, label: id })
    const buffers = (name) => cost(result.samples[name], 'buffers')
    const touched =
      buffers(id) === null || buffers('baseline') === null ? null : buffers(id) / buffers('baseline')
    return makeCell(env, {
      id,
      what: `${what(sizes)}, then drains of ${jobs}, against our own baseline`,
      bar: 0.8,
      ours: id,
      against: 'baseline',
      result,
      roundsWanted: rounds,
      also: [{ what: 'buffers per job against the baseline', value: touched, atMost: BUFFERS_AT_MOST }],
    })
  } finally {
    await full.leave()
    await empty.leave()
  }
}

/** A database that lives through all rounds of a cell. */
export async function openField(
  env,
  { preset, fill, holds, label, beforeFill = async () => {}, afterFill = [{ op: 'settle' }] },
) {
  const { sizes, progress } = env
  const { database, plan, leave } = await HOLDFAST.place(env)
  const launch = (steps, options) => launchOurs({ ...plan, steps }, options)
  let drained = 0
  const check = () => {
    const { jobs, finished = 0, failedAttempts = 0, ...places } = holds
    const step = { jobs: jobs + drained, finished: finished + drained, places: { ...places, failedAttempts } }
    return launch([{ op: 'verify', ...step }])
  }
  await launch([{ op: 'prepare', ...(preset ? { preset } : {}) }])
  await beforeFill(database)
  for (const step of fill) {
    await launch([step], { onProgress: (done) => progress.bar(`${label} · ${step.op}`, done, step.jobs) })
    if (step.jobs > 1) progress.line(`${label}: ${step.op} ${step.jobs}`)
  }
  await check()
  // The view that looks for broken rules reads every row several times over, so only where there are few.
  await launch(sizes.mode === 'full' ? afterFill : [{ op: 'healthy' }, ...afterFill])
  return {
    database,
    plan,
    leave,
    launch,
    /** `extra` jobs were enqueued and finished beside the samples. */
    note: (extra) => {
      drained += extra
    },
    async sample(onProgress) {
      const jobs = sizes.depthJobs
      await env.server.checkpoint()
      await launch([{ op: 'bulk', jobs, batch: 1_000, parallel: 2 }])
      const before = await readMeter(env.server, database)
      const [result] = await launch([{ op: 'drain', jobs, batch: sizes.batch, lanes: LANES }], {
        onProgress: (done) => onProgress(done, jobs),
      })
      const costs = costPerJob(before, await readMeter(env.server, database), jobs)
      drained += jobs
      await check()
      return { ...result, costs }
    },
  }
}

// graphile-worker as a contender. A completed job's row is deleted; there is no history, no attempt row and no fence.
// Drained with runOnce, as the project's own performance test does: until no job is left, over `processes` processes.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { makeWorkerUtils, runOnce } from 'graphile-worker'
import pg from 'pg'
import { answerPlan, byCallers, inBatches, tell, timed } from '../answer.js'
import { idlePickup, work } from './graphile-run.mjs'
import { presetOf, quiet } from './graphile-settings.mjs'

async function withUtils({ url }, maxPoolSize, work) {
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize, logger: quiet })
  try {
    return await work(utils)
  } finally {
    await utils.release()
  }
}

function newJob(step, n) {
  const padding = step.payloadBytes ? { padding: 'x'.repeat(step.payloadBytes) } : {}
  return { identifier: 'noop', payload: { n, ...padding } }
}

async function drainHere(url, settings) {
  let done = 0
  await runOnce({
    preset: presetOf(url, settings),
    noHandleSignals: true,
    taskList: {
      noop: () => {
        done += 1
        tell(done)
      },
    },
  })
  return done
}

async function drainApart(url, settings, processes) {
  const workers = Array.from({ length: processes }, () => fork(fileURLToPath(import.meta.url), ['--worker']))
  const ended = workers.map(
    (worker) =>
      new Promise((resolve, reject) => {
        worker.on('message', ({ done, error }) =>
          error ? reject(new Error(error)) : done !== undefined && resolve(done),
        )
        worker.on('exit', (code) => reject(new Error(`a worker process ended with ${code}`)))
      }),
  )
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))))
  for (const worker of workers) worker.send({ url, settings })
  const counts = await Promise.all(ended)
  return counts.reduce((sum, count) => sum + count, 0)
}

function beWorker() {
  process.on('disconnect', () => process.exit(0))
  process.on('message', async ({ url, settings }) => {
    try {
      process.send({ done: await drainHere(url, settings) }, () => process.exit(0))
    } catch (error) {
      process.send({ error: error.message }, () => process.exit(1))
    }
  })
  process.send({ ready: true })
}

const steps = {
  prepare: (plan) => withUtils(plan, 2, (utils) => utils.migrate()),

  bulk: (plan, step) =>
    withUtils(plan, Math.max(2, step.parallel), (utils) =>
      timed(step.jobs, () =>
        inBatches(step, (from, to) =>
          utils.addJobs(Array.from({ length: to - from }, (_, i) => newJob(step, from + i))),
        ),
      ),
    ),

  concurrent: (plan, step) =>
    withUtils(plan, step.pool, (utils) =>
      timed(step.jobs, () => byCallers(step, (n) => utils.addJob('noop', { n }))),
    ),

  drain: (plan, { jobs, settings, processes }) =>
    timed(jobs, async () => {
      const done = await (processes > 1
        ? drainApart(plan.url, settings, processes)
        : drainHere(plan.url, settings))
      if (done !== jobs) throw new Error(`${done} jobs ran instead of ${jobs}`)
    }),

  // Its own run loop.
  work,
  idlePickup,

  /** Completed jobs are gone; whatever was not completed is still there, with its attempts. */
  async verify({ url }, { waiting }) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      `select count(*)::int as jobs, coalesce(sum(attempts), 0)::int as attempts from graphile_worker.jobs`,
    )
    await client.end()
    const [{ jobs, attempts }] = rows
    if (jobs !== waiting || attempts !== 0)
      throw new Error(`${jobs} jobs with ${attempts} attempts are left instead of ${waiting} with none`)
  },
}

if (process.argv.includes('--worker')) beWorker()
else await answerPlan(steps)

// graphile-worker's own run loop, as a program that stays would use it, in one process or in several.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { makeWorkerUtils, run } from 'graphile-worker'
import { Arrivals, idleLatency } from '../idle-latency.js'
import { onlooker, Stopwatch } from '../stopwatch.js'
import { presetOf, quiet } from './graphile-settings.mjs'

/** Often enough for a clock that counts in seconds. */
const SAY_EVERY_MS = 5

/** Resolves when it works. */
function start(url, settings, noop) {
  return run({ preset: presetOf(url, settings), noHandleSignals: true, taskList: { noop } })
}

/** A completed job is deleted, and nobody waits for that: jobs may have run for long before they are written as done. */
const LEFT = 'select from graphile_worker._private_jobs'

export async function work({ url }, { jobs, settings, processes }) {
  const watch = new Stopwatch(jobs)
  const client = await onlooker(url)
  const written = () => watch.untilWritten(client, LEFT)
  if (processes > 1) await workApart(url, settings, processes, watch, written)
  else {
    const runner = await start(url, settings, () => watch.count())
    watch.ready()
    await written()
    await runner.stop()
  }
  await client.end()
  return watch.result()
}

async function workApart(url, settings, processes, watch, written) {
  const workers = Array.from({ length: processes }, () => fork(fileURLToPath(import.meta.url), ['--runner']))
  const gone = workers.map((worker) => new Promise((resolve) => worker.on('exit', resolve)))
  const working = (worker) =>
    new Promise((resolve, reject) => {
      worker.on('message', ({ ready, more, error }) => {
        if (error) reject(new Error(error))
        if (more) watch.count(more)
        if (ready) resolve()
      })
      worker.send({ url, settings })
    })
  await Promise.all(workers.map(working))
  watch.ready()
  await written()
  for (const worker of workers) worker.send({ stop: true })
  await Promise.all(gone)
}

function beRunner() {
  let counted = 0
  let runner
  const say = () => {
    if (counted > 0) process.send({ more: counted })
    counted = 0
  }
  process.on('disconnect', () => process.exit(0))
  process.on('message', async ({ url, settings, stop }) => {
    try {
      if (stop) {
        await runner.stop()
        process.exit(0)
      }
      setInterval(say, SAY_EVERY_MS)
      runner = await start(url, settings, () => {
        counted += 1
      })
      process.send({ ready: true })
    } catch (error) {
      process.send({ error: error.message }, () => process.exit(1))
    }
  })
}

export async function idlePickup({ url }, { jobs, settings }) {
  const arrivals = new Arrivals()
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 5, logger: quiet })
  const runner = await start(url, settings, ({ n }) => arrivals.begun(n))
  const result = await idleLatency(jobs, arrivals, (n) => utils.addJob('noop', { n }))
  await runner.stop()
  await utils.release()
  return result
}

if (process.argv.includes('--runner')) beRunner()

/**
 * Starts the parts of this app that the command line names: `migrate` creates the tables, `web` and `worker` run until SIGTERM or Ctrl-C.
 * Without DATABASE_URL they use a Postgres in ./.holdfast, which the first process starts and the others share.
 */
import { existsSync } from 'node:fs'
import { holdfast } from 'holdfast'
import { jobs, queues, schedules } from './jobs.js'
import { createTables } from './signups.js'
import { startWeb } from './web.js'

const PARTS = ['migrate', 'web', 'worker']
const parts = process.argv.slice(2)
if (parts.length === 0 || parts.some((part) => !PARTS.includes(part))) {
  console.error(`Name the parts to start: ${PARTS.join(', ')}.`)
  process.exit(2)
}
if (existsSync('.env')) process.loadEnvFile()

const stopped = new Promise<void>((resolve) => {
  // Ctrl-C can arrive twice, because npm passes it on as well.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
})

const migrates = parts.includes('migrate')
const app = await holdfast({ jobs, queues, schedules, ...(migrates ? { migrate: true } : {}) })
try {
  if (migrates) await createTables(app)
  const web = parts.includes('web') ? await startWeb(app) : undefined
  if (web) console.log(`web: ${web.url}, dashboard: ${web.url}/ops/jobs`)
  if (parts.includes('worker')) {
    await app.work({
      concurrency: 10,
      onEnded: ({ jobId, kind, attempt, outcome }) =>
        console.log(`job ${jobId} ${kind}: attempt ${attempt} ${outcome}`),
    })
    console.log(`worker: runs ${jobs.map(({ kind }) => kind).join(', ')}`)
  }
  if (parts.includes('web') || parts.includes('worker')) {
    await stopped
    console.log('stopping: requests and running jobs may end')
  }
  await web?.close()
} catch (error) {
  process.exitCode = 1
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    console.error(
      `Port ${port} is in use by another program. Set PORT to another port, for example PORT=3001.`,
    )
  else console.error(error)
}
// Running jobs get thirty seconds. Those that have not ended by then are released, for another worker.
await app.stop({ graceMs: 30_000 })

/** A worker of the run that knows no database, only a server of ours. */
import { defineJob, type JobContext, work } from 'holdfast'
import pg from 'pg'
import { type Handler, noting } from './handling.js'
import { Journal } from './journal.js'
import { KINDS, KINDS_OVER_HTTP } from './workload.js'

const { url, effectsUrl, name, journalPath, concurrency } = JSON.parse(process.argv[2] as string) as {
  url: string
  /** What its handlers do elsewhere is written there. */
  effectsUrl: string
  name: string
  journalPath: string
  concurrency: number
}
process.on('disconnect', () => process.exit(0))

const journal = new Journal(journalPath)
const note = noting({ journal, by: name, remote: true })
const effects = new pg.Pool({ connectionString: effectsUrl, max: 2, connectionTimeoutMillis: 5_000 })
effects.on('error', () => {})
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const handler: Handler = async ({ jobId, attempt, job, kind }: JobContext, { ms }) => {
  await pass(ms)
  await effects.query(
    'insert into chaos.effect (job, attempt, lease, kind, by) values ($1, $2, $3, $4, $5)',
    [jobId, attempt, job.lease, kind, name],
  )
  return { attempt, lease: job.lease }
}

const say = (level: string) => (fields: object, message: string) =>
  console.error(JSON.stringify({ at: new Date(), level, name, message, ...fields }))
const working = await work({
  server: { url },
  jobs: KINDS_OVER_HTTP.map((kind) =>
    defineJob({ kind, queue: KINDS[kind] as string, handler: note(handler) as never }),
  ),
  name,
  concurrency,
  pollMs: 200,
  log: { debug: () => {}, info: say('info'), warn: say('warn'), error: say('error') },
  onEnded: ({ jobId, attempt, outcome, accepted }) => {
    journal.write({ t: 'ended', job: jobId, attempt, outcome, accepted })
    if (!accepted) journal.write({ t: 'refused', job: jobId, attempt, what: 'finish' })
  },
})
let leaving = false
process.on('SIGTERM', () => {
  if (leaving) return
  leaving = true
  working.drain({ graceMs: 1_000 }).then(
    () => process.exit(0),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.send?.({ working: true })

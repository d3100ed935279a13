/** A worker of the run: a program as users write one, on the library alone. It may be killed, frozen or cut off at any line. */
import { defineJob, holdfast, type JobContext, Snooze } from 'holdfast'
import type { Session } from 'holdfast/store'
import { type Handler, noting } from './handling.js'
import { Journal } from './journal.js'
import { monotonic } from './processes.js'
import { BY_HAND, type Input, KINDS, ONLY_OVER_HTTP } from './workload.js'

const { url, name, journalPath, rare, concurrency } = JSON.parse(process.argv[2] as string) as {
  url: string
  name: string
  journalPath: string
  rare: boolean
  concurrency: number
}
// Whoever started us is gone: nobody would notice that we are left.
process.on('disconnect', () => process.exit(0))

const journal = new Journal(journalPath)
const note = noting({ journal, by: name, remote: false })
const EFFECT = 'insert into chaos.effect (job, attempt, lease, kind, by) values ($1, $2, $3, $4, $5)'
const effectOf = ({ jobId, attempt, job, kind }: JobContext) => [jobId, attempt, job.lease, kind, name]
/** Carries the pair of its claim, so that what is stored shows who wrote it. */
const resultOf = ({ attempt, job }: JobContext) => ({ attempt, lease: job.lease })
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/** A job that was lost takes a little longer, so that whoever lost it comes while somebody else runs it. */
const MEETING_MS = 200
const passIn = ({ job }: JobContext, ms: number) => pass(job.losses > 0 ? ms + MEETING_MS : ms)

/** Deaf to its signal, as many handlers are: then only the fence is left. */
async function commit(ctx: JobContext, also?: (tx: Session) => Promise<unknown>) {
  // Once that is committed the job has ended, and the next one at its target may begin before we hear of it.
  const { jobId, attempt, job } = ctx
  journal.write({ t: 'end', job: jobId, attempt, lease: job.lease, at: monotonic(), by: name })
  try {
    return await ctx.commit(async (tx) => {
      await tx.query(EFFECT, effectOf(ctx))
      await also?.(tx)
      return resultOf(ctx)
    })
  } catch (error) {
    if ((error as { code?: string }).code === 'lease_lost') {
      journal.write({ t: 'refused', job: ctx.jobId, attempt: ctx.attempt, what: 'commit' })
    }
    throw error
  }
}

async function plain(ctx: JobContext, { ms }: Input) {
  await passIn(ctx, ms)
  await app.store.database.query(EFFECT, effectOf(ctx))
  return resultOf(ctx)
}

const handlers: Record<string, Handler> = {
  async commit(ctx, { ms }) {
    await passIn(ctx, ms)
    return commit(ctx)
  },
  plain,
  few: plain,
  keyed: plain,
  rare: plain,
  child: plain,
  site: plain,
  async lane(ctx, { ms }) {
    await passIn(ctx, ms)
    return commit(ctx)
  },
  async flaky(ctx, { ms, fails = 0 }) {
    await passIn(ctx, ms)
    if (ctx.job.failures < fails) throw new Error(`failure ${ctx.job.failures + 1}`)
    return commit(ctx)
  },
  async snooze(ctx, input) {
    if (ctx.job.interruptions === 0) throw new Snooze(200)
    return plain(ctx, input)
  },
  async parent(ctx, { ms, token }) {
    await passIn(ctx, ms)
    return commit(ctx, (tx) => ctx.enqueue(child, { token: `${token}/child`, ms: 0 }, { tx }))
  },
  async report(ctx, { ms, items = 1, token }) {
    const from = Number(ctx.cursor ?? 0)
    for (let n = from; n < items; n++) {
      await passIn(ctx, ms)
      try {
        await ctx.report([{ token, n, attempt: ctx.attempt }], n + 1)
      } catch (error) {
        if ((error as { code?: string }).code === 'lease_lost') {
          journal.write({ t: 'refused', job: ctx.jobId, attempt: ctx.attempt, what: 'report' })
        }
        throw error
      }
    }
    return resultOf(ctx)
  },
  /** Uses up every connection that handlers have. */
  async hog(ctx, input) {
    await Promise.all(Array.from({ length: 12 }, () => app.store.database.query('select pg_sleep(1)')))
    return plain(ctx, input)
  },
  async poison() {
    process.kill(process.pid, 'SIGKILL')
    await pass(60_000)
  },
}

const jobs = Object.entries(KINDS)
  .filter(([kind]) => kind !== ONLY_OVER_HTTP && !BY_HAND.includes(kind) && (kind !== 'rare' || rare))
  .map(([kind, queue]) => defineJob({ kind, queue, handler: note(handlers[kind] as Handler) as never }))
const child = jobs.find(({ kind }) => kind === 'child') as (typeof jobs)[number]

const say = (level: string) => (fields: object, message: string) =>
  console.error(JSON.stringify({ at: new Date(), level, name, message, ...fields }))
const log = { debug: () => {}, info: say('info'), warn: say('warn'), error: say('error') }
const app = await holdfast({ url, jobs, log })

let leaving = false
process.on('SIGTERM', () => {
  // A second signal: whoever sent it will not wait.
  if (leaving) {
    app.stop({ graceMs: 0 }).catch(() => {})
    return
  }
  leaving = true
  app.stop({ graceMs: 1_000 }).then(
    () => process.exit(0),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})

await app.work({
  name,
  concurrency,
  pollMs: 100,
  onEnded: ({ jobId, attempt, outcome, accepted }) => {
    journal.write({ t: 'ended', job: jobId, attempt, outcome, accepted })
    if (!accepted) journal.write({ t: 'refused', job: jobId, attempt, what: 'finish' })
  },
})
process.send?.({ working: true })

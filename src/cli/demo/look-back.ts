/** Steps about looking: the story of one job, the books of this run, and the rules that may never be broken. */
import { many } from '../words.js'
import { named, type Show } from './show.js'
import { KINDS, QUEUE } from './worker.js'

interface Told {
  readonly at: string
  readonly type: string
  readonly attempt?: number
  readonly actor?: string
  readonly reason?: string
}

export async function tellStory({ store, stage }: Show, jobId: number): Promise<void> {
  await stage.step(`The whole story of job #${jobId}`)
  const report = await store.read.report(jobId)
  const events = report.events as Told[]
  const began = Date.parse(events[0]?.at ?? '')
  for (const event of events) {
    const seconds = ((Date.parse(event.at) - began) / 1000).toFixed(3)
    stage.act(`${seconds}`, ` ${WORDS[event.type] ?? event.type}`, aside(event), MARKS[event.type] ?? 'plain')
  }
  stage.record('story', { report })
}

const WORDS: Record<string, string> = { queued: 'back in the queue' }
const MARKS: Record<string, 'good' | 'bad'> = { queued: 'bad', succeeded: 'good' }

function aside({ type, attempt, actor, reason }: Told): string {
  const who =
    type === 'enqueued' ? `by ${actor}` : type === 'claimed' ? `by ${actor}, attempt ${attempt}` : ''
  return [who, reason].filter(Boolean).join(' ')
}

export async function closeBooks({ store, stage, firstJob, folder }: Show): Promise<void> {
  await stage.step('The books')
  const run = await countRun(store, firstJob)
  const history = await countHistory(store)
  const violations = await store.read.violations()
  const ends = Object.entries(run.outcomes).map(([outcome, n]) => `${n} ${outcome}`)
  stage.fact('good', `this run: ${run.jobs} jobs in ${run.attempts} attempts (${ends.join(', ')})`)
  stage.fact('good', `kept in ${folder}: ${history.jobs} jobs, ${history.live} of them unfinished`)
  if (violations.length === 0)
    stage.fact('good', 'checked what may never be (a job lost, in two places, …): nothing')
  for (const { rule, jobId } of violations) stage.fact('bad', `${rule}: job ${jobId}`)
  stage.record('counts', { run, history })
  stage.record('violations', { violations })
  if (violations.length > 0) throw new Error(`the database breaks ${violations.length} of its own rules`)
}

async function countRun(store: Show['store'], firstJob: number) {
  const rows = await store.database.query<{ outcome: string; n: number; jobs: number }>(
    `select outcome, count(*) as n, (select count(*) from holdfast.job where id >= $1 and queue_id = ${OURS}) as jobs
     from holdfast.attempt where job_id >= $1 and queue_id = ${OURS} group by outcome order by n desc, outcome`,
    [firstJob],
  )
  return {
    jobs: rows[0]?.jobs ?? 0,
    attempts: rows.reduce((sum, { n }) => sum + n, 0),
    outcomes: Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n])),
  }
}

const OURS = `(select id from holdfast.queues where tenant = 'default' and name = '${QUEUE}')`

/** Of the demo: what it knows in its own queue. A job that falls due in an hour is nothing to wait for. */
const OWN = `j.queue_id = ${OURS} and j.kind in (${KINDS.map((kind) => `'${kind}'`).join(', ')})`
const UNFINISHED = 'not exists (select from holdfast.attempt a where a.job_id = j.id and a.final)'
const SOON = `not exists (select from holdfast.delayed d where d.job_id = j.id and d.due_at > now() + interval '30 seconds')`

interface History {
  readonly jobs: number
  readonly live: number
  /** Unfinished jobs of other programs in the same database. */
  readonly others: number
}

async function countHistory(store: Show['store']): Promise<History> {
  const [row] = await store.database.query<History>(
    `select count(*) filter (where ${OWN}) as jobs, count(*) filter (where ${OWN} and ${UNFINISHED} and ${SOON}) as live,
       count(*) filter (where not (${OWN}) and ${UNFINISHED}) as others from holdfast.job j`,
  )
  return row ?? { jobs: 0, live: 0, others: 0 }
}

/** Jobs of a run that was cut short come first: they were accepted, so they are done. */
export async function goOnWithLeftovers({ store, stage, anna }: Show): Promise<void> {
  const { jobs, live, others } = await countHistory(store)
  if (jobs === 0) stage.fact('plain', 'no jobs of the demo in it yet: this is its first run')
  else stage.fact('plain', `${jobs} jobs of earlier runs are in its history`)
  if (others > 0)
    stage.fact('plain', `${many(others, 'unfinished job')} of other programs in it: they are left alone`)
  let finished = 0
  if (live > 0) {
    stage.fact('bad', `${live} of them were cut short with their run; they are taken up first`)
    stage.passing('the leases of the dead worker run out')
    await letGo(store)
    await anna.workUntil(
      async () => (await countHistory(store)).live === 0,
      ({ jobs: taken, ended }) => {
        finished += ended.filter(({ state }) => state === 'succeeded').length
        for (const job of taken) stage.act(anna.name, named(job), `attempt ${job.attempt}`, 'good')
      },
    )
  }
  stage.record('history', { jobs, leftOver: live, finished, others })
}

/** What was set aside in an earlier run would keep its key and its target for ever. */
async function letGo(store: Show['store']): Promise<void> {
  const held = await store.database.query<{ id: number; state: string }>(
    `select j.id, h.state::text as state from holdfast.held h join holdfast.job j on j.id = h.job_id
     where ${OWN} and h.state <> 'waiting' order by j.id`,
  )
  const act = { actor: 'demo', reason: 'the demo begins again' }
  for (const { id, state } of held) {
    if (state === 'pending') await store.operate.cancel(id, act)
    else await store.operate.resume(id, act)
  }
}

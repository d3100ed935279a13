/** Demo steps that read: the history of one job, counts of this run, and the invariant checks. */
import { many } from '../terminal/format.js'
import { type DemoRun, labelOf } from './show.js'
import { KINDS, QUEUE } from './worker.js'

interface DemoEvent {
  readonly at: string
  readonly type: string
  readonly attempt?: number
  readonly actor?: string
  readonly reason?: string
}

export async function showHistory({ store, stage }: DemoRun, jobId: number): Promise<void> {
  await stage.step(`The whole story of job #${jobId}`)
  const report = await store.read.history(jobId)
  const events = report.events as DemoEvent[]
  const began = Date.parse(events[0]?.at ?? '')
  for (const event of events) {
    const seconds = ((Date.parse(event.at) - began) / 1000).toFixed(3)
    stage.act(
      `${seconds}`,
      ` ${LABELS[event.type] ?? event.type}`,
      aside(event),
      MARKS[event.type] ?? 'plain',
    )
  }
  stage.record('story', { report })
}

const LABELS: Record<string, string> = { queued: 'back in the queue' }
const MARKS: Record<string, 'good' | 'bad'> = { queued: 'bad', succeeded: 'good' }

function aside({ type, attempt, actor, reason }: DemoEvent): string {
  const who =
    type === 'enqueued' ? `by ${actor}` : type === 'claimed' ? `by ${actor}, attempt ${attempt}` : ''
  return [who, reason].filter(Boolean).join(' ')
}

export async function showCounts({ store, stage, firstJob, folder }: DemoRun): Promise<void> {
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

async function countRun(store: DemoRun['store'], firstJob: number) {
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

/** Jobs of the demo: its kinds in its own queue. */
const OWN = `j.queue_id = ${OURS} and j.kind in (${KINDS.map((kind) => `'${kind}'`).join(', ')})`
const UNFINISHED = 'not exists (select from holdfast.attempt a where a.job_id = j.id and a.final)'
const SOON = `not exists (select from holdfast.delayed d where d.job_id = j.id and d.due_at > now() + interval '30 seconds')`

interface DemoCounts {
  readonly jobs: number
  readonly live: number
  /** Unfinished jobs of other programs in the same database. */
  readonly others: number
}

async function countHistory(store: DemoRun['store']): Promise<DemoCounts> {
  const [row] = await store.database.query<DemoCounts>(
    `select count(*) filter (where ${OWN}) as jobs, count(*) filter (where ${OWN} and ${UNFINISHED} and ${SOON}) as live,
       count(*) filter (where not (${OWN}) and ${UNFINISHED}) as others from holdfast.job j`,
  )
  return row ?? { jobs: 0, live: 0, others: 0 }
}

/** Finishes the jobs of an earlier run that was cut short. */
export async function finishLeftovers({ store, stage, anna }: DemoRun): Promise<void> {
  const { jobs, live, others } = await countHistory(store)
  if (jobs === 0) stage.fact('plain', 'no jobs of the demo in it yet: this is its first run')
  else stage.fact('plain', `${jobs} jobs of earlier runs are in its history`)
  if (others > 0)
    stage.fact('plain', `${many(others, 'unfinished job')} of other programs in it: they are left alone`)
  let finished = 0
  if (live > 0) {
    stage.fact('bad', `${live} of them were cut short with their run; they are taken up first`)
    stage.status('the leases of the dead worker run out')
    await letGo(store)
    await anna.workUntil(
      async () => (await countHistory(store)).live === 0,
      ({ jobs: taken, ended }) => {
        finished += ended.filter(({ state }) => state === 'succeeded').length
        for (const job of taken) stage.act(anna.name, labelOf(job), `attempt ${job.attempt}`, 'good')
      },
    )
  }
  stage.record('history', { jobs, leftOver: live, finished, others })
}

/** Jobs that an earlier run left paused would block their key and target. */
async function letGo(store: DemoRun['store']): Promise<void> {
  const held = await store.database.query<{ id: number; state: string }>(
    `select j.id, h.state::text as state from holdfast.held h join holdfast.job j on j.id = h.job_id
     where ${OWN} and h.state <> 'waiting' order by j.id`,
  )
  const act = { actor: 'demo', reason: 'the demo begins again' }
  for (const { id, state } of held) {
    if (state === 'pending') await store.commands.cancel(id, act)
    else await store.commands.resume(id, act)
  }
}

/** Holds the database against the model: the places of all jobs, their attempts, and the rules nothing may break. */
import type { Store } from 'holdfast/store'
import { legal } from '../../src/domain/states/moves.js'
import { isEnded, type State } from '../../src/domain/states/states.js'
import { expectHealthy } from '../support/world.js'
import type { Coverage } from './coverage.js'
import { isRunning, type Model, type ModelJob, stateOf } from './model.js'

/** The attempts and the health are looked at this often, and at the end; the states after every command. */
const EVERY = 10

export async function expectSame(model: Model, store: Store, commands: number): Promise<void> {
  expectSameRows('the jobs', await statesIn(store), statesOf(model))
  if (commands % EVERY === 0) await expectSameStory(model, store)
}

export async function expectSameStory(model: Model, store: Store): Promise<void> {
  expectSameRows('the attempts', await attemptsIn(store), attemptsOf(model))
  await expectHealthy(store)
}

type Row = Record<string, unknown>

/** Tells only the rows that differ, and in them only the columns. */
function expectSameRows(what: string, real: readonly Row[], model: readonly Row[]): void {
  const problems = Array.from({ length: Math.max(real.length, model.length) }, (_none, index) =>
    difference(real[index], model[index]),
  ).filter((words) => words !== '')
  if (problems.length > 0) throw new Error(`${what} differ:\n${problems.join('\n')}`)
}

function difference(real: Row | undefined, model: Row | undefined): string {
  const words = (row: Row | undefined, column: string) => JSON.stringify(row?.[column]) ?? 'nothing'
  const columns = Object.keys({ ...real, ...model }).filter(
    (name) => words(real, name) !== words(model, name),
  )
  if (columns.length === 0) return ''
  const { id, job_id = id, attempt } = real ?? model ?? {}
  return columns
    .map(
      (name) =>
        `job ${job_id}, attempt ${attempt}: ${name} is ${words(real, name)} in the database, ${words(model, name)} in the model`,
    )
    .join('\n')
}

function statesIn(store: Store): Promise<Row[]> {
  return store.database.query(
    `select id, queue, state, attempt, failures, losses, interruptions, priority, cancel_requested, reason, lease,
       extract(epoch from visible_at) * 1000 as visible_at, extract(epoch from lease_expires_at) * 1000 as lease_expires_at
     from holdfast.jobs order by id`,
  )
}

function statesOf(model: Model): Row[] {
  return [...model.jobs.values()].map((job) => stateRow(model, job))
}

function stateRow(model: Model, job: ModelJob) {
  const { id, queue, attempt, failures, priority, reason } = job
  const state = stateOf(job)
  // An ended job has no counters any more, only its attempts.
  const ended = isEnded(state)
  const { losses, interruptions } = ended ? { losses: null, interruptions: null } : job
  return {
    ...{ id, queue, state, attempt, failures, losses, interruptions, priority, reason },
    cancel_requested: job.cancelRequested,
    lease: isRunning(job) ? job.lease : null,
    visible_at: visibleAt(job, state),
    lease_expires_at: isRunning(job) ? (model.leases.get(job.lease ?? 0)?.expiresAt ?? null) : null,
  }
}

/** Its own time, unless it was claimable before because an operator let it run at once. */
function visibleAt(job: ModelJob, state: State): number {
  const planned = job.dueAt ?? job.runAt ?? job.createdAt
  if (job.dueAt !== null || state === 'pending') return planned
  const since = state === 'queued' || state === 'waiting' ? job.since : (job.claimedAt ?? job.movedAt)
  return Math.min(planned, since ?? planned)
}

function attemptsIn(store: Store): Promise<Row[]> {
  return store.database.query(
    `select job_id, attempt, lease, outcome, moved_to, failures, priority, reason, final from holdfast.attempt
     order by job_id, attempt`,
  )
}

function attemptsOf(model: Model): Row[] {
  return [...model.jobs.values()].flatMap((job) =>
    job.attempts.map(({ movedTo, ...row }) => ({ job_id: job.id, ...row, moved_to: movedTo })),
  )
}

/** The words a pipeline's users were promised, and the only changes between them. */
const PIPELINE_PAIRS = new Set([
  'queued>processing',
  'processing>completed',
  'processing>failed_retryable',
  'processing>failed',
  'failed_retryable>processing',
  'failed_retryable>failed',
])

/** Every move since the last look is one of the table of moves, and says nothing new to the users of a pipeline. */
export function checkSteps(model: Model, coverage: Coverage): void {
  for (const { from, to, words } of model.steps.splice(0)) {
    coverage.count('move', `${from}>${to}`)
    coverage.count('state', to)
    if (!legal(from === 'new' ? null : from, to))
      throw new Error(`no verb may take a job from ${from} to ${to}`)
    const [preset, before, after] = words
    if (preset !== 'pipeline' || before === '' || before === after) continue
    if (!PIPELINE_PAIRS.has(`${before}>${after}`))
      throw new Error(`a pipeline never goes from ${before} to ${after} (${from} to ${to})`)
  }
  for (const { outcome, reason } of model.ended.splice(0)) {
    coverage.count('outcome', outcome)
    if (reason !== null) coverage.count('reason', reason)
  }
}

/** Everything there is to know after a run, from the database and from the journals outside of it, read once for all checks. */
import type { Move } from './audit.js'
import type { Followed } from './feed-reader.js'
import type { Line } from './journal.js'

export interface JobFacts {
  readonly id: number
  readonly kind: string
  readonly queue: string
  readonly queueId: number
  readonly token: string | null
  readonly items: number | null
  readonly target: string | null
  readonly key: string | null
  readonly parent: number | null
  readonly runAt: Date | null
  readonly maxRetries: number
  readonly crashBudget: number
  readonly maxRunning: number | null
}

export interface AttemptFacts {
  readonly job: number
  readonly attempt: number
  readonly lease: number | null
  readonly outcome: string
  readonly movedTo: string
  readonly final: boolean
  readonly startedAt: Date | null
  readonly finishedAt: Date
  readonly worker: string | null
  readonly reason: string | null
  readonly result: { attempt?: number; lease?: number } | null
}

export interface EffectFacts {
  readonly at: Date
  readonly job: number
  readonly attempt: number
  readonly lease: number
  readonly kind: string
  readonly by: string
}

export interface Evidence {
  readonly jobs: ReadonlyMap<number, JobFacts>
  /** By job, in order. */
  readonly attempts: ReadonlyMap<number, readonly AttemptFacts[]>
  /** The attempt that ended the job, for those that have ended. */
  readonly ends: ReadonlyMap<number, AttemptFacts>
  /** By job, in order. */
  readonly moves: ReadonlyMap<number, readonly Move[]>
  readonly effects: ReadonlyMap<number, readonly EffectFacts[]>
  readonly ledger: ReadonlySet<string>
  /** Items with a number, by job. */
  readonly items: ReadonlyMap<number, number>
  readonly live: readonly { job: number; place: string; detail: string | null }[]
  /** What the engine's own view finds. */
  readonly found: readonly { rule: string; job: number; detail: string | null }[]
  /** One journal for each producer, so that the order of lines means something. */
  readonly producers: readonly (readonly Line[])[]
  readonly workers: readonly (readonly Line[])[]
  readonly died: readonly string[]
  /** When a process could do nothing more: it was killed, frozen or had ended. On the clock of the journals. */
  readonly processes: readonly { readonly by: string; readonly at: number }[]
  /** Everything the feed has, by the id of the event. */
  readonly events: ReadonlyMap<number, { readonly type: string; readonly jobs: readonly number[] }>
  readonly followed: Followed
  /** Leases of workers without a database that were renewed at least once. */
  readonly renewedOverHttp: number
}

/** What is not in the database. */
export type Outside = Pick<Evidence, 'producers' | 'workers' | 'died' | 'processes' | 'followed'>

export interface Violation {
  readonly rule: string
  readonly job?: number
  readonly detail: string
  /** When it happened, where that is known. */
  readonly at?: Date
}

export type Check = (evidence: Evidence) => Violation[]

type Ask = <Row>(text: string) => Promise<Row[]>

export async function gather(ask: Ask, outside: Outside): Promise<Evidence> {
  const jobs = (await ask<JobFacts>(JOBS)).map(numbered)
  const attempts = (await ask<AttemptFacts>(ATTEMPTS)).map(numbered)
  const moves = (await ask<Move>(MOVES)).map(numbered)
  const effects = (await ask<EffectFacts>('select * from chaos.effect order by id')).map(numbered)
  const items = (await ask<{ job: number; n: number }>(ITEMS)).map(numbered)
  const events = await ask<{ id: string; type: string; jobs: string[] }>(EVENTS)
  const [leases] = await ask<{ n: number }>(RENEWED)
  const ledger = await ask<{ token: string }>('select token from chaos.ledger')
  return {
    ...outside,
    jobs: new Map(jobs.map((job) => [job.id, job])),
    attempts: byJob(attempts),
    ends: new Map(attempts.filter(({ final }) => final).map((attempt) => [attempt.job, attempt])),
    moves: byJob(moves),
    effects: byJob(effects),
    renewedOverHttp: leases?.n ?? 0,
    ledger: new Set(ledger.map(({ token }) => token)),
    items: new Map(items.map(({ job, n }) => [job, n])),
    events: new Map(events.map(({ id, type, jobs }) => [Number(id), { type, jobs: jobs.map(Number) }])),
    live: (await ask<{ job: number; place: string; detail: string }>(LIVE)).map(numbered),
    found: (await ask<{ rule: string; job: number; detail: string }>(FOUND)).map(numbered),
  }
}

const JOBS = `select j.id, j.kind, q.name as queue, q.id as "queueId", j.input ->> 'token' as token, (j.input ->> 'items')::int as items,
    j.target, j.key, j.parent_id as parent, j.run_at as "runAt", coalesce(j.max_retries, q.max_retries, 4) as "maxRetries",
    q.crash_budget as "crashBudget", q.max_running as "maxRunning"
  from holdfast.job j join holdfast.queue q on q.id = j.queue_id order by j.id`

const ATTEMPTS = `select a.job_id as job, a.attempt, a.lease, a.outcome::text as outcome, a.moved_to::text as "movedTo", a.final,
    a.started_at as "startedAt", a.finished_at as "finishedAt", w.name as worker, a.reason, a.result
  from holdfast.attempt a left join holdfast.worker w on w.id = a.worker_id order by a.job_id, a.attempt`

const MOVES = `select m.seq, m.at, m.xid, m.op, m.place, m.state, m.job, m.attempt, m.lease, m.queue, m.due, m.outcome, m.final,
    m.given_up as "givenUp",
    coalesce(m.expires, (select max(e.expires) from chaos.lease_end e where e.lease = m.lease and m.outcome = 'lost')) as expires
  from chaos.move m order by m.seq`

const ITEMS = `select i.job_id as job, count(*)::int as n from holdfast.item i where i.data ? 'n' group by 1`

const EVENTS = `select id, type, coalesce(job_ids, array_remove(array[job_id], null)) as jobs from holdfast.event order by id`

const RENEWED = 'select count(*)::int as n from chaos.lease_end where remote and renewed'

const LIVE = `select job_id as job, 'ready' as place, null as detail from holdfast.ready
  union all select job_id, 'delayed', state || ' until ' || due_at from holdfast.delayed
  union all select job_id, 'held', state || coalesce(': ' || reason, '') from holdfast.held
  union all select job_id, 'running', 'lease ' || lease from holdfast.running`

const FOUND = 'select rule, job_id as job, detail from holdfast.violations limit 1000'

/** pg hands out bigint as text. */
function numbered<Row extends object>(row: Row): Row {
  const all = row as Record<string, unknown>
  for (const name of ['id', 'job', 'lease', 'seq', 'parent']) {
    if (typeof all[name] === 'string') all[name] = Number(all[name])
  }
  return row
}

function byJob<Row extends { readonly job: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const map = new Map<number, Row[]>()
  for (const row of rows) {
    const list = map.get(row.job)
    if (list === undefined) map.set(row.job, [row])
    else list.push(row)
  }
  return map
}

/** Queries for the endpoints of presets: tenant and preset of a job, lists and counts by state word. */

import type { Database } from '../database/database.js'
import { holdfastError } from '../domain/errors/errors.js'
import { JOB_FIELDS } from '../domain/job-fields.js'
import type { State } from '../domain/states/states.js'
import { snake } from '../json/case.js'
import type { PresetName } from '../presets/presets.js'
import type { Job } from './job-reads.js'
import { selectRows } from './rows.js'

/** What a preset endpoint needs to know of a job. */
export interface PresetJob {
  readonly id: number
  readonly tenant: string
  readonly queue: string
  readonly preset: PresetName
  readonly strict: boolean
  readonly state: State
  readonly attempt: number
  readonly target: string | null
}

export interface AttemptsOfJob {
  readonly maxAttempts: number
  readonly lastError: string | null
}

/** With the time of its last claim. */
export type JobWithLastAttempt = Job & { readonly lastAttempt: Date | null }

const JOB_COLUMNS = `${JOB_FIELDS.map((field) => `p.${snake(field)}`).join(', ')},
  coalesce(p.claimed_at, (select max(a.claimed_at) from holdfast.attempts a where a.job_id = p.id)) as last_attempt`

/** Jobs of these queues in any of these states, newest first. */
export interface StateWordFilter {
  readonly queueIds: readonly number[]
  readonly states: readonly State[]
  readonly limit: number
  readonly offset: number
}

/** Counts stop here: far above what a person reads as a number, and soon enough for a small database. */
const COUNT_MAX = 100_000

/** The states of each place; a place is one table. */
const PLACES: readonly (readonly State[])[] = [
  ['queued'],
  ['scheduled', 'retrying'],
  ['pending', 'waiting', 'paused', 'errored', 'parked'],
  ['assigned', 'running'],
  ['succeeded', 'failed', 'canceled'],
]

export class PresetViews {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Tenant, queue, preset and state of these jobs; unknown jobs are omitted. */
  async jobs(jobIds: readonly number[]): Promise<Map<number, PresetJob>> {
    const jobs = await selectRows<PresetJob & { id: number }>(
      this.#database,
      `select j.id, j.tenant, j.queue, j.preset, q.strict, j.state, j.attempt, j.target
       from unnest($1::bigint[]) i (id)
       cross join lateral (select * from holdfast.jobs j where j.id = i.id and j.queue_id = (select holdfast.queue_of(i.id))) j
       join holdfast.queues q on q.id = j.queue_id`,
      [jobIds],
    )
    return new Map(jobs.map((job) => [job.id, job]))
  }

  /** Tenant, queue and preset of a job, without its state; undefined when the job does not exist. */
  async presetOf(jobId: number): Promise<Pick<PresetJob, 'tenant' | 'queue' | 'preset'> | undefined> {
    const [found] = await selectRows<Pick<PresetJob, 'tenant' | 'queue' | 'preset'>>(
      this.#database,
      'select q.tenant, q.name as queue, q.preset from holdfast.queues q where q.id = (select holdfast.queue_of($1))',
      [jobId],
    )
    return found
  }

  /** How many attempts a job may have, and how the last failed one ended. */
  async attemptsOf(jobId: number): Promise<AttemptsOfJob> {
    const [found] = await selectRows<AttemptsOfJob>(
      this.#database,
      `select p.max_retries + 1 as max_attempts, p.last_error from holdfast.jobs p
       where p.id = $1 and p.queue_id = (select holdfast.queue_of($1))`,
      [jobId],
    )
    if (found === undefined) throw holdfastError('unknown_job', { job: jobId })
    return found
  }

  /** A job with its last claim. */
  async job(jobId: number): Promise<JobWithLastAttempt> {
    const [found] = await selectRows<JobWithLastAttempt>(
      this.#database,
      `select ${JOB_COLUMNS} from holdfast.jobs p where p.id = $1 and p.queue_id = (select holdfast.queue_of($1))`,
      [jobId],
    )
    if (found === undefined) throw holdfastError('unknown_job', { job: jobId })
    return found
  }

  async list({ queueIds, states, limit, offset }: StateWordFilter): Promise<JobWithLastAttempt[]> {
    const looks = PLACES.map((place) => place.filter((state) => states.includes(state)))
      .filter((place) => place.length > 0)
      .map(
        (
          place,
        ) => `(select * from holdfast.jobs where queue_id = any ($1::int[]) and state in (${quoted(place)})
          order by id desc limit $2::bigint + $3)`,
      )
    if (looks.length === 0) return []
    return selectRows<JobWithLastAttempt>(
      this.#database,
      `select ${JOB_COLUMNS} from (${looks.join(' union all ')}) p order by id desc limit $2::bigint offset $3`,
      [queueIds, limit, offset],
    )
  }

  /** How many jobs of these queues are in each group of states, each count bounded. */
  async counts<Name extends string>(
    queueIds: readonly number[],
    groups: Readonly<Record<Name, readonly State[]>>,
  ): Promise<Record<Name, number>> {
    const counts = Object.entries<readonly State[]>(groups).map(
      ([
        name,
        states,
      ]) => `(select count(*) from (select from holdfast.jobs j where j.queue_id = any ($1::int[])
        and j.state in (${quoted(states)}) limit ${COUNT_MAX}) x)::int as "${name}"`,
    )
    const [row] = await this.#database.query<Record<Name, number>>(
      `select ${counts.join(', ')}`,
      [queueIds],
      { repeatable: true },
    )
    return row as Record<Name, number>
  }
}

/** State literals, not parameters, so that Postgres reads only the tables that hold these states. */
function quoted(states: readonly State[]): string {
  return states.map((state) => `'${state}'`).join(', ')
}

/** What the endpoints shaped like the five documents ask beside the verbs: whose a job is and which words its queue speaks, lists and counts by word. */
import { snake } from '../domain/case.js'
import { holdfastError } from '../domain/errors.js'
import { JOB_FIELDS } from '../domain/job-fields.js'
import type { State } from '../domain/states.js'
import type { PresetName } from '../domain/words.js'
import type { Database } from './database.js'
import { PLACES } from './listing.js'
import type { Job } from './read.js'
import { selectRows } from './rows.js'

/** A job as far as words are concerned. */
export interface SpokenJob {
  readonly id: number
  readonly tenant: string
  readonly queue: string
  readonly preset: PresetName
  readonly strict: boolean
  readonly state: State
  readonly attempt: number
  readonly target: string | null
}

/** When it was last given to a worker. */
export type DocumentedJob = Job & { readonly lastAttempt: Date | null }

const DOCUMENTED = `${JOB_FIELDS.map((field) => `p.${snake(field)}`).join(', ')},
  coalesce(p.claimed_at, (select max(a.claimed_at) from holdfast.attempts a where a.job_id = p.id)) as last_attempt`

/** Jobs of these queues in any of these states, the newest first. */
export interface WordedList {
  readonly queueIds: readonly number[]
  readonly states: readonly State[]
  readonly limit: number
  readonly offset: number
}

/** Counts stop here: far past what anybody reads as a number, and soon enough for a small database. */
const COUNTED_AT_MOST = 100_000

export class Documents {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Where these jobs are; what is not there is left out. */
  async jobs(jobIds: readonly number[]): Promise<Map<number, SpokenJob>> {
    const jobs = await selectRows<SpokenJob & { id: number }>(
      this.#database,
      `select j.id, j.tenant, j.queue, j.preset, q.strict, j.state, j.attempt, j.target
       from unnest($1::bigint[]) i (id)
       cross join lateral (select * from holdfast.jobs j where j.id = i.id and j.queue_id = (select holdfast.queue_of(i.id))) j
       join holdfast.queues q on q.id = j.queue_id`,
      [jobIds],
    )
    return new Map(jobs.map((job) => [job.id, job]))
  }

  /** Whose a job is and which words it speaks, without where it is; undefined when it is not there. */
  async speaker(jobId: number): Promise<Pick<SpokenJob, 'tenant' | 'queue' | 'preset'> | undefined> {
    const [found] = await selectRows<Pick<SpokenJob, 'tenant' | 'queue' | 'preset'>>(
      this.#database,
      'select q.tenant, q.name as queue, q.preset from holdfast.queues q where q.id = (select holdfast.queue_of($1))',
      [jobId],
    )
    return found
  }

  /** A job with what the documents know of it beside. */
  async job(jobId: number): Promise<DocumentedJob> {
    const [found] = await selectRows<DocumentedJob>(
      this.#database,
      `select ${DOCUMENTED} from holdfast.jobs p where p.id = $1 and p.queue_id = (select holdfast.queue_of($1))`,
      [jobId],
    )
    if (found === undefined) throw holdfastError('unknown_job', { job: jobId })
    return found
  }

  async list({ queueIds, states, limit, offset }: WordedList): Promise<DocumentedJob[]> {
    const looks = PLACES.map((place) => place.filter((state) => states.includes(state)))
      .filter((place) => place.length > 0)
      .map(
        (
          place,
        ) => `(select * from holdfast.jobs where queue_id = any ($1::int[]) and state in (${quoted(place)})
          order by id desc limit $2::bigint + $3)`,
      )
    if (looks.length === 0) return []
    return selectRows<DocumentedJob>(
      this.#database,
      `select ${DOCUMENTED} from (${looks.join(' union all ')}) p order by id desc limit $2::bigint offset $3`,
      [queueIds, limit, offset],
    )
  }

  /** How many jobs of these queues are in each group of states, each counted up to a bound. */
  async counts<Name extends string>(
    queueIds: readonly number[],
    groups: Readonly<Record<Name, readonly State[]>>,
  ): Promise<Record<Name, number>> {
    const counts = Object.entries<readonly State[]>(groups).map(
      ([
        name,
        states,
      ]) => `(select count(*) from (select from holdfast.jobs j where j.queue_id = any ($1::int[])
        and j.state in (${quoted(states)}) limit ${COUNTED_AT_MOST}) x)::int as "${name}"`,
    )
    const [row] = await this.#database.query<Record<Name, number>>(
      `select ${counts.join(', ')}`,
      [queueIds],
      { repeatable: true },
    )
    return row as Record<Name, number>
  }
}

/** Literals, so that only the tables that hold these states are read. */
function quoted(states: readonly State[]): string {
  return states.map((state) => `'${state}'`).join(', ')
}

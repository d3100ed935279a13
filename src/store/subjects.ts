/** Things that are worked on again and again: when each last went well, and when it is due again. */
import { holdfastError } from '../domain/errors.js'
import {
  checkJson,
  checkKey,
  checkName,
  checkPageSize,
  checkPriority,
  checkWholeOf,
} from '../domain/validate.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import type { Queues } from './queues.js'
import { selectRows } from './rows.js'

export interface Subject {
  readonly id: number
  readonly tenant: string
  readonly queue: string
  readonly name: string
  /** The job it is asked for with, as it was when it last succeeded. */
  readonly kind: string
  readonly input: unknown
  readonly priority: number
  readonly lastSuccessAt: Date | null
  readonly lastJobId: number | null
  /** Null: as the setting STALE_DAYS says. */
  readonly staleAfterMs: number | null
  readonly enabled: boolean
  readonly addedAt: Date
  readonly addedBy: string | null
  /** When it was last asked for because it was stale; null again after a success. */
  readonly askedAt: Date | null
  /** When it will not have succeeded for too long. */
  readonly staleAt: Date
}

export interface NewSubject extends Act {
  readonly queue: string
  readonly name: string
  readonly kind: string
  readonly input?: unknown
  readonly priority?: number
  readonly staleAfterMs?: number | null
  readonly tenant?: string
}

export interface SubjectFilter {
  readonly tenant?: string
  readonly queue?: string
  readonly name?: string
  /** Only those that are due again. */
  readonly stale?: boolean
  readonly afterId?: number
  readonly limit?: number
}

export interface SubjectChanges extends Act {
  readonly staleAfterMs?: number | null
  readonly enabled?: boolean
}

const COLUMNS = `id, tenant, queue, name, kind, input, priority, last_success_at, last_job_id, stale_after_ms, enabled, added_at, added_by,
  asked_at, stale_at`

export class Subjects {
  readonly #database: Database
  readonly #queues: Queues

  constructor(database: Database, queues: Queues) {
    this.#database = database
    this.#queues = queues
  }

  /** In the order in which they came. */
  async list(filter: SubjectFilter = {}): Promise<Subject[]> {
    const { tenant = null, queue = null, name = null, stale = false, afterId = 0, limit = 50 } = filter
    return selectRows<Subject>(
      this.#database,
      `select ${COLUMNS} from holdfast.subjects
       where ($1::text is null or tenant = $1) and ($2::text is null or queue = $2) and ($3::text is null or name = $3)
         and (not $4 or enabled and not holdfast.is_ahead(stale_at)) and id > $5
       order by id limit $6`,
      [tenant, queue, name, stale, afterId, checkPageSize(limit, '/limit')],
    )
  }

  async get(id: number): Promise<Subject> {
    const [found] = await selectRows<Subject>(
      this.#database,
      `select ${COLUMNS} from holdfast.subjects where id = $1`,
      [id],
    )
    if (found === undefined) throw holdfastError('unknown_subject', { subject: id })
    return found
  }

  async find(queue: string, name: string, tenant = 'default'): Promise<Subject> {
    const [found] = await this.list({ queue, name, tenant })
    if (found === undefined) throw holdfastError('unknown_subject', { subject: name })
    return found
  }

  /** Known already, it gets this job and this time from now on. */
  async add(subject: NewSubject): Promise<number> {
    const { tenant = 'default', staleAfterMs = null, input = null } = subject
    const queue = await this.#queues.get(checkName(subject.queue, '/queue'), { tenant })
    const [row] = await this.#database.query<{ id: number }>(
      'select holdfast.add_subject($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8) as id',
      [
        queue.id,
        checkKey(subject.name, '/name'),
        checkName(subject.kind, '/kind'),
        checkJson(input, { path: '/input', limit: 'payloadBytesMax' }),
        checkPriority(subject.priority ?? 0),
        checkStaleAfter(staleAfterMs),
        ...actValues(subject),
      ],
      { repeatable: true },
    )
    return row?.id as number
  }

  async set(id: number, { staleAfterMs, enabled, ...act }: SubjectChanges): Promise<void> {
    const stale_after_ms = staleAfterMs === undefined ? undefined : checkStaleAfter(staleAfterMs)
    await this.#database.query('select holdfast.set_subject($1, $2::text::jsonb, $3, $4)', [
      id,
      JSON.stringify({ stale_after_ms, enabled }),
      ...actValues(act),
    ])
  }

  /** Its next success brings it back; to keep it from being asked for, disable it. */
  async remove(id: number, act: Act = {}): Promise<void> {
    await this.#database.query('select holdfast.remove_subject($1, $2, $3)', [id, ...actValues(act)])
  }
}

/** Null: as the setting STALE_DAYS says. */
function checkStaleAfter(value: number | null): number | null {
  return value === null ? null : checkWholeOf(value, '/staleAfterMs', 'staleAfterMs')
}

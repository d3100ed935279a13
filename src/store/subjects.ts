/** Subjects: things that are processed again and again, with the last success and the next due time of each. */

import type { Database } from '../database/database.js'
import { holdfastError } from '../domain/errors/errors.js'
import {
  checkJson,
  checkKey,
  checkName,
  checkPageSize,
  checkPriority,
  checkWholeOf,
} from '../domain/validate.js'
import { type Attribution, attributionValues } from './job-commands.js'
import type { Queues } from './queues.js'
import { selectRows } from './rows.js'

export interface Subject {
  readonly id: number
  readonly tenant: string
  readonly queue: string
  readonly name: string
  /** The job that processes it, as of its last success. */
  readonly kind: string
  readonly input: unknown
  readonly priority: number
  readonly lastSuccessAt: Date | null
  readonly lastJobId: number | null
  /** Null: the setting STALE_DAYS applies. */
  readonly staleAfterMs: number | null
  readonly enabled: boolean
  readonly addedAt: Date
  readonly addedBy: string | null
  /** When a job was last enqueued because the subject was stale; null after a success. */
  readonly enqueuedAt: Date | null
  /** When it becomes stale. */
  readonly staleAt: Date
}

export interface NewSubject extends Attribution {
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
  /** Only subjects that are due. */
  readonly stale?: boolean
  readonly afterId?: number
  readonly limit?: number
}

export interface SubjectChanges extends Attribution {
  readonly staleAfterMs?: number | null
  readonly enabled?: boolean
}

const COLUMNS = `id, tenant, queue, name, kind, input, priority, last_success_at, last_job_id, stale_after_ms, enabled, added_at, added_by,
  enqueued_at, stale_at`

export class Subjects {
  readonly #database: Database
  readonly #queues: Queues

  constructor(database: Database, queues: Queues) {
    this.#database = database
    this.#queues = queues
  }

  /** In the order they were added. */
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

  /** For a subject that exists, replaces its job and its interval. */
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
        ...attributionValues(subject),
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
      ...attributionValues(act),
    ])
  }

  /** Its next success adds it again; to stop its jobs, disable it. */
  async remove(id: number, act: Attribution = {}): Promise<void> {
    await this.#database.query('select holdfast.remove_subject($1, $2, $3)', [id, ...attributionValues(act)])
  }
}

/** Null: the setting STALE_DAYS applies. */
function checkStaleAfter(value: number | null): number | null {
  return value === null ? null : checkWholeOf(value, '/staleAfterMs', 'staleAfterMs')
}

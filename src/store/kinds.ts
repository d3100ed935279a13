/**
 * The defaults that programs declare for kinds of jobs. They apply however a job is enqueued: schedule,
 * command line, HTTP, plain SQL.
 */

import type { Database } from '../database/database.js'
import type { DeclaredKind } from '../domain/kinds.js'
import { checkName } from '../domain/validate.js'
import { fromRow } from './rows.js'

export interface Kind {
  readonly kind: string
  readonly queue: string
  readonly maxRetries: number | null
  readonly timeoutMs: number | null
  readonly priority: number | null
  readonly key: string | null
  readonly target: string | null
  readonly search: readonly string[] | null
  readonly byProgram: readonly string[]
  readonly declaredAt: Date
  readonly declaredBy: string | null
}

interface DeclaredBy {
  readonly tenant?: string
  readonly actor?: string
}

export class Kinds {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Writes only what differs from the last declaration; returns how many kinds changed. */
  async declare(
    kinds: readonly DeclaredKind[],
    { tenant = 'default', actor }: DeclaredBy = {},
  ): Promise<number> {
    if (kinds.length === 0) return 0
    const [row] = await this.#database.query<{ changed: number }>(
      'select holdfast.declare_kinds($1::text::jsonb, $2, $3) as changed',
      [JSON.stringify(kinds.map(written)), checkName(tenant, '/tenant'), actor ?? null],
      { repeatable: true },
    )
    return row?.changed ?? 0
  }

  async list({ tenant = 'default' }: DeclaredBy = {}): Promise<Kind[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      `select kind, queue, max_retries, timeout_ms, priority, key, target, search, by_program, declared_at, declared_by
       from holdfast.kinds where tenant = $1 order by kind limit 10000`,
      [tenant],
      { repeatable: true },
    )
    return rows.map((row) => fromRow<Kind>(row))
  }
}

function written({
  kind,
  queue,
  maxRetries,
  timeoutMs,
  priority,
  key,
  target,
  search,
  byProgram,
}: DeclaredKind) {
  return {
    kind,
    queue,
    max_retries: maxRetries,
    timeout_ms: timeoutMs,
    priority,
    key,
    target,
    search,
    by_program: byProgram,
  }
}

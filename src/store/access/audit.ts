/** The audit log: which caller changed what through the server, refused calls included. */

import type { Database } from '../../database/database.js'
import { checkPageSize } from '../../domain/validate.js'
import { selectRows } from '../rows.js'

export interface RecordedCall {
  readonly agoMs: number
  readonly tenant: string
  readonly actor: string
  readonly keyId: number | null
  /** The operation name of the route in the contract. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly code: string | null
  readonly reason: string | null
  readonly requestId: string
  readonly address: string | null
}

export interface AuditRow extends Omit<RecordedCall, 'agoMs'> {
  readonly id: number
  readonly at: Date
}

export interface AuditFilter {
  readonly tenant?: string
  readonly actor?: string
  readonly operation?: string
  readonly since?: string
  readonly until?: string
  /** Rows older than this one. */
  readonly before?: number
  readonly limit?: number
}

export class Audit {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async record(calls: readonly RecordedCall[]): Promise<void> {
    const rows = calls.map((call) => ({
      ago_ms: call.agoMs,
      tenant: call.tenant,
      actor: call.actor,
      key_id: call.keyId,
      operation: call.operation,
      method: call.method,
      path: call.path,
      status: call.status,
      code: call.code,
      reason: call.reason,
      request_id: call.requestId,
      address: call.address,
    }))
    await this.#database.query('select holdfast.record_calls($1::text::jsonb)', [JSON.stringify(rows)])
  }

  /** Newest first. */
  async list(filter: AuditFilter = {}): Promise<AuditRow[]> {
    return selectRows<AuditRow>(
      this.#database,
      `select id, at, tenant, actor, key_id, operation, method, path, status, code, reason, request_id, address from holdfast.audit_log
       where ($1::text is null or tenant = $1) and ($2::text is null or actor = $2) and ($3::text is null or operation = $3)
         and ($4::timestamptz is null or at >= $4) and ($5::timestamptz is null or at < $5) and ($6::bigint is null or id < $6)
       order by id desc limit $7`,
      [
        filter.tenant ?? null,
        filter.actor ?? null,
        filter.operation ?? null,
        filter.since ?? null,
        filter.until ?? null,
        filter.before ?? null,
        checkPageSize(filter.limit ?? 50, '/limit'),
      ],
    )
  }
}

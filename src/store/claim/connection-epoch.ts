/**
 * Protects claims against a failover. A broken connection may mean that another server has taken over, and that server may have lost
 * claims whose lease it still has. So after a break every claim under a lease carries a transaction id, and the database refuses leases that were
 * opened before it (`lease_stale`). The id is the end of a snapshot taken after the break: transaction ids only rise, also from the old
 * server to the new one for everything that survived.
 */
import type { Database } from '../../database/database.js'

export interface ConnectionEpoch {
  /** Leases opened before this transaction are refused; null while no connection has broken. */
  readonly since: string | null
  /** How many connections had broken by then: after another break the claim is not sent. */
  readonly breaks: number | undefined
}

const ANY_EPOCH: ConnectionEpoch = { since: null, breaks: undefined }

export class ConnectionEpochs {
  readonly #database: Database
  #current: ConnectionEpoch

  constructor(database: Database) {
    this.#database = database
    this.#current = { since: null, breaks: database.breaks?.() }
  }

  /** A claim without the worker's lease gives each job a new one, which is never stale. */
  of({ lease }: { lease?: number }): ConnectionEpoch | Promise<ConnectionEpoch> {
    return lease === undefined ? ANY_EPOCH : this.now()
  }

  /** Queries the database only after a break. */
  async now(): Promise<ConnectionEpoch> {
    const breaks = this.#database.breaks?.()
    if (breaks !== this.#current.breaks) {
      const [row] = await this.#database.query<{ since: string }>(
        'select pg_snapshot_xmax(pg_current_snapshot())::text as since',
        [],
        { repeatable: true },
      )
      this.#current = { since: row?.since ?? null, breaks }
    }
    return this.#current
  }
}

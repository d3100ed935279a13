/**
 * What a claim has to say of the connections it is made on. A connection that broke may mean a failover, and after one the database may have
 * lost claims that were handed out, while their lease is still there. So claims under a lease carry the point from which on leases
 * serve, and those opened before it are refused (`lease_stale`). That point is the end of a snapshot taken after the break: transaction
 * ids only rise, also from the old server to the new one for everything that has survived.
 */
import type { Database } from './database.js'

export interface Standing {
  /** Leases opened before this transaction serve no more; null while no connection has broken. */
  readonly since: string | null
  /** How often a connection had broken by then: a claim is not sent once there is another. */
  readonly breaks: number | undefined
}

const ANY: Standing = { since: null, breaks: undefined }

export class Standings {
  readonly #database: Database
  #standing: Standing

  constructor(database: Database) {
    this.#database = database
    this.#standing = { since: null, breaks: database.breaks?.() }
  }

  /** Without a lease of the worker each job gets a new one, which always serves. */
  of({ lease }: { lease?: number }): Standing | Promise<Standing> {
    return lease === undefined ? ANY : this.now()
  }

  /** Asks the database only after a break. */
  async now(): Promise<Standing> {
    const breaks = this.#database.breaks?.()
    if (breaks !== this.#standing.breaks) {
      const [row] = await this.#database.query<{ since: string }>(
        'select pg_snapshot_xmax(pg_current_snapshot())::text as since',
        [],
        { repeatable: true },
      )
      this.#standing = { since: row?.since ?? null, breaks }
    }
    return this.#standing
  }
}

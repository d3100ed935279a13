/**
 * Stores that are restricted to one tenant, with a priority (rank) for connections. They share the
 * connections; every statement carries tenant and rank.
 */

import type { CallRank } from '../database/connection-gate.js'
import type { CallOptions, Database, Session } from '../database/database.js'

export interface CallScope {
  readonly tenant: string
  readonly rank?: CallRank
  /** Where roles are installed: the database hides the rows of other tenants. */
  readonly isNarrowed?: boolean
}

/** How many stores are kept; a dropped one is built again when needed. */
const REMEMBERED_MAX = 1_000

/** Keeps one value for each tenant, rank and narrowing, so that concurrent calls of a scope share one enqueue batcher. */
export function memoizedByScope<T>(make: (scope: CallScope) => T): (scope: CallScope) => T {
  const values = new Map<string, T>()
  return (scope) => {
    const { tenant, rank = 'usual', isNarrowed = false } = scope
    const name = `${rank} ${isNarrowed} ${tenant}`
    let value = values.get(name)
    if (value !== undefined) return value
    value = make(scope)
    const [oldest] = values.keys()
    if (values.size >= REMEMBERED_MAX && oldest !== undefined) values.delete(oldest)
    values.set(name, value)
    return value
  }
}

/** The same database; every call carries the scope. */
export function inScope(database: Database, scope: CallScope): Database {
  const withScope = (options: CallOptions | undefined): CallOptions => ({ ...options, ...scope })
  const session: Session = {
    query: (text, values, options) => database.query(text, values, withScope(options)),
    script: (text, options) => database.script(text, withScope(options)),
  }
  return {
    ...database,
    ...session,
    transaction: (work, options) => database.transaction(work, withScope(options)),
  }
}

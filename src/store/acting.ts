/** Calls that act for a tenant, by rank: each has a store of its own on the same connections, so that everything it asks carries both. */
import type { CallOptions, Database, Session } from './database.js'
import type { Rank } from './gate.js'

export interface Acting {
  readonly tenant: string
  readonly rank?: Rank
  /** Where roles are installed: the database itself shows nothing of other tenants. */
  readonly isNarrowed?: boolean
}

/** Remembered at once; one that is forgotten is made again. */
const REMEMBERED_MAX = 1_000

/** One for each tenant, rank and sight: calls that come together share what they gather. */
export function remembering<T>(make: (acting: Acting) => T): (acting: Acting) => T {
  const known = new Map<string, T>()
  return (acting) => {
    const { tenant, rank = 'usual', isNarrowed = false } = acting
    const name = `${rank} ${isNarrowed} ${tenant}`
    let one = known.get(name)
    if (one !== undefined) return one
    one = make(acting)
    const [oldest] = known.keys()
    if (known.size >= REMEMBERED_MAX && oldest !== undefined) known.delete(oldest)
    known.set(name, one)
    return one
  }
}

/** The same database, every call of which carries this. */
export function actingAs(database: Database, acting: Acting): Database {
  const carried = (options: CallOptions | undefined): CallOptions => ({ ...options, ...acting })
  const session: Session = {
    query: (text, values, options) => database.query(text, values, carried(options)),
    script: (text, options) => database.script(text, carried(options)),
  }
  return {
    ...database,
    ...session,
    transaction: (work, options) => database.transaction(work, carried(options)),
  }
}

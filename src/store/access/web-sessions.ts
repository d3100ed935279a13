/** Sessions of browsers. The database stores the SHA-256 of a token; the token itself is only in the cookie. */
import { createHash } from 'node:crypto'
import type { CallOptions, Database } from '../../database/database.js'
import { selectRows } from '../rows.js'
import type { KnownKey } from './keys.js'

export interface NewWebSession {
  readonly token: string
  /** Null: the admin key of the server, which is in no table; `proof` then binds the session to it. */
  readonly keyId: number | null
  readonly proof: Uint8Array | null
  readonly idleMs: number
  readonly lifetimeMs: number
  readonly countMax: number
}

/** The session, with the fields of its key; those are null for the admin key. */
export interface WebSession {
  readonly keyId: number | null
  readonly tenant: string
  readonly name: string | null
  readonly scopes: string[] | null
  readonly rateLimit: number | null
  readonly proof: Uint8Array | null
  /** When it ends, if it is not used before. */
  readonly expiresAt: Date
  readonly state: KnownKey['state']
}

export class WebSessions {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns when it ends, if it is not used before. */
  async open({ token, keyId, proof, idleMs, lifetimeMs, countMax }: NewWebSession): Promise<Date> {
    const [row] = await this.#database.query<{ at: Date }>(
      `select holdfast.open_web_session($1, $2, $3, interval '1 ms' * $4, interval '1 ms' * $5, $6) as at`,
      [hashOf(token), keyId, proof, idleMs, lifetimeMs, countMax],
    )
    return row?.at as Date
  }

  /** Finds a session by its token, including one that has expired or whose key was revoked. */
  async use(token: string, options: Pick<CallOptions, 'rank'> = {}): Promise<WebSession | undefined> {
    const [found] = await selectRows<WebSession>(
      this.#database,
      `select key_id, tenant, name, scopes, rate_limit, proof, expires_at, state
       from holdfast.use_web_session($1)`,
      [hashOf(token)],
      options,
    )
    return found
  }

  /** Returns false if there was none. */
  async close(token: string): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.close_web_session($1) as done',
      [hashOf(token)],
    )
    return row?.done === true
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

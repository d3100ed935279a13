/** Keys of the server. The database knows a key by its SHA-256 alone; the key itself is handed out once, where it is made. */
import { createHash, randomBytes } from 'node:crypto'
import { holdfastError } from '../domain/errors.js'
import { checkName } from '../domain/validate.js'
import type { CallOptions, Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { fromRow, selectRows } from './rows.js'

export interface NewKey extends Act {
  /** '*' acts for every tenant. */
  readonly tenant?: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: Date | string
  /** Calls a second at each server. */
  readonly rateLimit?: number
}

export interface ApiKey {
  readonly id: number
  readonly tenant: string
  readonly name: string
  /** Its first letters. */
  readonly hint: string
  readonly scopes: string[]
  readonly rateLimit: number | null
  readonly state: 'live' | 'expired' | 'revoked'
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly expiresAt: Date | null
  /** To the minute. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
  readonly revokedBy: string | null
  readonly revokeReason: string | null
  readonly replaces: number | null
}

export type KnownKey = Pick<ApiKey, 'id' | 'tenant' | 'name' | 'scopes' | 'rateLimit' | 'expiresAt' | 'state'>

const COLUMNS = `id, tenant, name, hint, scopes, rate_limit, state, created_at, created_by, expires_at, last_used_at, revoked_at,
  revoked_by, revoke_reason, replaces`

export class Keys {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The secret is in the answer and nowhere else. */
  async create(key: NewKey): Promise<{ id: number; secret: string }> {
    const { tenant = 'default', scopes, expiresAt, rateLimit } = key
    const secret = newSecret()
    const [row] = await this.#database.query<{ id: number }>(
      'select holdfast.create_key($1, $2, $3, $4, $5::text[], $6, $7, $8, $9) as id',
      [
        tenant === '*' ? tenant : checkName(tenant, '/tenant'),
        checkName(key.name),
        hashOf(secret),
        hintOf(secret),
        scopes,
        expiresAt ?? null,
        rateLimit ?? null,
        ...actValues(key),
      ],
    )
    return { id: row?.id as number, secret }
  }

  /** A new secret for the same name and rights; the old one goes on for `overlapMs`. */
  async rotate(
    id: number,
    { overlapMs = DAY_MS, ...act }: Act & { overlapMs?: number } = {},
  ): Promise<{ id: number; secret: string; oldExpiresAt: Date }> {
    const secret = newSecret()
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select id, old_expires_at from holdfast.rotate_key($1, $2, $3, interval '1 ms' * $4, $5, $6)`,
      [id, hashOf(secret), hintOf(secret), overlapMs, ...actValues(act)],
    )
    return { ...fromRow<{ id: number; oldExpiresAt: Date }>(row ?? {}), secret }
  }

  /** False: it was revoked already. */
  async revoke(id: number, act: Act = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.revoke_key($1, $2, $3) as done',
      [id, ...actValues(act)],
    )
    return row?.done === true
  }

  /** Whose key this is, also when it no longer opens anything. */
  async authenticate(secret: string, options: Pick<CallOptions, 'rank'> = {}): Promise<KnownKey | undefined> {
    const [found] = await selectRows<KnownKey>(
      this.#database,
      'select id, tenant, name, scopes, rate_limit, expires_at, state from holdfast.authenticate($1)',
      [hashOf(secret)],
      options,
    )
    return found
  }

  /** When the first key was made here; from then on a server asks for one, whatever became of it. Undefined: never. */
  async closedSince(): Promise<Date | undefined> {
    const [row] = await this.#database.query<{ since: Date | null }>(
      'select holdfast.closed_since() as since',
      [],
      { repeatable: true },
    )
    return row?.since ?? undefined
  }

  async get(id: number): Promise<ApiKey> {
    const [row] = await selectRows<ApiKey>(
      this.#database,
      `select ${COLUMNS} from holdfast.api_keys where id = $1`,
      [id],
    )
    if (row === undefined) throw holdfastError('unknown_key', { key: id })
    return row
  }

  /** Of one tenant, or of all; the newest first. */
  async list(where: { tenant?: string; before?: number; limit?: number } = {}): Promise<ApiKey[]> {
    return selectRows<ApiKey>(
      this.#database,
      `select ${COLUMNS} from holdfast.api_keys where ($1::text is null or tenant = $1) and ($2::bigint is null or id < $2)
       order by id desc limit $3`,
      [where.tenant ?? null, where.before ?? null, where.limit ?? 500],
    )
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/** 256 random bits, with a beginning by which a leaked one is recognised. */
function newSecret(): string {
  return `hf_${randomBytes(32).toString('base64url')}`
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function hintOf(secret: string): string {
  return secret.slice(0, 'hf_'.length + 4)
}

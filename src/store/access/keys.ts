/** API keys of the server. The database stores only the SHA-256 of a key; `create` returns the key itself once. */
import { createHash, randomBytes } from 'node:crypto'
import type { CallOptions, Database } from '../../database/database.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { checkName } from '../../domain/validate.js'
import { type Attribution, attributionValues } from '../job-commands.js'
import { fromRow, selectRows } from '../rows.js'

export interface NewKey extends Attribution {
  /** '*' allows every tenant. */
  readonly tenant?: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: Date | string
  /** Calls per second at each server. */
  readonly rateLimit?: number
}

export interface ApiKey {
  readonly id: number
  readonly tenant: string
  readonly name: string
  /** The first characters of the key. */
  readonly hint: string
  readonly scopes: string[]
  readonly rateLimit: number | null
  readonly state: 'live' | 'expired' | 'revoked'
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly expiresAt: Date | null
  /** Accurate to the minute. */
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

  /** The answer is the only place that contains the secret. */
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
        ...attributionValues(key),
      ],
    )
    return { id: row?.id as number, secret }
  }

  /** Creates a new secret with the same name and scopes; the old one stays valid for `overlapMs`. */
  async rotate(
    id: number,
    { overlapMs = DAY_MS, ...act }: Attribution & { overlapMs?: number } = {},
  ): Promise<{ id: number; secret: string; oldExpiresAt: Date }> {
    const secret = newSecret()
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select id, old_expires_at from holdfast.rotate_key($1, $2, $3, interval '1 ms' * $4, $5, $6)`,
      [id, hashOf(secret), hintOf(secret), overlapMs, ...attributionValues(act)],
    )
    return { ...fromRow<{ id: number; oldExpiresAt: Date }>(row ?? {}), secret }
  }

  /** Returns false when the key was revoked before. */
  async revoke(id: number, act: Attribution = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.revoke_key($1, $2, $3) as done',
      [id, ...attributionValues(act)],
    )
    return row?.done === true
  }

  /** Finds a key by its secret, including keys that are expired or revoked. */
  async authenticate(secret: string, options: Pick<CallOptions, 'rank'> = {}): Promise<KnownKey | undefined> {
    const [found] = await selectRows<KnownKey>(
      this.#database,
      'select id, tenant, name, scopes, rate_limit, expires_at, state from holdfast.authenticate($1)',
      [hashOf(secret)],
      options,
    )
    return found
  }

  /** When the first key was created; from then on the server requires one, even if all are revoked. Undefined: never. */
  async keysRequiredSince(): Promise<Date | undefined> {
    const [row] = await this.#database.query<{ since: Date | null }>(
      'select holdfast.keys_required_since() as since',
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

  /** Keys of one tenant or of all, newest first. */
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

/** 256 random bits, with a prefix by which scanners recognise a leaked key. */
function newSecret(): string {
  return `hf_${randomBytes(32).toString('base64url')}`
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function hintOf(secret: string): string {
  return secret.slice(0, 'hf_'.length + 4)
}

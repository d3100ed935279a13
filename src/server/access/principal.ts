/**
 * Authentication: the principal of a call. A call has a key, unless the server is open: bound to loopback, and no key was ever created in
 * its database. Once a key was created the server stays closed, also after the last key has expired or was revoked or deleted.
 * The tenant is that of the key. A key for all tenants ('*') acts for one tenant at a time: the one in the header `holdfast-tenant`, or
 * `default`. With any other key that header must name the key's own tenant.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { allows, type Endpoint, SCOPES, type Scope } from '../../contract/endpoint.js'
import type { CallRank } from '../../database/connection-gate.js'
import { holdfastError, invalidInput } from '../../domain/errors/errors.js'
import { NAME_PATTERN } from '../../domain/limits.js'
import type { KnownKey } from '../../store/access/keys.js'
import type { Store } from '../../store/store.js'
import type { HttpLimits } from '../http/limits.js'

export interface Principal {
  readonly name: string
  readonly keyId: number | null
  /** '*' is every tenant. */
  readonly tenant: string
  readonly scopes: readonly Scope[]
  /** Calls per second. */
  readonly rateLimit: number | null
  readonly expiresAt: Date | null
  /** The call has no key, because this server needs none. */
  readonly open: boolean
}

export interface PrincipalOptions {
  /** Whether the server may be open while no key exists: it is bound to loopback. */
  readonly mayBeOpen: boolean
  /** A key from the environment, for all tenants and scopes; it is in no table. */
  readonly adminKey?: string | undefined
}

const OPEN: Principal = {
  name: 'local',
  keyId: null,
  tenant: '*',
  scopes: SCOPES,
  rateLimit: null,
  expiresAt: null,
  open: true,
}

const ADMIN: Principal = { ...OPEN, name: 'admin', open: false }

interface CachedKey {
  readonly key: KnownKey
  readonly until: number
}

export class Principals {
  readonly #store: Store
  readonly #limits: HttpLimits
  readonly #options: PrincipalOptions
  /** By hash, so that no key stays in memory. Only valid keys, so that guesses cannot fill it. */
  #cached = new Map<string, CachedKey>()
  /** Running queries, shared by calls with the same key. */
  #loading = new Map<string, Promise<KnownKey>>()
  #noKeyUntil = 0

  constructor(store: Store, limits: HttpLimits, options: PrincipalOptions) {
    this.#store = store
    this.#limits = limits
    this.#options = options
    if (options.adminKey !== undefined && !/^\S{16,200}$/.test(options.adminKey))
      throw invalidInput('/adminKey', 'must have 16 to 200 characters and no space')
  }

  async of(request: FastifyRequest): Promise<Principal> {
    const secret = secretOf(request)
    if (secret === undefined) {
      if (await this.#isOpen()) return OPEN
      throw holdfastError('unauthorized')
    }
    if (this.#isAdmin(secret)) return ADMIN
    const { id, name, tenant, scopes, rateLimit, expiresAt } = await this.#keyFor(secret)
    return { name, keyId: id, tenant, scopes: scopes as Scope[], rateLimit, expiresAt, open: false }
  }

  /** The same without the cache. */
  async again(request: FastifyRequest): Promise<Principal> {
    const secret = secretOf(request)
    if (secret === undefined) this.#noKeyUntil = 0
    else {
      const name = nameOf(secret)
      this.#cached.delete(name)
      // A running query may have read the old state.
      this.#loading.delete(name)
    }
    return this.of(request)
  }

  /** Keys were changed through this server: drops the cache, and running queries, which may have read the old state. */
  forget(): void {
    this.#cached = new Map()
    this.#loading = new Map()
    this.#noKeyUntil = 0
  }

  async #isOpen(): Promise<boolean> {
    if (!this.#options.mayBeOpen || this.#options.adminKey !== undefined) return false
    if (performance.now() < this.#noKeyUntil) return true
    if ((await this.#store.keys.closedSince()) !== undefined) return false
    this.#noKeyUntil = performance.now() + this.#limits.keyTrustMs
    return true
  }

  #isAdmin(secret: string): boolean {
    const { adminKey } = this.#options
    return adminKey !== undefined && timingSafeEqual(sha256(adminKey), sha256(secret))
  }

  async #keyFor(secret: string): Promise<KnownKey> {
    const name = nameOf(secret)
    const cached = this.#cached.get(name)
    if (cached !== undefined && performance.now() < cached.until) return cached.key
    const loading = this.#loading
    // A key that was valid a moment ago is checked before other calls, so that a lease renewal does not wait for its authentication.
    const rank = cached === undefined ? 'usual' : 'first'
    const key = loading.get(name) ?? this.#load(name, secret, rank).finally(() => loading.delete(name))
    loading.set(name, key)
    return key
  }

  async #load(name: string, secret: string, rank: CallRank): Promise<KnownKey> {
    const cached = this.#cached
    const until = performance.now() + this.#limits.keyTrustMs
    cached.delete(name)
    const key = await this.#store.keys.authenticate(secret, { rank })
    if (key === undefined) throw holdfastError('unauthorized', { problem: 'the key is unknown' })
    if (key.state !== 'live') throw holdfastError('unauthorized', { problem: `the key is ${key.state}` })
    if (cached.size >= this.#limits.keysRememberedMax) cached.clear()
    cached.set(name, { key, until })
    return key
  }
}

/** The tenant of this call. */
export function tenantOf({ tenant }: Principal, request: FastifyRequest): string {
  const chosen = request.headers['holdfast-tenant']
  if (chosen === undefined) return tenant === '*' ? 'default' : tenant
  if (typeof chosen !== 'string' || !NAME_PATTERN.test(chosen) || chosen.length > 100)
    throw invalidInput('/holdfast-tenant', 'must be the name of a tenant')
  if (tenant === '*' || tenant === chosen) return chosen
  throw holdfastError('tenant_not_yours', { tenant: chosen })
}

export function checkScope(endpoint: Endpoint, { scopes }: Principal): void {
  if (!allows(endpoint, scopes))
    throw holdfastError('scope_missing', { scope: [endpoint.scope].flat().join('" or "') })
}

/** The error of a call for all tenants by a key for one. */
export function everyTenantNeeded() {
  const message = 'This call affects all tenants, and the key is for one tenant.'
  return holdfastError('tenant_not_yours', { tenant: '*' }, { message })
}

function secretOf({ headers }: FastifyRequest): string | undefined {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  const [, secret] = /^Bearer +(\S{1,200})$/i.exec(authorization) ?? []
  if (secret === undefined)
    throw holdfastError('unauthorized', { problem: 'the header is not `Bearer` followed by a key' })
  return secret
}

/** On every call: `hash` takes 1 µs, `createHash` 3.4 µs. */
function nameOf(secret: string): string {
  return hash('sha256', secret, 'base64')
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

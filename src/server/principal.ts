/**
 * Who is calling. A call has a key, or comes to a server that is open: bound to loopback, in whose database no key was ever made. Once a
 * key was made it stays closed, also when the last key has expired, was revoked or forgotten. The
 * tenant is the key's. A key of '*' acts for one tenant at a time, the one its header names or `default`; for any other key that
 * header can only say what is true already.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { allows, type Endpoint, SCOPES, type Scope } from '../contract/endpoint.js'
import { holdfastError, invalidInput } from '../domain/errors.js'
import { NAME_PATTERN } from '../domain/limits.js'
import type { Rank } from '../store/gate.js'
import type { KnownKey } from '../store/keys.js'
import type { Store } from '../store/store.js'
import type { HttpLimits } from './limits.js'

export interface Principal {
  readonly name: string
  readonly keyId: number | null
  /** '*' is every tenant. */
  readonly tenant: string
  readonly scopes: readonly Scope[]
  /** Calls a second. */
  readonly rateLimit: number | null
  readonly expiresAt: Date | null
  /** Without a key, because this server needs none. */
  readonly open: boolean
}

export interface PrincipalOptions {
  /** Whether a server without keys may be used without one: it is bound to loopback. */
  readonly mayBeOpen: boolean
  /** A key from the environment, for every tenant and everything; it is in no table. */
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

interface Remembered {
  readonly key: KnownKey
  readonly until: number
}

export class Principals {
  readonly #store: Store
  readonly #limits: HttpLimits
  readonly #options: PrincipalOptions
  /** By hash, so that no key lies around in memory. Only good keys, so that nobody fills it with guesses. */
  #remembered = new Map<string, Remembered>()
  /** Questions under way: those who come meanwhile with the same key share the answer. */
  #asking = new Map<string, Promise<KnownKey>>()
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
    const { id, name, tenant, scopes, rateLimit, expiresAt } = await this.#known(secret)
    return { name, keyId: id, tenant, scopes: scopes as Scope[], rateLimit, expiresAt, open: false }
  }

  /** The same, asked of the database whatever is remembered. */
  async again(request: FastifyRequest): Promise<Principal> {
    const secret = secretOf(request)
    if (secret === undefined) this.#noKeyUntil = 0
    else {
      const name = nameOf(secret)
      this.#remembered.delete(name)
      // What is under way was asked before.
      this.#asking.delete(name)
    }
    return this.of(request)
  }

  /** Keys have changed here: ask again. What is under way may have been asked before that, so nobody else learns from it. */
  forget(): void {
    this.#remembered = new Map()
    this.#asking = new Map()
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

  async #known(secret: string): Promise<KnownKey> {
    const name = nameOf(secret)
    const remembered = this.#remembered.get(name)
    if (remembered !== undefined && performance.now() < remembered.until) return remembered.key
    const asking = this.#asking
    // A key that was good a moment ago is asked for before other calls, so that a worker's renewal does not wait for who it is.
    const rank = remembered === undefined ? 'usual' : 'first'
    const asked = asking.get(name) ?? this.#ask(name, secret, rank).finally(() => asking.delete(name))
    asking.set(name, asked)
    return asked
  }

  async #ask(name: string, secret: string, rank: Rank): Promise<KnownKey> {
    const remembered = this.#remembered
    const until = performance.now() + this.#limits.keyTrustMs
    remembered.delete(name)
    const key = await this.#store.keys.authenticate(secret, { rank })
    if (key === undefined) throw holdfastError('unauthorized', { problem: 'the key is not known' })
    if (key.state !== 'live') throw holdfastError('unauthorized', { problem: `the key is ${key.state}` })
    if (remembered.size >= this.#limits.keysRememberedMax) remembered.clear()
    remembered.set(name, { key, until })
    return key
  }
}

/** Whose jobs this call is about. */
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

/** For what concerns the whole installation. */
export function everyTenantNeeded() {
  const message = 'This concerns every tenant, and this key acts for one.'
  return holdfastError('tenant_not_yours', { tenant: '*' }, { message })
}

function secretOf({ headers }: FastifyRequest): string | undefined {
  const said = headers.authorization
  if (said === undefined) return undefined
  const [, secret] = /^Bearer +(\S{1,200})$/i.exec(said) ?? []
  if (secret === undefined)
    throw holdfastError('unauthorized', { problem: 'the header is not `Bearer` and a key' })
  return secret
}

/** Every call pays for it: 1 µs, where an object that hashes takes 3.4. */
function nameOf(secret: string): string {
  return hash('sha256', secret, 'base64')
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

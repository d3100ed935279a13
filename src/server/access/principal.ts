/**
 * Authentication: the principal of a call. A call has a key, or the cookie of a session that a key has opened, unless the server is open: bound to loopback, and no key was ever created in
 * its database. Once a key was created the server stays closed, also after the last key has expired or was revoked or deleted.
 * The tenant is that of the key. A key for all tenants ('*') acts for one tenant at a time: the one in the header `holdfast-tenant`, or
 * `default`. With any other key that header must name the key's own tenant.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { allows, type Endpoint, SCOPES, type Scope } from '../../contract/endpoint.js'
import type { CallRank } from '../../database/connection-gate.js'
import { HoldfastError, holdfastError, invalidInput } from '../../domain/errors/errors.js'
import { NAME_PATTERN } from '../../domain/limits.js'
import type { Store } from '../../store/store.js'
import type { BasePath } from '../http/base-path.js'
import type { HttpLimits } from '../http/limits.js'
import { csrfTokenOf, proofOf, sessionTokenOf } from './session-cookie.js'

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
  /** The caller has a session cookie: calls that change something must carry this token. */
  readonly csrfToken: string | null
  /** The program that mounts this server has signed the caller in. */
  readonly isHosted?: true
}

export interface PrincipalOptions {
  /** Whether the server may be open while no key exists: it is bound to loopback. */
  readonly mayBeOpen: boolean
  /** A key from the environment, for all tenants and scopes; it is in no table. */
  readonly adminKey?: string | undefined
  /** A second one, for the link of `holdfast dashboard`. */
  readonly linkKey?: string | undefined
  /** Who the program says the caller is that mounts this server; then keys and sessions do not count. */
  readonly hosted?: HostedCaller | undefined
  /** The cookie of a session depends on it. */
  readonly basePath: BasePath
}

const OPEN: Principal = {
  name: 'local',
  keyId: null,
  tenant: '*',
  scopes: SCOPES,
  rateLimit: null,
  expiresAt: null,
  open: true,
  csrfToken: null,
}

const ADMIN: Principal = { ...OPEN, name: 'admin', open: false }

/** What a call authenticates with. */
type Credential =
  | { readonly by: 'key'; readonly secret: string }
  | { readonly by: 'session'; readonly secret: string }

interface CachedCaller {
  readonly caller: Principal
  readonly until: number
}

type WithHeaders = Pick<FastifyRequest, 'headers' | 'raw'>

export type HostedCaller = (request: Pick<FastifyRequest, 'raw'>) => Principal | undefined

export class Principals {
  readonly #store: Store
  readonly #limits: HttpLimits
  readonly #options: PrincipalOptions
  readonly #adminKeys: readonly string[]
  /** By hash, so that no key stays in memory. Only valid keys and sessions, so that guesses cannot fill it. */
  #cached = new Map<string, CachedCaller>()
  /** Running queries, shared by calls with the same key. */
  #loading = new Map<string, Promise<Principal>>()
  #noKeyUntil = 0

  constructor(store: Store, limits: HttpLimits, options: PrincipalOptions) {
    this.#store = store
    this.#limits = limits
    this.#options = options
    this.#adminKeys = [options.adminKey, options.linkKey].filter((key) => key !== undefined)
    if (options.adminKey !== undefined && !/^\S{16,200}$/.test(options.adminKey))
      throw invalidInput('/adminKey', 'must have 16 to 200 characters and no space')
  }

  async of(request: WithHeaders): Promise<Principal> {
    const hosted = this.#options.hosted?.(request)
    if (hosted !== undefined) return hosted
    const credential = this.#credentialOf(request)
    if (credential === undefined) {
      if (await this.#isOpen()) return OPEN
      throw holdfastError('unauthorized')
    }
    try {
      return await this.#callerBy(credential)
    } catch (error) {
      // A cookie that was left over does not close an open server.
      if (credential.by === 'session' && isUnauthorized(error) && (await this.#isOpen())) return OPEN
      throw error
    }
  }

  /** The same without the cache. */
  async again(request: WithHeaders): Promise<Principal> {
    const credential = this.#credentialOf(request)
    if (credential === undefined) this.#noKeyUntil = 0
    else {
      const name = nameOf(credential)
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

  /** Exchanges a key for a session; throws `unauthorized` if the key is not valid. */
  async signIn(key: string): Promise<{ token: string; who: Principal }> {
    const { keyId, name } = await this.#callerBy({ by: 'key', secret: key })
    const token = randomBytes(32).toString('base64url')
    const { sessionIdleMs: idleMs, sessionLifetimeMs: lifetimeMs, sessionsPerKeyMax: countMax } = this.#limits
    const proof = keyId === null ? proofOf(token, key) : null
    await this.#store.webSessions
      .open({ token, keyId, proof, idleMs, lifetimeMs, countMax })
      .catch((error) => {
        if (error instanceof HoldfastError && error.code === 'unknown_key')
          throw holdfastError('unauthorized', { problem: `the key ${name} is not valid any more` })
        throw error
      })
    return { token, who: await this.#callerBy({ by: 'session', secret: token }) }
  }

  /** The token of a new session, if the link has the right key. */
  async signInByLink(sent: string): Promise<string | undefined> {
    const { linkKey } = this.#options
    if (linkKey === undefined || !timingSafeEqual(sha256(linkKey), sha256(sent))) return undefined
    return (await this.signIn(linkKey)).token
  }

  /** Ends the session of the request, if it has one. */
  async signOut({ headers }: WithHeaders, base: string): Promise<void> {
    const token = sessionTokenOf(headers.cookie, base)
    if (token === undefined) return
    await this.#store.webSessions.close(token)
    this.forget()
  }

  #credentialOf(request: WithHeaders): Credential | undefined {
    const secret = secretOf(request)
    if (secret !== undefined) return { by: 'key', secret }
    const token = sessionTokenOf(request.headers.cookie, this.#options.basePath.of(request))
    return token === undefined ? undefined : { by: 'session', secret: token }
  }

  async #isOpen(): Promise<boolean> {
    if (!this.#options.mayBeOpen || this.#options.adminKey !== undefined) return false
    if (performance.now() < this.#noKeyUntil) return true
    if ((await this.#store.keys.keysRequiredSince()) !== undefined) return false
    this.#noKeyUntil = performance.now() + this.#limits.keyCacheMs
    return true
  }

  async #callerBy(credential: Credential): Promise<Principal> {
    if (credential.by === 'key' && this.#isAdmin(credential.secret)) return ADMIN
    const name = nameOf(credential)
    const cached = this.#cached.get(name)
    if (cached !== undefined && performance.now() < cached.until) return cached.caller
    const loading = this.#loading
    // A key that was valid a moment ago is checked before other calls, so that a lease renewal does not wait for its authentication.
    const rank = cached === undefined ? 'usual' : 'first'
    const caller = loading.get(name) ?? this.#load(name, credential, rank).finally(() => loading.delete(name))
    loading.set(name, caller)
    return caller
  }

  async #load(name: string, { by, secret }: Credential, rank: CallRank): Promise<Principal> {
    const cached = this.#cached
    const until = performance.now() + this.#limits.keyCacheMs
    cached.delete(name)
    const caller = by === 'key' ? await this.#byKey(secret, rank) : await this.#bySession(secret, rank)
    if (cached.size >= this.#limits.keysCachedMax) cached.clear()
    cached.set(name, { caller, until })
    return caller
  }

  #isAdmin(secret: string): boolean {
    if (this.#adminKeys.length === 0) return false
    const sent = sha256(secret)
    return this.#adminKeys.some((key) => timingSafeEqual(sha256(key), sent))
  }

  async #byKey(secret: string, rank: CallRank): Promise<Principal> {
    const key = await this.#store.keys.authenticate(secret, { rank })
    if (key === undefined) throw holdfastError('unauthorized', { problem: 'the key is unknown' })
    if (key.state !== 'live') throw holdfastError('unauthorized', { problem: `the key is ${key.state}` })
    const { id: keyId, name, tenant, scopes, rateLimit, expiresAt } = key
    return {
      name,
      keyId,
      tenant,
      scopes: scopes as Scope[],
      rateLimit,
      expiresAt,
      open: false,
      csrfToken: null,
    }
  }

  async #bySession(token: string, rank: CallRank): Promise<Principal> {
    const found = await this.#store.webSessions.use(token, { rank })
    if (found === undefined || found.state !== 'live')
      throw holdfastError('unauthorized', { problem: 'the session has ended; sign in again' })
    const { keyId, name, tenant, scopes, rateLimit, expiresAt } = found
    const csrfToken = csrfTokenOf(token)
    if (keyId !== null && name !== null)
      return {
        name,
        keyId,
        tenant,
        scopes: (scopes ?? []) as Scope[],
        rateLimit,
        expiresAt,
        open: false,
        csrfToken,
      }
    const { proof } = found
    if (proof === null || !this.#adminKeys.some((key) => timingSafeEqual(proof, proofOf(token, key))))
      throw holdfastError('unauthorized', {
        problem: 'the session was opened with another admin key; sign in again',
      })
    return { ...ADMIN, expiresAt, csrfToken }
  }
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'unauthorized'
}

/** The tenant of this call. */
export function tenantOf({ tenant }: Principal, request: FastifyRequest): string {
  const chosen = request.headers['holdfast-tenant']
  if (chosen === undefined) return tenant === '*' ? 'default' : tenant
  if (typeof chosen !== 'string' || !NAME_PATTERN.test(chosen) || chosen.length > 100)
    throw invalidInput('/holdfast-tenant', 'must be the name of a tenant')
  if (tenant === '*' || tenant === chosen) return chosen
  throw holdfastError('wrong_tenant', { tenant: chosen })
}

export function checkScope(endpoint: Endpoint, { scopes }: Principal): void {
  if (!allows(endpoint, scopes))
    throw holdfastError('scope_missing', { scope: [endpoint.scope].flat().join('" or "') })
}

/** The error of a call for all tenants by a key for one. */
export function everyTenantNeeded() {
  const message = 'This call affects all tenants, and the key is for one tenant.'
  return holdfastError('wrong_tenant', { tenant: '*' }, { message })
}

function secretOf({ headers }: WithHeaders): string | undefined {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  const [, secret] = /^Bearer +(\S{1,200})$/i.exec(authorization) ?? []
  if (secret === undefined)
    throw holdfastError('unauthorized', { problem: 'the header is not `Bearer` followed by a key' })
  return secret
}

/** On every call: `hash` takes 1 µs, `createHash` 3.4 µs. */
function nameOf({ by, secret }: Credential): string {
  return `${by} ${hash('sha256', secret, 'base64')}`
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

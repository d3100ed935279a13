/**
 * The cookie of a session, and the token against forged calls (CSRF). The cookie is HttpOnly, SameSite=Strict and limited to the path of
 * the server; over HTTPS it is Secure, and its name makes the browser refuse one that another host of the domain has set. The CSRF token is
 * an HMAC with the token in the cookie as its key: it is stored nowhere, and a page of another site can neither read nor compute it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Endpoint, isUnsafe } from '../../contract/endpoint.js'
import { holdfastError } from '../../domain/errors/errors.js'

const NAME = 'holdfast_session'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The browser requires the path / for `__Host-`. */
const secureName = (base: string) => `${base === '/' ? '__Host-' : '__Secure-'}${NAME}`

/** The token of the session cookie. Of two cookies of one name the first has the longer path and counts. */
export function sessionTokenOf(cookies: string | undefined, base: string): string | undefined {
  if (cookies === undefined) return undefined
  const pairs = cookies.split(';').map((pair) => pair.trim().split('=', 2))
  for (const name of [secureName(base), NAME]) {
    const value = pairs.find(([each]) => each === name)?.[1]
    if (value !== undefined && TOKEN.test(value)) return value
  }
  return undefined
}

interface CookieSettings {
  /** With a slash at both ends. */
  readonly base: string
  readonly secure: boolean
  readonly lifetimeMs: number
}

export function sessionCookie(token: string, { base, secure, lifetimeMs }: CookieSettings): string {
  const name = secure ? secureName(base) : NAME
  const seconds = Math.floor(lifetimeMs / 1000)
  return `${name}=${token}; Path=${base}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}

/**
 * Whether the browser uses HTTPS. Behind a proxy that ends TLS the server sees HTTP; the Origin that the browser sends is right. A caller
 * that lies about it gets a cookie that works for no one.
 */
export function isSecure({ protocol, headers }: Pick<FastifyRequest, 'protocol' | 'headers'>): boolean {
  return (
    protocol === 'https' ||
    headers.origin?.startsWith('https:') === true ||
    headers['x-forwarded-proto'] === 'https'
  )
}

export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('holdfast csrf').digest('base64url')
}

/** Binds a session to the admin key; useless to a reader of the database, who lacks the token. */
export function proofOf(sessionToken: string, adminKey: string): Buffer {
  return createHmac('sha256', sessionToken).update(adminKey).digest()
}

/** A browser sends a cookie by itself, so the call must also carry what only a page of this server can know. */
export function checkCsrf(
  endpoint: Pick<Endpoint, 'method' | 'unsafe'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
  csrfToken: string | null,
): void {
  if (csrfToken === null || !isUnsafe(endpoint)) return
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''))
  const expected = Buffer.from(csrfToken)
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected))
    throw holdfastError('csrf_token_missing')
}

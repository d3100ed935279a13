/**
 * Who is signed in and what the key may do. A server without keys is open: everyone may do everything. Pages hide what a key may not do;
 * the server refuses it in any case.
 */
import { computed, effect, signal } from '@preact/signals'
import type { Scope } from '../../../src/contract/endpoint.js'
import { actingTenant, call, csrfToken, signedOut } from '../api/call.js'
import type { AnswerOf } from '../api/contract.js'
import { asFailure, type CallFailed } from '../api/problem.js'
import { textParam } from './url.js'

export interface Session {
  /** False: the server has no keys and is open. */
  readonly needsKey: boolean
  /** False also where a host program or a key in a header has signed the caller in. */
  readonly canSignOut: boolean
  readonly actor: string | null
  /** `*`: a key for all tenants. */
  readonly tenant: string
  readonly scopes: readonly Scope[]
  readonly readOnly: boolean
  readonly expiresAt: string | null
}

export const session = signal<Session | null>(null)
export const sessionState = signal<'checking' | 'open' | 'closed' | 'failed'>('checking')
export const sessionFailure = signal<CallFailed | null>(null)

/** The tenant of a key for all tenants; other keys have their own. */
export const tenant = textParam('tenant')
effect(() => {
  actingTenant.value = session.value?.tenant === '*' && tenant.value !== '' ? tenant.value : null
})

/** Whether the key has a scope: `operate` includes `read`, `admin` includes all. */
export function may(scope: Scope): boolean {
  const held = session.value
  if (held === null || (held.readOnly && scope !== 'read')) return false
  return (
    held.scopes.includes('admin') ||
    held.scopes.includes(scope) ||
    (scope === 'read' && held.scopes.includes('operate'))
  )
}

/** Whether the key acts for the installation: settings, tenants, doctor. */
export const everyTenant = computed(() => session.value?.tenant === '*')

type WireSession = AnswerOf<'GET /api/v1/session'>

function take(wire: WireSession): void {
  csrfToken.value = wire.csrf_token
  session.value = wire.signed_in
    ? {
        needsKey: !wire.open,
        canSignOut: wire.can_sign_out,
        actor: wire.name,
        tenant: wire.tenant ?? '*',
        scopes: wire.scopes,
        readOnly: wire.read_only,
        expiresAt: wire.expires_at,
      }
    : null
  sessionState.value = wire.signed_in ? 'open' : 'closed'
}

/** A server that starts, or whose database does, is asked again. */
const AGAIN_MS = 5_000
let again: ReturnType<typeof setTimeout> | undefined

export async function checkSession(): Promise<void> {
  clearTimeout(again)
  try {
    take(await call('GET /api/v1/session'))
  } catch (error) {
    const failure = asFailure(error)
    sessionFailure.value = failure
    sessionState.value = failure.status === 401 ? 'closed' : 'failed'
    if (sessionState.value === 'failed') again = setTimeout(checkSession, AGAIN_MS)
  }
}

export async function signIn(key: string): Promise<void> {
  take(await call('POST /api/v1/session', { body: { key } }))
  sessionEnded.value = false
}

export async function signOut(): Promise<void> {
  await call('DELETE /api/v1/session').catch(() => undefined)
  session.value = null
  csrfToken.value = null
  sessionState.value = 'closed'
}

/** A session that was open has expired or was revoked. */
export const sessionEnded = signal(false)

signedOut.subscribe((times) => {
  if (times > 0 && sessionState.peek() === 'open') {
    sessionEnded.value = true
    session.value = null
    sessionState.value = 'closed'
  }
})

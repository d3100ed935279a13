/** The keys of a server, in the shape the store has them. Who made one is then the key that asked for it. */
import { type Calls, received } from '../client/calls.js'
import type { Scope } from '../contract/endpoint.js'
import { given } from '../domain/given.js'
import type { NewKey } from '../store/keys.js'
import type { Act } from '../store/operate.js'
import { why } from './remote-act.js'

const of = (id: number) => ({ params: { id } })

export function keysPart(calls: Calls) {
  return {
    create: ({ name, scopes, tenant, expiresAt, rateLimit, ...act }: NewKey) => {
      const rest = {
        expires_at: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
        rate_limit: rateLimit,
        every_tenant: tenant === '*' || undefined,
      }
      const body = { name, scopes: scopes as Scope[], ...given(rest), ...why(act) }
      return calls.call('POST', '/api/v1/keys', { body })
    },
    list: async () => {
      const { keys } = await calls.call('GET', '/api/v1/keys', { query: { page_size: 500 } })
      return keys.map((key) => received(key))
    },
    closedSince: async () => {
      const { closed_since } = await calls.call('GET', '/api/v1/keys', { query: { page_size: 1 } })
      return closed_since === null ? undefined : new Date(closed_since)
    },
    rotate: async (id: number, { overlapMs, ...act }: Act & { overlapMs: number }) => {
      const body = { overlap_ms: overlapMs, ...why(act) }
      return received(await calls.call('POST', '/api/v1/keys/{id}/rotate', { ...of(id), body }))
    },
    revoke: async (id: number, act: Act) =>
      (await calls.call('DELETE', '/api/v1/keys/{id}', { ...of(id), body: why(act) })).revoked,
  }
}

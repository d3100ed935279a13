/** Handlers of API keys. A secret is returned once, when its key is created or rotated. */

import { keysContract } from '../../contract/access/keys.js'
import { toWire } from '../../contract/case.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { given } from '../../json/given.js'
import type { ApiKey } from '../../store/access/keys.js'
import { everyTenantNeeded } from '../access/principal.js'
import { numberFrom, paged } from '../http/page-token.js'
import { type Call, routes } from '../http/route.js'

/** A key of the caller's tenant; others are unknown. */
async function ownKey(
  { store, tenant, everywhere }: Pick<Call, 'store' | 'tenant' | 'everywhere'>,
  id: number,
) {
  const key = await store.keys.get(id)
  if (!everywhere && key.tenant !== tenant) throw holdfastError('unknown_key', { key: id })
  return key
}

type KeyView = (typeof keysContract)['getKey']['response'][200]['_zod']['input']
const view = (key: ApiKey): KeyView => toWire(key)

export const keyRoutes = routes<typeof keysContract>(keysContract, {
  listKeys: async ({ store, tenant, everywhere, query }) => {
    const { page_size: size, page_token } = query
    const before = numberFrom(page_token)
    const rows = await store.keys.list({
      ...(everywhere ? {} : { tenant }),
      ...(before === undefined ? {} : { before }),
      limit: size + 1,
    })
    const { page, next_page_token } = paged(rows, size, ({ id }) => id)
    const closed = await store.keys.keysRequiredSince()
    const keys_required_since = closed?.toISOString() ?? null
    return { status: 200, body: { keys: page.map(view), keys_required_since, next_page_token } }
  },

  createKey: async ({ store, server, tenant, who, act, body }) => {
    if (body.every_tenant && who.tenant !== '*') throw everyTenantNeeded()
    const created = await store.keys.create({
      tenant: body.every_tenant ? '*' : tenant,
      name: body.name,
      scopes: body.scopes,
      ...given({ expiresAt: body.expires_at, rateLimit: body.rate_limit }),
      ...act,
    })
    server.principals.forget()
    return { status: 201, body: created }
  },

  getKey: async (call) => ({ status: 200, body: view(await ownKey(call, call.params.id)) }),

  rotateKey: async (call) => {
    const { store, server, act, params, body } = call
    await ownKey(call, params.id)
    const { id, secret, oldExpiresAt } = await store.keys.rotate(params.id, {
      overlapMs: body.overlap_ms,
      ...act,
    })
    server.principals.forget()
    return { status: 201, body: { id, secret, old_expires_at: oldExpiresAt.toISOString() } }
  },

  revokeKey: async (call) => {
    const { store, server, act, params } = call
    await ownKey(call, params.id)
    const revoked = await store.keys.revoke(params.id, act)
    server.principals.forget()
    return { status: 200, body: { id: params.id, revoked } }
  },
})

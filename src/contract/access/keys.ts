/** HTTP routes of API keys: list, create, rotate, revoke. */
import { z } from 'zod'
import { contract, SCOPES } from '../endpoint.js'
import { between, idParams, instant, name, nextPageToken, pageQuery, reasonBody, why } from '../fields.js'

const key = z
  .object({
    id: z.int(),
    tenant: z.string(),
    name: z.string(),
    hint: z.string().meta({ description: 'First characters of the key.' }),
    scopes: z.array(z.enum(SCOPES)),
    rate_limit: z.int().nullable(),
    state: z.enum(['live', 'expired', 'revoked']),
    created_at: instant,
    created_by: z.string().nullable(),
    expires_at: instant.nullable(),
    last_used_at: instant.nullable().meta({ description: 'Rounded to the minute.' }),
    revoked_at: instant.nullable(),
    revoked_by: z.string().nullable(),
    revoke_reason: z.string().nullable(),
    replaces: z.int().nullable(),
  })
  .meta({ id: 'Key' })

const madeKey = z.object({
  id: z.int(),
  secret: z.string().meta({ description: 'The key. It is shown only in this response.' }),
})

export const keysContract = contract({
  listKeys: {
    method: 'GET',
    path: '/api/v1/keys',
    scope: 'admin',
    tag: 'keys',
    summary:
      'List keys of the tenant, newest first. A key for all tenants sees all keys unless it selects a tenant.',
    query: z.strictObject(pageQuery),
    response: {
      200: z.object({
        keys: z.array(key),
        keys_required_since: instant.nullable().meta({
          description:
            'When the first key was created; since then every call needs a key. Null if none was ever created.',
        }),
        next_page_token: nextPageToken,
      }),
    },
    errors: [],
  },
  createKey: {
    method: 'POST',
    path: '/api/v1/keys',
    scope: 'admin',
    tag: 'keys',
    summary: 'Create a key for the tenant.',
    body: z.strictObject({
      name,
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
      expires_at: instant.optional(),
      rate_limit: between(1, 1_000_000).optional(),
      every_tenant: z
        .boolean()
        .optional()
        .meta({ description: 'A key for all tenants. Needs a key for all tenants.' }),
      reason: why,
    }),
    response: { 201: madeKey },
    errors: ['key_name_taken'],
  },
  getKey: {
    method: 'GET',
    path: '/api/v1/keys/{id}',
    scope: 'admin',
    tag: 'keys',
    summary: 'Get a key, without its secret.',
    params: idParams,
    response: { 200: key },
    errors: ['unknown_key'],
  },
  rotateKey: {
    method: 'POST',
    path: '/api/v1/keys/{id}/rotate',
    scope: 'admin',
    tag: 'keys',
    summary: 'Replace a key by a new one with the same name and scopes. The old one stays valid for a while.',
    params: idParams,
    body: z
      .strictObject({ overlap_ms: between(0, 30 * 24 * 3_600_000).default(24 * 3_600_000), reason: why })
      .prefault({}),
    response: { 201: madeKey.extend({ old_expires_at: instant }) },
    errors: ['unknown_key', 'conflict'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/api/v1/keys/{id}',
    scope: 'admin',
    tag: 'keys',
    summary: 'Revoke a key at once.',
    params: idParams,
    body: reasonBody,
    response: {
      200: z.object({
        id: z.int(),
        revoked: z.boolean().meta({ description: 'False if it was revoked before.' }),
      }),
    },
    errors: ['unknown_key'],
  },
})

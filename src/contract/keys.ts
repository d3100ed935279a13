/** Keys of the server. */
import { z } from 'zod'
import { contract, SCOPES } from './endpoint.js'
import { between, idParams, instant, name, nextPageToken, pageQuery, reasonBody, why } from './fields.js'

const key = z
  .object({
    id: z.int(),
    tenant: z.string(),
    name: z.string(),
    hint: z.string().meta({ description: 'its first letters' }),
    scopes: z.array(z.enum(SCOPES)),
    rate_limit: z.int().nullable(),
    state: z.enum(['live', 'expired', 'revoked']),
    created_at: instant,
    created_by: z.string().nullable(),
    expires_at: instant.nullable(),
    last_used_at: instant.nullable().meta({ description: 'to the minute' }),
    revoked_at: instant.nullable(),
    revoked_by: z.string().nullable(),
    revoke_reason: z.string().nullable(),
    replaces: z.int().nullable(),
  })
  .meta({ id: 'Key' })

const madeKey = z.object({
  id: z.int(),
  secret: z.string().meta({ description: 'the key itself: shown this once' }),
})

export const keysContract = contract({
  listKeys: {
    method: 'GET',
    path: '/api/v1/keys',
    scope: 'admin',
    tag: 'keys',
    summary:
      'Keys of the tenant, the newest first; a key of every tenant sees all of them unless it chooses one',
    query: z.strictObject(pageQuery),
    response: {
      200: z.object({
        keys: z.array(key),
        closed_since: instant.nullable().meta({
          description:
            'when the first key was made: from then on every call needs a key, also when none is left; null: never',
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
    summary: 'Make a key of the tenant',
    body: z.strictObject({
      name,
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
      expires_at: instant.optional(),
      rate_limit: between(1, 1_000_000).optional(),
      every_tenant: z
        .boolean()
        .optional()
        .meta({ description: 'only by a key that acts for every tenant itself' }),
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
    summary: 'One key, without its secret',
    params: idParams,
    response: { 200: key },
    errors: ['unknown_key'],
  },
  rotateKey: {
    method: 'POST',
    path: '/api/v1/keys/{id}/rotate',
    scope: 'admin',
    tag: 'keys',
    summary: 'A new secret for the same name and rights; the old one goes on for a while',
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
    summary: 'End it at once',
    params: idParams,
    body: reasonBody,
    response: {
      200: z.object({ id: z.int(), revoked: z.boolean().meta({ description: 'false: it was already' }) }),
    },
    errors: ['unknown_key'],
  },
})

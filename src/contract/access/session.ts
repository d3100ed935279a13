/** Sessions of browsers: a key is exchanged for a cookie. A program sends its key with each call instead. */
import { z } from 'zod'
import { contract, SCOPES } from '../endpoint.js'
import { instant } from '../fields.js'

const session = z
  .object({
    signed_in: z.boolean().meta({ description: 'False: the calls of this browser need a key first.' }),
    open: z.boolean().meta({ description: 'The server needs no key: it is on loopback, and no key exists.' }),
    name: z.string().nullable().meta({ description: 'Name of the key, the actor of its commands.' }),
    tenant: z
      .string()
      .nullable()
      .meta({ description: 'Tenant of the key; * for all, and the header holdfast-tenant selects one.' }),
    scopes: z.array(z.enum(SCOPES)),
    read_only: z.boolean().meta({ description: 'The server refuses every call that changes something.' }),
    csrf_token: z
      .string()
      .nullable()
      .meta({ description: 'For the header x-csrf-token of calls that change something. Null: not needed.' }),
    expires_at: instant.nullable().meta({ description: 'Each use prolongs a session, up to a limit.' }),
    can_sign_out: z.boolean().meta({ description: 'The caller is known by a session cookie.' }),
    server_version: z.string(),
  })
  .meta({ id: 'Session' })

const cookie = { path: '/api/v1/session', scope: null, tag: 'session' } as const

export const sessionContract = contract({
  getSession: {
    ...cookie,
    method: 'GET',
    summary: 'Get who the caller is and what it may do, signed in or not.',
    response: { 200: session },
    errors: [],
  },
  signIn: {
    ...cookie,
    method: 'POST',
    summary: 'Exchange a key for a session cookie.',
    body: z.strictObject({
      key: z
        .string()
        .regex(/^\S{1,200}$/, 'must be a key: 1 to 200 characters without a space')
        .meta({ examples: ['hf_…'] }),
    }),
    response: { 200: session },
    errors: ['unauthorized'],
  },
  signOut: {
    ...cookie,
    method: 'DELETE',
    summary: 'End the session of the cookie.',
    response: { 204: null },
    errors: ['csrf_token_missing'],
  },
})

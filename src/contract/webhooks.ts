/** Who is told of alerts. */
import { z } from 'zod'
import { ALERT_RULE_NAMES, DELIVERY_STATES, TOLD_EVENTS } from '../domain/alerts.js'
import { contract } from './endpoint.js'
import { idParams, instant, name, nextPageToken, pageQuery, reasonBody, why } from './fields.js'

const webhook = z
  .object({
    id: z.int(),
    tenant: z.string().meta({ description: '* hears of every tenant and of the installation' }),
    name: z.string(),
    url: z.string(),
    rules: z.array(z.string()).nullable().meta({ description: 'null: all of them' }),
    enabled: z.boolean(),
    created_at: instant,
    created_by: z.string().nullable(),
  })
  .meta({ id: 'Webhook' })

const delivery = z
  .object({
    id: z.int(),
    webhook_id: z.int(),
    alert_id: z.int(),
    event_id: z.int(),
    type: z.enum(TOLD_EVENTS),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    created_at: instant,
    next_at: instant,
    ended_at: instant.nullable(),
    status: z.int().nullable().meta({ description: 'of the last answer' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'Delivery' })

export const webhooksContract = contract({
  listWebhooks: {
    method: 'GET',
    path: '/api/v1/webhooks',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Webhooks of the tenant, without what their calls are signed with',
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ webhooks: z.array(webhook), next_page_token: nextPageToken }) },
    errors: [],
  },
  addWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Tell this address of alerts',
    body: z.strictObject({
      name,
      url: z.string().min(1).max(2000),
      secret: z.string().max(200).optional().meta({ description: 'whsec_ and base64; made if left out' }),
      rules: z.array(z.enum(ALERT_RULE_NAMES)).min(1).max(ALERT_RULE_NAMES.length).optional(),
      every_tenant: z
        .boolean()
        .optional()
        .meta({ description: 'of every tenant; only by a key that acts for every tenant itself' }),
      reason: why,
    }),
    response: {
      201: z.object({
        id: z.int(),
        secret: z.string().meta({ description: 'what its calls are signed with: shown this once' }),
      }),
    },
    errors: ['webhook_refused', 'webhook_name_taken', 'limit_exceeded'],
  },
  getWebhook: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'One webhook',
    params: idParams,
    response: { 200: webhook },
    errors: ['unknown_webhook'],
  },
  enableWebhook: {
    method: 'PATCH',
    path: '/api/v1/webhooks/{id}',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Switch it on or off; what waits for it when it is switched off is dropped',
    params: idParams,
    body: z.strictObject({ enabled: z.boolean(), reason: why }),
    response: { 200: webhook },
    errors: ['unknown_webhook'],
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/api/v1/webhooks/{id}',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Tell this address nothing any more',
    params: idParams,
    body: reasonBody,
    response: { 200: z.object({ id: z.int(), removed: z.literal(true) }) },
    errors: ['unknown_webhook'],
  },
  testWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Call it now with a message that says it is a test',
    params: idParams,
    response: {
      200: z.object({
        arrived: z.boolean(),
        status: z.int().nullable(),
        error: z.string().nullable(),
      }),
    },
    errors: ['unknown_webhook'],
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'What was sent to it or waits to be, the newest first',
    params: idParams,
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ deliveries: z.array(delivery), next_page_token: nextPageToken }) },
    errors: ['unknown_webhook'],
  },
})

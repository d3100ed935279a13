/** HTTP routes of the webhooks that receive alerts, and of their deliveries. */
import { z } from 'zod'
import { ALERT_RULE_NAMES, DELIVERY_STATES, NOTIFIED_EVENTS } from '../../domain/alerts.js'
import { contract } from '../endpoint.js'
import { idParams, instant, name, nextPageToken, pageQuery, reasonBody, why } from '../fields.js'

const webhook = z
  .object({
    id: z.int(),
    tenant: z.string().meta({ description: '* receives alerts of all tenants and of the installation.' }),
    name: z.string(),
    url: z.string(),
    rules: z.array(z.string()).nullable().meta({ description: 'Null: all rules.' }),
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
    type: z.enum(NOTIFIED_EVENTS),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    created_at: instant,
    next_at: instant,
    ended_at: instant.nullable(),
    status: z.int().nullable().meta({ description: 'HTTP status of the last response.' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'Delivery' })

export const webhooksContract = contract({
  listWebhooks: {
    method: 'GET',
    path: '/api/v1/webhooks',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'List webhooks of the tenant, without their secrets.',
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ webhooks: z.array(webhook), next_page_token: nextPageToken }) },
    errors: [],
  },
  addWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Add a webhook for alerts.',
    body: z.strictObject({
      name,
      url: z.string().min(1).max(2000),
      secret: z.string().max(200).optional().meta({ description: 'whsec_ and base64. Default: generated.' }),
      rules: z.array(z.enum(ALERT_RULE_NAMES)).min(1).max(ALERT_RULE_NAMES.length).optional(),
      every_tenant: z
        .boolean()
        .optional()
        .meta({ description: 'Alerts of all tenants. Needs a key for all tenants.' }),
      reason: why,
    }),
    response: {
      201: z.object({
        id: z.int(),
        secret: z
          .string()
          .meta({ description: 'Secret that signs its calls. It is shown only in this response.' }),
      }),
    },
    errors: ['webhook_refused', 'webhook_name_taken', 'limit_exceeded'],
  },
  getWebhook: {
    method: 'GET',
    path: '/api/v1/webhooks/{id}',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Get a webhook.',
    params: idParams,
    response: { 200: webhook },
    errors: ['unknown_webhook'],
  },
  enableWebhook: {
    method: 'PATCH',
    path: '/api/v1/webhooks/{id}',
    scope: 'admin',
    tag: 'webhooks',
    summary: 'Enable or disable a webhook. Disabling drops deliveries that wait.',
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
    summary: 'Delete a webhook.',
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
    summary: 'Send a test message now.',
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
    summary: 'List deliveries of a webhook, newest first.',
    params: idParams,
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ deliveries: z.array(delivery), next_page_token: nextPageToken }) },
    errors: ['unknown_webhook'],
  },
})

/** HTTP routes of alerts: list, silence, history, and the rules that raise them. */
import { z } from 'zod'
import { ALERT_EVENTS, ALERT_RULE_NAMES, ALERT_STATES } from '../../domain/alerts.js'
import { contract } from '../endpoint.js'
import { between, idParams, instant, nextPageToken, pageQuery, reasonBody, why } from '../fields.js'

const DAY_SEC = 24 * 60 * 60
const YEAR_MS = 365 * DAY_SEC * 1000

const facts = {
  tenant: z.string().meta({ description: '* for alerts of the whole installation.' }),
  rule: z.string(),
  subject: z.string().meta({ description: 'The queue, queue/kind or schedule; empty for the installation.' }),
}

const alert = z
  .object({
    id: z.int(),
    ...facts,
    state: z.enum(ALERT_STATES),
    value: z.number(),
    threshold: z.number().meta({ description: 'The alert fires above this value.' }),
    summary: z.string().meta({ description: 'The alert in one sentence.' }),
    data: z.record(z.string(), z.unknown()).nullable(),
    since: instant.meta({
      description: 'Since when the condition holds; for a cleared alert, since when it does not.',
    }),
    fired_at: instant.nullable(),
    seen_at: instant.meta({ description: 'When an evaluation last found the condition.' }),
    silenced_until: instant.nullable(),
    silenced_by: z.string().nullable(),
    silence_reason: z.string().nullable(),
  })
  .meta({ id: 'Alert' })

const alertEvent = z
  .object({
    id: z.int(),
    alert_id: z.int(),
    at: instant,
    ...facts,
    type: z.enum(ALERT_EVENTS),
    value: z.number().nullable(),
    threshold: z.number().nullable(),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
    data: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AlertEvent' })

const alertRule = z
  .object({
    rule: z.enum(ALERT_RULE_NAMES),
    subject: z.string().meta({ description: 'Empty: all subjects without a row of their own.' }),
    enabled: z.boolean(),
    threshold: z.number(),
    for_sec: z.int().meta({ description: 'How long the condition must hold before the alert fires.' }),
    clear_sec: z.int().meta({ description: 'How long the condition must be false before the alert clears.' }),
    unit: z.string(),
    of: z.string().meta({ description: 'What the rule checks; N is the threshold.' }),
    setting: z.string().meta({ description: 'The setting that has the default threshold.' }),
    origin: z.enum(['setting', 'set']),
  })
  .meta({ id: 'AlertRule' })

const history = z.object({ events: z.array(alertEvent), next_page_token: nextPageToken })

export const alertsContract = contract({
  listAlerts: {
    method: 'GET',
    path: '/api/v1/alerts',
    scope: 'read',
    tag: 'alerts',
    summary: 'List alerts: pending and firing ones, those of one state, or all.',
    query: z.strictObject({
      state: z.enum(['live', ...ALERT_STATES, 'any']).default('live'),
      rule: z.enum(ALERT_RULE_NAMES).optional(),
      ...pageQuery,
    }),
    response: { 200: z.object({ alerts: z.array(alert), next_page_token: nextPageToken }) },
    errors: [],
  },
  listAlertHistory: {
    method: 'GET',
    path: '/api/v1/alerts/history',
    scope: 'read',
    tag: 'alerts',
    summary: 'List events of the alerts of the tenant, newest first.',
    query: z.strictObject(pageQuery),
    response: { 200: history },
    errors: [],
  },
  listAlertRules: {
    method: 'GET',
    path: '/api/v1/alert-rules',
    scope: 'read',
    tag: 'alerts',
    summary: 'List alert rules of the tenant, with exceptions for subjects.',
    response: { 200: z.object({ rules: z.array(alertRule) }) },
    errors: [],
  },
  setAlertRule: {
    method: 'PUT',
    path: '/api/v1/alert-rules/{rule}',
    scope: 'admin',
    tag: 'alerts',
    summary: 'Change an alert rule for the tenant. Null restores the value of the settings.',
    params: z.strictObject({ rule: z.string().min(1).max(100) }),
    body: z.strictObject({
      subject: z.string().max(250).default(''),
      enabled: z.boolean().nullable().optional(),
      threshold: z.number().min(0).max(1e9).nullable().optional(),
      for_sec: between(0, DAY_SEC).nullable().optional(),
      clear_sec: between(0, DAY_SEC).nullable().optional(),
      reason: why,
    }),
    response: { 200: z.object({ rules: z.array(alertRule) }) },
    errors: ['unknown_alert_rule'],
  },
  getAlert: {
    method: 'GET',
    path: '/api/v1/alerts/{id}',
    scope: 'read',
    tag: 'alerts',
    summary: 'Get an alert.',
    params: idParams,
    response: { 200: alert },
    errors: ['unknown_alert'],
  },
  getAlertHistory: {
    method: 'GET',
    path: '/api/v1/alerts/{id}/history',
    scope: 'read',
    tag: 'alerts',
    summary: 'List events of an alert, newest first.',
    params: idParams,
    query: z.strictObject(pageQuery),
    response: { 200: history },
    errors: ['unknown_alert'],
  },
  silenceAlert: {
    method: 'POST',
    path: '/api/v1/alerts/{id}/silence',
    scope: 'operate',
    tag: 'alerts',
    summary: 'Silence an alert: no webhook is called for a while.',
    params: idParams,
    body: z
      .strictObject({ until: instant.optional(), for_ms: between(1, YEAR_MS).optional(), reason: why })
      .refine(
        ({ until, for_ms }) => (until === undefined) !== (for_ms === undefined),
        'takes one of until and for_ms',
      ),
    response: { 200: alert },
    errors: ['unknown_alert'],
  },
  unsilenceAlert: {
    method: 'DELETE',
    path: '/api/v1/alerts/{id}/silence',
    scope: 'operate',
    tag: 'alerts',
    summary: 'End a silence. If the alert fires and no webhook was called, the next evaluation calls them.',
    params: idParams,
    body: reasonBody,
    response: { 200: alert },
    errors: ['unknown_alert'],
  },
})

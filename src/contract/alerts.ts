/** What the system found wrong with itself, and what counts as wrong. */
import { z } from 'zod'
import { ALERT_EVENTS, ALERT_RULE_NAMES, ALERT_STATES } from '../domain/alerts.js'
import { contract } from './endpoint.js'
import { between, idParams, instant, nextPageToken, pageQuery, reasonBody, why } from './fields.js'

const DAY_SEC = 24 * 60 * 60
const YEAR_MS = 365 * DAY_SEC * 1000

const facts = {
  tenant: z.string().meta({ description: '* is the installation itself' }),
  rule: z.string(),
  subject: z.string().meta({ description: 'the queue, queue/kind, the schedule; empty: the installation' }),
}

const alert = z
  .object({
    id: z.int(),
    ...facts,
    state: z.enum(ALERT_STATES),
    value: z.number(),
    threshold: z.number().meta({ description: 'it is wrong above this' }),
    summary: z.string().meta({ description: 'one sentence for people' }),
    data: z.record(z.string(), z.unknown()).nullable(),
    since: instant.meta({ description: 'since when it is wrong; while cleared, since when it is right' }),
    fired_at: instant.nullable(),
    seen_at: instant.meta({ description: 'when an evaluation last found it' }),
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
    subject: z.string().meta({ description: 'empty: every subject without a row of its own' }),
    enabled: z.boolean(),
    threshold: z.number(),
    for_sec: z.int().meta({ description: 'how long it must be wrong before it fires' }),
    clear_sec: z.int().meta({ description: 'how long it must be right before it clears' }),
    unit: z.string(),
    of: z.string().meta({ description: 'what is wrong then; N is the threshold' }),
    setting: z.string().meta({ description: 'where the threshold comes from unless it is set here' }),
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
    summary: 'Alerts that are pending or firing, or those of one state, or any',
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
    summary: 'What happened to the alerts of the tenant, the newest first',
    query: z.strictObject(pageQuery),
    response: { 200: history },
    errors: [],
  },
  listAlertRules: {
    method: 'GET',
    path: '/api/v1/alert-rules',
    scope: 'read',
    tag: 'alerts',
    summary: 'Every rule as it holds for the tenant, and subjects that have it otherwise',
    response: { 200: z.object({ rules: z.array(alertRule) }) },
    errors: [],
  },
  setAlertRule: {
    method: 'PUT',
    path: '/api/v1/alert-rules/{rule}',
    scope: 'admin',
    tag: 'alerts',
    summary: 'What the tenant wants of a rule otherwise than the settings say; null leaves it to them again',
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
    summary: 'One alert',
    params: idParams,
    response: { 200: alert },
    errors: ['unknown_alert'],
  },
  getAlertHistory: {
    method: 'GET',
    path: '/api/v1/alerts/{id}/history',
    scope: 'read',
    tag: 'alerts',
    summary: 'What happened to one alert, the newest first',
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
    summary: 'Tell nobody of it for a while, whether it fires now or later',
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
    summary: 'End a silence; if it fires and nobody was told, the next evaluation tells',
    params: idParams,
    body: reasonBody,
    response: { 200: alert },
    errors: ['unknown_alert'],
  },
})

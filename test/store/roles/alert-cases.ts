// The verbs of alerts and webhooks, pointed at what belongs to another tenant.
import type { Case } from './verb-cases.js'

const onAlert = (call: string): Case => ({
  call: `select ${call} as answer`,
  values: ({ alerts }) => [alerts.alert],
  hears: 'unknown_alert',
})
const onWebhook = (call: string): Case => ({
  call: `select ${call} as answer`,
  values: ({ alerts }) => [alerts.webhook],
  hears: 'unknown_webhook',
})
const denied = (call: string): Case => ({ call: `select ${call} as answer`, hears: 'tenant_denied' })

export const ALERT_CASES: Record<string, Case> = {
  check_alerts: denied('holdfast.check_alerts()'),
  alert_gauges: denied('holdfast.alert_gauges()'),
  silence_alert: onAlert('holdfast.silence_alert($1, null, 1000)'),
  set_alert_rule: denied(`holdfast.set_alert_rule('bolt', 'depth', '', '{"threshold": 1}')`),
  add_webhook: denied(`holdfast.add_webhook('bolt', 'other', 'https://x', repeat('s', 20))`),
  enable_webhook: onWebhook('holdfast.enable_webhook($1, false)'),
  remove_webhook: onWebhook('holdfast.remove_webhook($1)'),
  webhook_target: onWebhook('holdfast.webhook_target($1)'),
  take_deliveries: denied('holdfast.take_deliveries()'),
  settle_delivery: {
    call: 'select holdfast.settle_delivery($1, 0, true) as answer',
    values: ({ alerts }) => [alerts.delivery],
    hears: false,
  },
}

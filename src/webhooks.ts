/** `holdfast/webhooks`: verifies the signature of a webhook of alerts, and types for those who add webhooks. */
export type { WebhookOptions } from './webhooks/addresses.js'
export { verifyWebhook } from './webhooks/signature.js'
export type { NewWebhook, Webhooks } from './webhooks/webhooks.js'

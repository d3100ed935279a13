/**
 * Signs and verifies webhook messages as in Standard Webhooks (standardwebhooks.com), for which most
 * languages have a library.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { invalidInput } from '../domain/errors/errors.js'

const PREFIX = 'whsec_'
/** An older call may be a recorded one that is replayed. */
const TOLERANCE_SEC = 300

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** One that was brought along. */
export function checkWebhookSecret(secret: string): string {
  if (isWebhookSecret(secret)) return secret
  throw invalidInput('/secret', 'must be whsec_ and 24 to 64 bytes in base64; leave it out to have one made')
}

function isWebhookSecret(secret: unknown): secret is string {
  if (typeof secret !== 'string' || !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) return false
  const bytes = keyOf(secret).length
  return bytes >= 24 && bytes <= 64
}

export interface Signed {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

export function sign(secret: string, id: string, body: string, at: Date = new Date()): Signed {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature(secret, id, timestamp, body)}`,
  }
}

/**
 * For receivers: whether this call was signed with the secret, just now. `body` is the text as it arrived. A call may arrive more
 * than once, with the same `webhook-id`. An empty secret, or one of another format, verifies nothing: anyone could sign with it.
 */
export function verifyWebhook(
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  { toleranceSec = TOLERANCE_SEC, now = new Date() }: { toleranceSec?: number; now?: Date } = {},
): boolean {
  if (!isWebhookSecret(secret)) return false
  const id = String(headers['webhook-id'] ?? '')
  const timestamp = String(headers['webhook-timestamp'] ?? '')
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSec) return false
  const wanted = Buffer.from(signature(secret, id, timestamp, body))
  return String(headers['webhook-signature'] ?? '')
    .split(' ')
    .map((each) => Buffer.from(each.replace(/^v1,/, '')))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted))
}

function signature(secret: string, id: string, timestamp: string, body: string): string {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64')
}

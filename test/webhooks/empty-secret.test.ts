import { createHmac } from 'node:crypto'
import { verifyWebhook } from 'holdfast/webhooks'
import { expect, it } from 'vitest'
import { newWebhookSecret, sign } from '../../src/webhooks/signature.js'

/** What anybody can make who knows that the key is empty, or any other. */
function signed(key: Buffer, body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`m.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': 'm', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

it.each([
  ['nothing', ''],
  ['the prefix alone', 'whsec_'],
  ['six characters', 'secret'],
  ['a space', ' '],
  ['no base64', 'whsec_!!!!'],
  ['too few bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
  ['undefined', undefined as unknown as string],
])('6.15 verifyWebhook refuses every call where the secret is %s', (_what, secret) => {
  for (const key of [Buffer.alloc(0), Buffer.from(String(secret).slice(6), 'base64')])
    expect(verifyWebhook(secret, signed(key, '{}'), '{}')).toBe(false)
})

it('6.15 verifyWebhook still takes what was signed with a secret', () => {
  const secret = newWebhookSecret()
  expect(verifyWebhook(secret, { ...sign(secret, 'm', '{}') }, '{}')).toBe(true)
})

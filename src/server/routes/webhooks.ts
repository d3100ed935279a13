/** Webhooks that receive alerts, and their deliveries. */
import { toWire } from '../../contract/case.js'
import { webhooksContract } from '../../contract/operate/webhooks.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { given } from '../../json/given.js'
import { everyTenantNeeded } from '../access/principal.js'
import { numberFrom, paged } from '../http/page-token.js'
import { type Call, routes } from '../http/route.js'

type WebhookView = (typeof webhooksContract)['getWebhook']['response'][200]['_zod']['input']
type DeliveryView =
  (typeof webhooksContract)['listDeliveries']['response'][200]['_zod']['input']['deliveries'][number]

/** A webhook of the caller's tenant; others are unknown. */
async function ownWebhook(
  { webhooks, tenant, everywhere }: Pick<Call, 'webhooks' | 'tenant' | 'everywhere'>,
  id: number,
) {
  const webhook = await webhooks.get(id)
  if (!everywhere && webhook.tenant !== tenant) throw holdfastError('unknown_webhook', { webhook: id })
  return toWire<WebhookView>(webhook)
}

export const webhookRoutes = routes<typeof webhooksContract>(webhooksContract, {
  listWebhooks: async ({ webhooks, tenant, everywhere, query }) => {
    const { page_size: size, page_token } = query
    const rows = await webhooks.list({
      ...(everywhere ? {} : { tenant }),
      ...given({ after: numberFrom(page_token) }),
      limit: size + 1,
    })
    const { page, next_page_token } = paged(rows, size, ({ id }) => id)
    return {
      status: 200,
      body: { webhooks: page.map((webhook) => toWire<WebhookView>(webhook)), next_page_token },
    }
  },

  addWebhook: async ({ webhooks, tenant, who, act, body }) => {
    const { name, url, every_tenant, secret, rules } = body
    if (every_tenant && who.tenant !== '*') throw everyTenantNeeded()
    const created = await webhooks.add({
      tenant: every_tenant ? '*' : tenant,
      name,
      url,
      ...given({ secret, rules }),
      ...act,
    })
    return { status: 201, body: created }
  },

  getWebhook: async (call) => ({ status: 200, body: await ownWebhook(call, call.params.id) }),

  enableWebhook: async (call) => {
    const { webhooks, act, params, body } = call
    await ownWebhook(call, params.id)
    await webhooks.enable(params.id, body.enabled, act)
    return { status: 200, body: await ownWebhook(call, params.id) }
  },

  removeWebhook: async (call) => {
    const { webhooks, act, params } = call
    await ownWebhook(call, params.id)
    await webhooks.remove(params.id, act)
    return { status: 200, body: { id: params.id, removed: true } }
  },

  testWebhook: async (call) => {
    await ownWebhook(call, call.params.id)
    return { status: 200, body: await call.webhooks.test(call.params.id) }
  },

  listDeliveries: async (call) => {
    const { webhooks, params, query } = call
    await ownWebhook(call, params.id)
    const { page_size: size, page_token } = query
    const rows = await webhooks.deliveries(params.id, {
      ...given({ before: numberFrom(page_token) }),
      limit: size + 1,
    })
    const { page, next_page_token } = paged(rows, size, ({ id }) => id)
    return {
      status: 200,
      body: { deliveries: page.map((each) => toWire<DeliveryView>(each)), next_page_token },
    }
  },
})

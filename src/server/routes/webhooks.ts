import { toWire } from '../../contract/case.js'
import { webhooksContract } from '../../contract/webhooks.js'
import { holdfastError } from '../../domain/errors.js'
import { given } from '../../domain/given.js'
import { numberFrom, paged } from '../page-token.js'
import { everyTenantNeeded } from '../principal.js'
import { type Call, routes } from '../route.js'

type View = (typeof webhooksContract)['getWebhook']['response'][200]['_zod']['input']
type DeliveryView =
  (typeof webhooksContract)['listDeliveries']['response'][200]['_zod']['input']['deliveries'][number]

/** A webhook of the caller's tenant; those of others are not there. */
async function own(
  { webhooks, tenant, everywhere }: Pick<Call, 'webhooks' | 'tenant' | 'everywhere'>,
  id: number,
) {
  const webhook = await webhooks.get(id)
  if (!everywhere && webhook.tenant !== tenant) throw holdfastError('unknown_webhook', { webhook: id })
  return toWire<View>(webhook)
}

export const webhookRoutes = routes<typeof webhooksContract>(webhooksContract, {
  listWebhooks: async ({ webhooks, tenant, everywhere, query }) => {
    const { page_size: size, page_token } = query
    const rows = await webhooks.list({
      ...(everywhere ? {} : { tenant }),
      ...given({ after: numberFrom(page_token) }),
      limit: size + 1,
    })
    const { shown, next_page_token } = paged(rows, size, ({ id }) => id)
    return { status: 200, body: { webhooks: shown.map((webhook) => toWire<View>(webhook)), next_page_token } }
  },

  addWebhook: async ({ webhooks, tenant, who, act, body }) => {
    const { name, url, every_tenant, secret, rules } = body
    if (every_tenant && who.tenant !== '*') throw everyTenantNeeded()
    const made = await webhooks.add({
      tenant: every_tenant ? '*' : tenant,
      name,
      url,
      ...given({ secret, rules }),
      ...act,
    })
    return { status: 201, body: made }
  },

  getWebhook: async (call) => ({ status: 200, body: await own(call, call.params.id) }),

  enableWebhook: async (call) => {
    const { webhooks, act, params, body } = call
    await own(call, params.id)
    await webhooks.enable(params.id, body.enabled, act)
    return { status: 200, body: await own(call, params.id) }
  },

  removeWebhook: async (call) => {
    const { webhooks, act, params } = call
    await own(call, params.id)
    await webhooks.remove(params.id, act)
    return { status: 200, body: { id: params.id, removed: true } }
  },

  testWebhook: async (call) => {
    await own(call, call.params.id)
    return { status: 200, body: await call.webhooks.test(call.params.id) }
  },

  listDeliveries: async (call) => {
    const { webhooks, params, query } = call
    await own(call, params.id)
    const { page_size: size, page_token } = query
    const rows = await webhooks.deliveries(params.id, {
      ...given({ before: numberFrom(page_token) }),
      limit: size + 1,
    })
    const { shown, next_page_token } = paged(rows, size, ({ id }) => id)
    return {
      status: 200,
      body: { deliveries: shown.map((each) => toWire<DeliveryView>(each)), next_page_token },
    }
  },
})

import type { Store } from '../../store/store.js'
import type { WebhookOptions } from '../../webhooks/addresses.js'
import { Deliveries } from '../../webhooks/deliveries.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

/** Of the nodes that come by in one tick the database lets one evaluate; whoever comes by sends what is due. */
export function alerts(store: Store, value: Value, webhooks: WebhookOptions = {}): Chore {
  const deliveries = new Deliveries(store, webhooks)
  return {
    name: 'alerts',
    of: 'looks for what is wrong, and tells webhooks',
    everyMs: async () => (await value('ALERT_EVERY_SEC')) * SECOND_MS,
    run: async (stopping) => {
      const changed = (await store.alerts.check()) ?? 0
      // Those that failed are not due any more, so a round after a full one is never the same again.
      const { arrived, more } = await deliveries.round(stopping)
      return { rows: changed + arrived, more }
    },
    finish: async () => (await deliveries.finish()).arrived,
  }
}

import type { Store } from '../../store/store.js'
import type { WebhookOptions } from '../../webhooks/addresses.js'
import { WebhookDesk } from '../../webhooks/desk.js'
import { type Chore, SECOND_MS, type Value } from './chore.js'

/** Of the nodes that come by in one tick the database lets one evaluate; whoever comes by sends what is due. */
export function alerts(store: Store, value: Value, webhooks: WebhookOptions = {}): Chore {
  const desk = new WebhookDesk(store, webhooks)
  return {
    name: 'alerts',
    of: 'looks for what is wrong, and tells webhooks',
    everyMs: async () => (await value('ALERT_EVERY_SEC')) * SECOND_MS,
    run: async (stopping) => {
      const changed = (await store.alerts.check()) ?? 0
      const { arrived, failed } = await desk.deliver(stopping)
      // Those that failed are not due any more, so a round after a full one is never the same again.
      return { rows: changed + arrived, more: arrived + failed > 0 }
    },
  }
}

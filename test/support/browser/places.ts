/** Every place of the dashboard, with something of the shop to show. */
import { BLOCKED_TARGET } from '../shop/present.js'
import type { Shop } from '../shop/shop.js'

export function places(shop: Shop): Record<string, string> {
  return {
    overview: '',
    jobs: '?page=jobs',
    'jobs, searched': '?page=jobs&q=state:failed kind:charge-card',
    'job, running': `?page=job&id=${shop.running}`,
    'job, failed': `?page=job&id=${shop.failed}`,
    'job, blocked': `?page=job&id=${shop.blocked}`,
    errors: '?page=errors',
    kinds: '?page=kinds',
    kind: '?page=kind&name=charge-card&kind=charge-card',
    queues: '?page=queues',
    queue: '?page=queue&name=billing',
    targets: `?page=targets&q=${BLOCKED_TARGET}`,
    schedules: '?page=schedules',
    schedule: '?page=schedule&name=sync-contacts',
    workers: '?page=workers',
    worker: '?page=worker&name=billing-1',
    doctor: '?page=doctor',
    alerts: '?page=alerts',
    audit: '?page=audit',
    settings: '?page=settings',
  }
}

/** Every route of the server. A new file of routes is one line here. */
import type { Route } from '../route.js'
import { crawlRoutes } from '../seeds/crawl.js'
import { harvestRoutes } from '../seeds/harvest.js'
import { scheduledRoutes } from '../seeds/scheduled.js'
import { targetRoutes } from '../seeds/target.js'
import { alertRoutes } from './alerts.js'
import { auditRoutes } from './audit.js'
import { commandRoutes } from './commands.js'
import { docsRoutes } from './docs.js'
import { doctorRoutes } from './doctor.js'
import { endRoutes } from './ends.js'
import { eventRoutes } from './events.js'
import { healthRoutes } from './health.js'
import { itemRoutes } from './items.js'
import { jobRoutes } from './jobs.js'
import { keyRoutes } from './keys.js'
import { metricsRoutes } from './metrics.js'
import { queueRoutes } from './queues.js'
import { scheduleRoutes } from './schedules.js'
import { settingRoutes } from './settings.js'
import { statsRoutes } from './stats.js'
import { statusRoutes } from './status.js'
import { subjectRoutes } from './subjects.js'
import { tenantRoutes } from './tenants.js'
import { upkeepRoutes } from './upkeep.js'
import { webhookRoutes } from './webhooks.js'
import { workRoutes } from './work.js'
import { workerRoutes } from './workers.js'

export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...docsRoutes,
  ...metricsRoutes,
  ...jobRoutes,
  ...commandRoutes,
  ...queueRoutes,
  ...workerRoutes,
  ...itemRoutes,
  ...scheduleRoutes,
  ...settingRoutes,
  ...subjectRoutes,
  ...statsRoutes,
  ...upkeepRoutes,
  ...tenantRoutes,
  ...keyRoutes,
  ...auditRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...doctorRoutes,
  ...endRoutes,
  ...workRoutes,
  ...statusRoutes,
  ...eventRoutes,
  ...harvestRoutes,
  ...crawlRoutes,
  ...scheduledRoutes,
  ...targetRoutes,
]

/** The routes of the server, without those of the presets. A new file of routes adds one line here. */

import type { Route } from '../http/route.js'
import { auditRoutes, settingRoutes, tenantRoutes, upkeepRoutes } from './administration.js'
import { alertRoutes } from './alerts.js'
import { commandRoutes } from './commands.js'
import { docsRoutes } from './docs.js'
import { endRoutes } from './ends.js'
import { eventRoutes } from './events.js'
import { itemRoutes } from './items.js'
import { jobRoutes } from './jobs.js'
import { keyRoutes } from './keys.js'
import { doctorRoutes, healthRoutes, metricsRoutes, statsRoutes, workerRoutes } from './monitoring.js'
import { queueRoutes } from './queues.js'
import { scheduleRoutes } from './schedules.js'
import { statusRoutes } from './status.js'
import { subjectRoutes } from './subjects.js'
import { webhookRoutes } from './webhooks.js'
import { workRoutes } from './work.js'

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
]

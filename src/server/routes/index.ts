/** The routes of the server, without those of the presets. A new file of routes adds one line here. */

import type { Route } from '../http/route.js'
import { auditRoutes, settingRoutes, tenantRoutes, upkeepRoutes } from './administration.js'
import { alertRoutes } from './alerts.js'
import { bulkRoutes, savedViewRoutes } from './bulk.js'
import { errorRoutes, kindRoutes, overviewRoutes, seriesRoutes } from './charts.js'
import { commandRoutes } from './commands.js'
import { dashboardRoutes } from './dashboard.js'
import { docsRoutes } from './docs.js'
import { endRoutes } from './ends.js'
import { eventRoutes } from './events.js'
import { itemRoutes } from './items.js'
import { jobRoutes } from './jobs.js'
import { keyRoutes } from './keys.js'
import { doctorRoutes, healthRoutes, metricsRoutes, statsRoutes, workerRoutes } from './monitoring.js'
import { queueRoutes } from './queues.js'
import { scheduleRoutes } from './schedules.js'
import { searchRoutes } from './search.js'
import { sessionRoutes } from './session.js'
import { statusRoutes } from './status.js'
import { subjectRoutes } from './subjects.js'
import { webhookRoutes } from './webhooks.js'
import { workRoutes } from './work.js'

export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...docsRoutes,
  ...metricsRoutes,
  ...jobRoutes,
  ...searchRoutes,
  ...commandRoutes,
  ...bulkRoutes,
  ...savedViewRoutes,
  ...queueRoutes,
  ...workerRoutes,
  ...itemRoutes,
  ...scheduleRoutes,
  ...settingRoutes,
  ...subjectRoutes,
  ...statsRoutes,
  ...seriesRoutes,
  ...overviewRoutes,
  ...kindRoutes,
  ...errorRoutes,
  ...upkeepRoutes,
  ...tenantRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...auditRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...doctorRoutes,
  ...endRoutes,
  ...workRoutes,
  ...statusRoutes,
  ...dashboardRoutes,
  ...eventRoutes,
]

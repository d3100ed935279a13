/** Every route of the server. A new file of routes is one line here. */
import type { Route } from '../route.js'
import { crawlRoutes } from '../seeds/crawl.js'
import { harvestRoutes } from '../seeds/harvest.js'
import { targetRoutes } from '../seeds/target.js'
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
import { queueRoutes } from './queues.js'
import { settingRoutes } from './settings.js'
import { statusRoutes } from './status.js'
import { tenantRoutes } from './tenants.js'
import { workRoutes } from './work.js'
import { workerRoutes } from './workers.js'

export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...docsRoutes,
  ...jobRoutes,
  ...commandRoutes,
  ...queueRoutes,
  ...workerRoutes,
  ...itemRoutes,
  ...settingRoutes,
  ...tenantRoutes,
  ...keyRoutes,
  ...auditRoutes,
  ...doctorRoutes,
  ...endRoutes,
  ...workRoutes,
  ...statusRoutes,
  ...eventRoutes,
  ...harvestRoutes,
  ...crawlRoutes,
  ...targetRoutes,
]

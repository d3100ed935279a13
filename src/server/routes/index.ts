/** Every route of the server. A new file of routes is one line here. */
import type { Route } from '../route.js'
import { docsRoutes } from './docs.js'
import { endRoutes } from './ends.js'
import { healthRoutes } from './health.js'
import { jobRoutes } from './jobs.js'
import { workRoutes } from './work.js'

export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...docsRoutes,
  ...jobRoutes,
  ...endRoutes,
  ...workRoutes,
]

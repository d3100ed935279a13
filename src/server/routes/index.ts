/** Every route of the server. A new file of routes is one line here. */
import type { Route } from '../route.js'
import { docsRoutes } from './docs.js'
import { healthRoutes } from './health.js'
import { jobRoutes } from './jobs.js'

export const ROUTES: readonly Route[] = [...healthRoutes, ...docsRoutes, ...jobRoutes]
